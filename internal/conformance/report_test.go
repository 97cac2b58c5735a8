package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// canary stands in every text that is not git-trace's own.
const canary = "zq7"

// foreignWorld is a repository whose prompts, paths, subjects and names try to do something.
type foreignWorld struct {
	t                         *testing.T
	program, dir, transcripts string
	environ                   []string
	random                    *rand.Rand
	said                      int
}

func newForeignWorld(t *testing.T) *foreignWorld {
	t.Helper()
	root := testenv.TempDir(t)
	w := &foreignWorld{t: t, program: filepath.Join(root, "git-trace"), dir: filepath.Join(root, "repo"),
		transcripts: filepath.Join(root, "sessions"), random: rand.New(rand.NewPCG(3, 4))}
	build := exec.Command("go", "build", "-o", w.program, "./cmd/git-trace")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	w.environ = []string{"HOME=" + root, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "TZ=UTC", "LC_ALL=C.UTF-8"}
	for _, dir := range []string{w.dir, w.transcripts} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w.run("git", "init", "-q", "-b", "main")
	w.run(w.program, "init", "--agent", "claude-code")
	w.commit("base", time.Unix(1_700_000_000, 0))
	w.run("git", "branch", "base")
	return w
}

func (w *foreignWorld) run(args ...string) string {
	w.t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = w.dir, w.environ
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		w.t.Fatalf("%.200q: %v\n%s", args, err, &stderr)
	}
	return string(out)
}

func (w *foreignWorld) commit(subject string, at time.Time) {
	name := strings.NewReplacer("\n", " ", "<", "(", ">", ")", "\x00", "").Replace(w.foreign(3))
	stamp := fmt.Sprintf("%d +0000", at.Unix())
	cmd := exec.Command("git", "commit", "-q", "--allow-empty", "--cleanup=verbatim", "-F", "-")
	cmd.Dir, cmd.Stdin = w.dir, strings.NewReader(subject)
	cmd.Env = slices.Concat(w.environ, []string{"GIT_AUTHOR_NAME=" + name, "GIT_COMMITTER_NAME=" + name, "GIT_AUTHOR_EMAIL=a@example.com",
		"GIT_COMMITTER_EMAIL=a@example.com", "GIT_AUTHOR_DATE=" + stamp, "GIT_COMMITTER_DATE=" + stamp})
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("commit %q by %q: %v\n%s", subject, name, err, out)
	}
}

// foreign is a text of so many pieces, with the canary at its ends and in between.
func (w *foreignWorld) foreign(most int) string {
	var out strings.Builder
	for range 1 + w.random.IntN(most) {
		out.WriteString(pieces[w.random.IntN(len(pieces))] + canary)
	}
	return pieces[w.random.IntN(len(pieces))] + out.String()
}

// say writes a conversation of so many prompts, each of which makes a file, and commits them together.
func (w *foreignWorld) say(session, prompts int) {
	w.t.Helper()
	id := fmt.Sprintf("7a0e1c52-9f3b-4d68-8e21-%012d", session)
	at := time.Unix(1_700_000_000+int64(session)*100_000, 0).UTC()
	var lines []string
	entry := func(kind string, more, message map[string]any) {
		at = at.Add(time.Second)
		line := map[string]any{"type": kind, "uuid": fmt.Sprint(id, len(lines)), "sessionId": id, "cwd": w.dir, "version": "2.1.150",
			"timestamp": at.Format("2006-01-02T15:04:05.000Z"), "message": message, "parentUuid": nil}
		if len(lines) > 0 {
			line["parentUuid"] = fmt.Sprint(id, len(lines)-1)
		}
		for key, value := range more {
			line[key] = value
		}
		raw, err := json.Marshal(line)
		if err != nil {
			w.t.Fatal(err)
		}
		lines = append(lines, string(raw))
	}
	for range prompts {
		w.said++
		prompt := w.foreign(12)
		if w.said%200 == 7 {
			prompt = strings.Repeat(prompt, 1<<20/len(prompt)+1)
		}
		path := filepath.Join(w.dir, fmt.Sprintf("%d %s", w.said, strings.NewReplacer("/", "", "\x00", "").Replace(w.foreign(4))))
		content := fmt.Sprintf("content %d\n%s\n", w.said, w.foreign(4))
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			w.t.Fatal(err)
		}
		call := fmt.Sprint("toolu_", w.said)
		entry("user", nil, map[string]any{"role": "user", "content": prompt})
		entry("assistant", nil, map[string]any{"id": "msg_" + call, "type": "message", "role": "assistant", "model": "claude-" + canary + "|`<b>",
			"stop_reason": "tool_use", "usage": map[string]any{"input_tokens": 9, "output_tokens": 3},
			"content": []any{map[string]any{"type": "tool_use", "id": call, "name": "Write", "input": map[string]any{"file_path": path, "content": content}}}})
		entry("user", map[string]any{"toolUseResult": map[string]any{"type": "create", "filePath": path, "content": content, "structuredPatch": []any{}}},
			map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": call, "content": "done"}}})
	}
	name := filepath.Join(w.transcripts, id+".jsonl")
	if err := os.WriteFile(name, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		w.t.Fatal(err)
	}
	w.run("git", "add", "-A")
	w.commit(w.foreign(6), at.Add(time.Minute))
}

