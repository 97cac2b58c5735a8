package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/blame/gitblame"
	"github.com/git-trace/git-trace/refs"
)

// The ways in which an answer can be wrong, worst first.
const (
	wrongConversation = "credited to the wrong conversation"
	wrongAI           = "credited to AI when it is not"
	lostAI            = "AI line lost"
	wrongHuman        = "credited to a person when nothing is known"
	lostHuman         = "person's line unknown"
)

var classes = []string{wrongConversation, wrongAI, lostAI, wrongHuman, lostHuman, wrongTestimony}

// wrongLine is one line with a wrong answer.
type wrongLine struct {
	class      string
	step       int
	tree, path string
	line       int
	text       string
	want       []string
	got        string
}

func (f wrongLine) String() string {
	return fmt.Sprintf("after step %d: %s:%s:%d: %s: want %s, got %s: %q", f.step, filepath.Base(f.tree), f.path, f.line,
		f.class, strings.Join(f.want, " or "), f.got, f.text)
}

// classify tells what is wrong with an answer; "" for nothing.
func classifyAnswer(want []string, got string) string {
	isAI := func(who string) bool { return who != byHuman && who != byUnknown }
	switch {
	case len(want) == 0 || slices.Contains(want, got):
		return ""
	case isAI(got) && slices.ContainsFunc(want, isAI):
		return wrongConversation
	case isAI(got):
		return wrongAI
	case slices.ContainsFunc(want, isAI):
		return lostAI
	case got == byHuman:
		return wrongHuman
	default:
		return lostHuman
	}
}

// answer is what blame says of a line.
type answer struct {
	Commit       *string `json:"commit"`
	Line         int     `json:"line"`
	OriginalLine int     `json:"original_line"`
	OriginalPath string  `json:"original_path"`
	Content      string  `json:"content"`
	Contributor  string  `json:"contributor"`
	Session      string  `json:"session"`
	Evidence     string  `json:"evidence"`
	Confidence   string  `json:"confidence"`
	Patch        string  `json:"patch"`
	Previous     string  `json:"previous"`
	ToolCall     string  `json:"tool_call"`
	Candidates   []struct {
		Session string `json:"session"`
	} `json:"candidates"`

	doubts string // what is wrong with the rest of the answer if the owner is right
}

func (a *answer) who() string {
	if a.Contributor == "ai" || a.Contributor == "mixed" {
		return a.Session
	}
	return a.Contributor
}

// cautious tells whether an answer says no more than is known: nothing, or the writer among others.
func (a *answer) cautious(want []string) bool {
	if a.Contributor == "unknown" {
		return true
	}
	for _, c := range a.Candidates {
		if slices.Contains(want, c.Session) {
			return true
		}
	}
	return false
}

// blame asks the tool about a file: of a revision, or of the work tree when there is none.
func (w *world) blame(dir, rev, path string) ([]answer, error) {
	repo, err := refs.Discover(dir)
	if err != nil {
		return nil, err
	}
	args := []string{"--json"}
	if rev != "" {
		args = append(args, rev)
	}
	opts, err := gitblame.Parse(append(args, "--", path))
	if err != nil {
		return nil, err
	}
	evidence, reader, done, err := modelEvidence(repo)
	if err != nil {
		return nil, err
	}
	defer done()
	var out bytes.Buffer
	if err := blame.Run(context.Background(), repo, dir, opts, evidence, &out, blame.Style{}); err != nil {
		return nil, err
	}
	var parsed struct {
		Lines []answer `json:"lines"`
	}
	err = json.Unmarshal(out.Bytes(), &parsed)
	for i := range parsed.Lines {
		parsed.Lines[i].doubts = w.doubts(dir, &parsed.Lines[i], reader)
	}
	return parsed.Lines, err
}

// check compares the blame of every file of a revision, or of the work tree, with the model.
func (w *world) check(dir, rev string) []wrongLine {
	at := rev
	if at == "" {
		at = "HEAD"
	}
	list, born := w.ask(dir, "ls-tree", "-r", "-z", "--name-only", at)
	if !born {
		return nil
	}
	w.hearSessionFiles(dir)
	var out []wrongLine
	for path := range strings.SplitSeq(list, "\x00") {
		if info, err := os.Lstat(filepath.Join(dir, path)); path == "" || path[0] == '.' || rev == "" && (err != nil || !info.Mode().IsRegular()) {
			continue
		}
		answers, err := w.blame(dir, rev, path)
		if err != nil {
			w.must(fmt.Errorf("blame %s %s: %w", rev, path, err))
		}
		out = append(out, w.judge(dir, path, answers)...)
	}
	return out
}

// judge compares the answers about one file with the model.
func (w *world) judge(dir, path string, answers []answer) []wrongLine {
	lines := make([]string, len(answers))
	for i, a := range answers {
		lines[i] = a.Content
	}
	var out []wrongLine
	w.judged += len(lines)
	for i, want := range w.ledger.expect(lines) {
		class := classifyAnswer(want, answers[i].who())
		if w.profile.killed && answers[i].cautious(want) {
			continue
		}
		if class != "" && w.profile.unseen && answers[i].who() == byUnknown && w.ledger.unsupported(lines, i, answers, want) {
			continue
		}
		if class != "" && isCommon(lines[i]) {
			if other, is := w.elsewhere(dir, lines, answers[i]); is {
				want, class = other, classifyAnswer(other, answers[i].who())
			}
		}
		got := answers[i].who() + " (" + answers[i].Evidence + ")"
		if class == "" && answers[i].doubts != "" {
			class, got = wrongTestimony, got+": "+answers[i].doubts
		}
		if class == "" {
			continue
		}
		out = append(out, wrongLine{
			class: class, step: w.step, tree: dir, path: path, line: i + 1, text: lines[i], want: want, got: got,
		})
	}
	return out
}

// unsupported tells whether nothing beside a common line speaks for its writer: neither the line above its block nor
// the one below it is his, and of one of them nothing is known. Such a line, in a commit that no hook saw, may be
// anybody's.
func (l *writers) unsupported(lines []string, line int, answers []answer, want []string) bool {
	for _, b := range l.blocks(lines) {
		if line < b.first || b.last <= line {
			continue
		}
		unknown := false
		for _, beside := range []int{b.first - 1, b.last} {
			if beside < 0 || beside >= len(lines) {
				continue
			}
			if slices.Contains(want, l.words[bare(lines[beside])]) {
				return false
			}
			unknown = unknown || answers[beside].who() == byUnknown
		}
		return unknown
	}
	return false
}

// elsewhere tells whether git credits a common line to a commit in which it stood between other neighbours: it took
// this brace for another one. The owner is then that of the other one.
func (w *world) elsewhere(dir string, lines []string, a answer) (want []string, is bool) {
	if a.Commit == nil {
		return nil, false
	}
	then, ok := w.blob(dir, *a.Commit+":"+a.OriginalPath)
	if !ok || a.OriginalLine > len(then) {
		return nil, false
	}
	keyAt := func(lines []string, n int) string {
		for _, b := range w.ledger.blocks(lines) {
			if b.first <= n && n < b.last {
				return b.key
			}
		}
		return ""
	}
	if keyAt(lines, a.Line-1) == keyAt(then, a.OriginalLine-1) {
		return nil, false
	}
	return w.ledger.expect(then)[a.OriginalLine-1], true
}
