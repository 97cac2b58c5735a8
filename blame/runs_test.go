package blame

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/blamerepo"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

// varied is a resolver whose answers differ from some lines to others, as a function of commit, path and line.
type varied struct{}

func (varied) Committed(_ context.Context, commit refs.OID, path string, lines []int) ([]*Attribution, error) {
	second := claude
	second.PromptIndex, second.PromptText, second.Patch = 4, "and <test> it", ""
	unsure := Attribution{Kind: events.OwnerAI, Candidates: []events.CandidateData{{Trace: claude.Trace, ToolCall: "t"}}}
	choice := []*Attribution{&claude, &second, &codex, &person, &unsure, {}}
	out := make([]*Attribution, len(lines))
	for i, line := range lines {
		h := fnv.New32a()
		fmt.Fprint(h, at(commit, path, line/2))
		out[i] = choice[h.Sum32()%uint32(len(choice))]
	}
	return out, nil
}

func (v varied) Uncommitted(ctx context.Context, path string, _ []byte, lines []int) ([]*Attribution, error) {
	return v.Committed(ctx, refs.OID{}, path, lines)
}

// E1: the three forms for programs say the same of every line, with any options of git's.
func TestRunsLinesAndIncrementalHeadersSayTheSame(t *testing.T) {
	t.Parallel()
	schema := compileSchema(t, "blame-runs-1")
	short := Style{ShortTrace: func(id events.TraceID) string { return string(id)[:4] }}
	r, told := history(t), 0
	r.Ask(t, "--incremental", testenv.Some(blamerepo.Forms, 5), func(a blamerepo.Asked) {
		ask := func(format string) (string, error) {
			args := append([]string{}, a.Args...)
			for i := range args {
				if args[i] == "--incremental" {
					args[i] = format
				}
			}
			return r.blameStdin(a.Dir, a.Stdin, varied{}, short, args...)
		}
		if a.Code != 0 { // among them --incremental --progress, which is nobody's business but that format's
			return
		}
		runs, err := ask("--json=runs")
		if err != nil {
			t.Fatal(err)
		}
		validate(t, schema, runs)
		lines, err := ask("--json")
		if err != nil {
			t.Fatal(err)
		}
		incremental, err := ask("--incremental")
		if err != nil {
			t.Fatal(err)
		}
		byRun, byLine, byEntry := fromRuns(t, runs), fromLines(t, lines), fromIncremental(t, incremental)
		if !maps.Equal(byRun, byLine) {
			t.Errorf("%s: runs and lines differ\n%v\n%v", a.Text, byRun, byLine)
		}
		if !maps.Equal(byRun, byEntry) {
			t.Errorf("%s: runs and entries differ\n%v\n%v", a.Text, byRun, byEntry)
		}
		told += len(byRun)
	})
	if told < testenv.Pick(150, 900, 900) {
		t.Errorf("%d lines were compared", told)
	}
}

// says is what a form says of a line.
func says(commit, path string, line int, owner ...any) string {
	return fmt.Sprintln(append([]any{commit, path, line}, owner...)...)
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

type jsonEither struct {
	Commit       *string
	OriginalLine int    `json:"original_line"`
	OriginalPath string `json:"original_path"`
	Contributor  string
	Trace, Model *string
	Step         *int
	ToolCall     *string `json:"tool_call"`
	Patch        *string
	Evidence     *string
	Confidence   *string
	Candidates   []events.CandidateData
}

func (j *jsonEither) says(line int, agent, session string, prompt int) string {
	step, candidates := 0, ""
	if j.Step != nil {
		step = *j.Step
	}
	for _, c := range j.Candidates {
		candidates += string(c.Trace) + " " + c.ToolCall
	}
	return says(text(j.Commit), j.OriginalPath, line, j.Contributor, text(j.Trace), agent, text(j.Model), session, step,
		text(j.ToolCall), prompt, text(j.Patch), text(j.Evidence), text(j.Confidence), candidates)
}

func fromRuns(t *testing.T, out string) map[int]string {
	t.Helper()
	var doc struct {
		Conversations map[string]struct {
			Agent, Session string
			Prompts        map[string]string
		}
		Commits map[string]struct{ Summary string }
		Runs    []struct {
			jsonEither
			Start, Count int
			Prompt       int
		}
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	told := map[int]string{}
	for i := range doc.Runs {
		r := &doc.Runs[i]
		c := doc.Conversations[text(r.Trace)]
		if _, known := doc.Commits[text(r.Commit)]; r.Commit != nil && !known {
			t.Errorf("commit %s is not told of", *r.Commit)
		}
		if r.Prompt > 0 && c.Prompts[strconv.Itoa(r.Prompt)] == "" {
			t.Errorf("prompt %d is not told of", r.Prompt)
		}
		for n := range r.Count {
			told[r.Start+n] = r.says(r.OriginalLine+n, c.Agent, c.Session, r.Prompt)
		}
	}
	return told
}

func fromLines(t *testing.T, out string) map[int]string {
	t.Helper()
	var doc struct {
		Lines []struct {
			jsonEither
			Line           int
			Agent, Session *string
			Prompt         *struct{ Index int }
		}
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	told := map[int]string{}
	for i := range doc.Lines {
		l, prompt := &doc.Lines[i], 0
		if l.Prompt != nil {
			prompt = l.Prompt.Index
		}
		told[l.Line] = l.says(l.OriginalLine, text(l.Agent), text(l.Session), prompt)
	}
	return told
}

var entryHead = regexp.MustCompile(`^([0-9a-f]{40,64}) (\d+) (\d+) (\d+)$`)

// fromIncremental reads the stream as another program would.
func fromIncremental(t *testing.T, out string) map[int]string {
	t.Helper()
	told := map[int]string{}
	var blocks []map[string]string
	var commit string
	var orig, final int
	for line := range strings.Lines(out) {
		line = strings.TrimSuffix(line, "\n")
		if m := entryHead.FindStringSubmatch(line); m != nil {
			commit, blocks = m[1], nil
			orig, _ = strconv.Atoi(m[2])
			final, _ = strconv.Atoi(m[3])
			if strings.Trim(commit, "0") == "" {
				commit = ""
			}
			continue
		}
		name, value, _ := strings.Cut(line, " ")
		switch {
		case name == "trace-lines":
			blocks = append(blocks, map[string]string{name: value})
		case strings.HasPrefix(name, "trace-"):
			blocks[len(blocks)-1][name] += value
		case name == "filename":
			for _, b := range blocks {
				var start, count int
				if _, err := fmt.Sscan(b["trace-lines"], &start, &count); err != nil {
					t.Fatal(err)
				}
				number := func(name string) int { n, _ := strconv.Atoi(b["trace-"+name]); return n }
				for n := range count {
					told[start+n] = says(commit, unquoted(value), orig+start-final+n, b["trace-contributor"], b["trace-id"],
						b["trace-agent"], b["trace-model"], b["trace-session"], number("step"), b["trace-tool-call"],
						number("prompt"), b["trace-patch"], b["trace-evidence"], b["trace-confidence"], b["trace-candidate"])
				}
			}
		}
	}
	return told
}

// unquoted is a file name as git quotes it, as JSON has it.
func unquoted(name string) string {
	if raw, err := strconv.Unquote(name); err == nil {
		return strings.ToValidUTF8(raw, "\ufffd")
	}
	return name
}
