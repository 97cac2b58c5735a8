package aider_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/agents/aider"
	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/internal/testing/sessiontest"
	"github.com/git-trace/git-trace/records"
)

func suite() sessiontest.Suite {
	return sessiontest.Suite{
		Agent: aider.New(capability.Env{}), Names: []string{"*.md"}, Corpus: []string{"aider/*.md"}, Pieces: pieces,
		Plain: plain, Whole: true, Refuses: true,
	}
}

func TestSessionsGiveTheirRecords(t *testing.T) {
	t.Parallel()
	suite().Golden(t)
}

func TestWhatHoldsForEveryRealSession(t *testing.T) {
	t.Parallel()
	suite().Invariants(t)
}

func TestFiguresOfRealSessions(t *testing.T) {
	t.Parallel()
	suite().Figures(t)
}

func TestADamagedSessionGivesASoundRecord(t *testing.T) {
	t.Parallel()
	suite().Damaged(t)
}

func FuzzSession(f *testing.F) { suite().Fuzz(f, "history.md") }

func BenchmarkParseReal(b *testing.B) { suite().Bench(b) }

// pieces cuts a history into files of one conversation each.
func pieces(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var files []string
	for i, piece := range strings.Split("\n"+string(data), "\n# aider chat started at ")[1:] {
		name := filepath.Join(dir, fmt.Sprintf("%02d.md", i))
		if err := os.WriteFile(name, []byte("\n# aider chat started at "+piece+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, name)
	}
	return files
}

var (
	tokens = regexp.MustCompile(`(?m)^> Tokens: ([0-9,.]+)(k?) sent, ([0-9,.]+)(k?) received`)
)

// plain counts what a conversation says: blocks by their first lines, edits by their marks.
func plain(t *testing.T, path string) sessiontest.Plain {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p := sessiontest.Plain{Calls: map[string]bool{}, Results: map[string]bool{}, NoCalls: true}
	before := ""
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		kind := "answer"
		switch {
		case strings.HasPrefix(line, "# aider chat started at "):
			kind = "heading"
		case strings.HasPrefix(line, "#### ") && (strings.HasSuffix(line, "  ") || before == "prompt"):
			kind = "prompt"
		case (strings.HasPrefix(line, "> ") || line == ">") && (strings.HasSuffix(line, "  ") || before == "tool"):
			kind = "tool"
		case strings.TrimSpace(line) == "" && before != "answer":
			kind = ""
		}
		if kind != before && kind != "" {
			p.Objects++
		}
		before = kind
	}
	for _, m := range tokens.FindAllStringSubmatch(string(data), -1) {
		p.Usage.InputTokens += plainCount(t, m[1], m[2])
		p.Usage.OutputTokens += plainCount(t, m[3], m[4])
	}
	return p
}

func plainCount(t *testing.T, number, thousands string) int64 {
	t.Helper()
	f, err := strconv.ParseFloat(strings.ReplaceAll(number, ",", ""), 64)
	if err != nil {
		t.Fatal(err)
	}
	if thousands != "" {
		f *= 1000
	}
	return int64(f + 0.5)
}

// Every edit that the real history says was applied is an edit of the record, and every commit is in it.
func TestEveryAppliedEditAndEveryCommitIsInTheRecord(t *testing.T) {
	t.Parallel()
	s := suite()
	edits, commits := 0, 0
	for _, path := range s.RealSessions(t) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sink := &edited{}
		parsed, err := s.Agent.Parser.Parse(t.Context(), path, capability.ParseOptions{}, sink)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			if path, found := strings.CutPrefix(strings.TrimRight(line, " \n"), "> Applied edit to "); found {
				edits++
				if !sink.paths[path] {
					t.Errorf("%s: the edit of %s is lost", parsed.Head.SessionID, path)
				}
			}
			if m := regexp.MustCompile(`^> Commit ([0-9a-f]{7}) `).FindStringSubmatch(line); m != nil {
				commits++
				known := string(parsed.Head.Metadata["commits"]) + string(parsed.Head.Metadata["other_commits"])
				if !strings.Contains(known, m[1]) {
					t.Errorf("%s: commit %s is lost", parsed.Head.SessionID, m[1])
				}
			}
		}
	}
	if edits < 30 || commits < 30 {
		t.Errorf("%d edits and %d commits were looked at", edits, commits)
	}
}

// edited keeps the paths that were written.
type edited struct {
	records.Collector
	paths map[string]bool
}

func (e *edited) Edited(one records.Edited) {
	if e.paths == nil {
		e.paths = map[string]bool{}
	}
	e.paths[one.Path] = true
}

func TestAHistoryHoldsSeveralConversations(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, ".aider.chat.history.md")
	history := "\n# aider chat started at 2026-05-16 09:00:00\n\n#### one  \n\n# aider chat started at 2026-05-16 09:00:00\n\n#### two  \n"
	if err := os.WriteFile(path, []byte(history), 0o600); err != nil {
		t.Fatal(err)
	}
	agent := aider.New(capability.Env{})
	found, err := agent.Discoverer.ProjectSessions(dir, time.Time{})
	if err != nil || len(found) != 2 || found[0].ID != "2026-05-16T09-00-00" || found[1].ID != "2026-05-16T09-00-00.2" ||
		found[0].Dir != dir {
		t.Fatalf("got %+v, %v", found, err)
	}
	for i, want := range []string{"one", "two"} {
		var steps records.Collector
		parsed, err := agent.Parser.Parse(t.Context(), path, capability.ParseOptions{Session: found[i].ID}, &steps)
		if err != nil || len(steps.Steps) != 1 || *steps.Steps[0].Content != want || parsed.Head.SessionID != found[i].ID {
			t.Errorf("%s: got %+v, %v", want, steps.Steps, err)
		}
	}
	if found, err := agent.Discoverer.ProjectSessions(dir, time.Now().Add(time.Hour)); len(found) > 0 || err != nil {
		t.Errorf("of the future: %v, %v", found, err)
	}
	if _, err := agent.Parser.Parse(t.Context(), path, capability.ParseOptions{Session: "2020-01-01T00-00-00"}, &records.Collector{}); err == nil {
		t.Error("a conversation that is not there is read")
	}
}