// ours are the blocks of HTML that a report may have: foreign text is in <code>, without a tag in it.
var ours = regexp.MustCompile(`^(<details><summary>([^<>]|<code>[^<>]*</code>)*</summary>|</details>)\n*$`)

// quoted is foreign text in such a block.
var quoted = regexp.MustCompile(`<code>[^<>]*</code>`)

// judge finds foreign text outside of code, and whatever a forge or a runner would act on.
func judge(t *testing.T, page string) {
	t.Helper()
	source := []byte(page)
	parser := goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote)).Parser()
	opened := 0
	err := ast.Walk(parser.Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.CodeSpan:
			return ast.WalkSkipChildren, nil
		case *ast.HTMLBlock:
			block := string(n.Lines().Value(source))
			if !ours.MatchString(block) || strings.Contains(quoted.ReplaceAllString(block, ""), canary) {
				t.Errorf("a block of HTML: %.300q", block)
			}
			opened += strings.Count(block, "<details>") - strings.Count(block, "</details>")
		case *ast.FencedCodeBlock:
			if n.Info != nil || !strings.HasPrefix(page[n.Lines().At(n.Lines().Len()-1).Stop:], "```") {
				t.Errorf("a fence that is not closed, or has a language: %.100q", n.Lines().Value(source))
			}
		case *ast.Text:
			if strings.Contains(string(n.Segment.Value(source)), canary) {
				t.Errorf("foreign text outside of code: %.300q", n.Segment.Value(source))
			}
		case *ast.Link, *ast.Image, *ast.AutoLink, *ast.RawHTML, *ast.CodeBlock, *ast.Blockquote:
			t.Errorf("%s in a report: %.200q", n.Kind(), page)
		case *ast.Heading:
			if n.Level != 3 {
				t.Errorf("a heading of level %d", n.Level)
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil || opened != 0 {
		t.Errorf("%d sections stay open: %v", opened, err)
	}
	for line := range strings.Lines(page) {
		if begin := strings.TrimLeft(line, " \t\r"); strings.HasPrefix(begin, "::") || strings.HasPrefix(begin, "/") || strings.Contains(line, "##[") {
			t.Errorf("a line that a runner or a bot acts on: %.200q", line)
		}
	}
}

// A report of 500 prompts and as many files, all of which try to be more than text: a CommonMark parser finds them in
// code alone, whatever the limit, and a limit is kept to the byte.
func TestAReportHasForeignTextInCodeAlone(t *testing.T) {
	t.Parallel()
	w := newForeignWorld(t)
	const sessions, prompts = 20, 25
	for n := range sessions {
		w.say(n, prompts)
	}
	w.run(w.program, "backfill", "--transcripts", w.transcripts, "base..main")
	report := func(more ...string) string {
		return w.run(append(append([]string{w.program, "report", "--show-prompts", "all"}, more...), "base...main")...)
	}
	whole := report()
	judge(t, whole)
	if n := strings.Count(whole, "\n│ "); n < sessions*prompts {
		t.Errorf("%d lines of prompts in\n%.3000s", n, whole)
	}
	if exact := report("--max-bytes", strconv.Itoa(len(whole))); exact != whole {
		t.Errorf("%d bytes fit into %d, and became %d", len(whole), len(whole), len(exact))
	}
	cmd := exec.Command(w.program, "report", "--show-prompts", "all", "--max-bytes", "1", "base...main")
	cmd.Dir, cmd.Env = w.dir, w.environ
	out, _ := cmd.CombinedOutput()
	_, number, found := strings.Cut(strings.TrimSpace(string(out)), "the least is ")
	least, err := strconv.Atoi(number)
	if !found || err != nil {
		t.Fatalf("no least size: %s", out)
	}
	sizes := []int{least, least + 1, len(whole) - 1, 65536}
	for range 4 {
		sizes = append(sizes, least+w.random.IntN(len(whole)-least))
	}
	for _, size := range sizes {
		page := report("--max-bytes", strconv.Itoa(size))
		if len(page) > size {
			t.Errorf("%d bytes for a limit of %d", len(page), size)
		}
		judge(t, page)
	}
}
