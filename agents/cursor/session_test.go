package cursor_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/cursor"
	"github.com/git-trace/git-trace/internal/testing/sessiontest"
)

func suite() sessiontest.Suite {
	return sessiontest.Suite{
		Agent: cursor.New(capability.Env{Home: "/home/dev"}), Names: []string{"*.jsonl"}, Corpus: []string{"cursor/*.jsonl"},
		Plain: plain,
	}
}

func TestSessionsGiveTheirRecords(t *testing.T) {
	t.Parallel()
	suite().Golden(t)
}

func TestADamagedSessionGivesASoundRecord(t *testing.T) {
	t.Parallel()
	suite().Damaged(t)
}

func TestASessionThatGrowsGivesTheRecordOfOneReading(t *testing.T) {
	t.Parallel()
	suite().Growing(t)
}

func TestWhatHoldsForEveryRealSession(t *testing.T) {
	t.Parallel()
	suite().Invariants(t)
}

func TestFiguresOfRealSessions(t *testing.T) {
	t.Parallel()
	suite().Figures(t)
}

func FuzzSession(f *testing.F) { suite().Fuzz(f, "fuzz.jsonl") }

// plain counts what a transcript says. Its calls have no ids: they are numbered, and only edits count as made.
func plain(t *testing.T, path string) sessiontest.Plain {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	p := sessiontest.Plain{Calls: map[string]bool{}, Results: map[string]bool{}}
	in := json.NewDecoder(file)
	for in.More() {
		var line struct {
			Message struct{ Content []struct{ Type, Name string } }
		}
		if err := in.Decode(&line); err != nil {
			t.Fatal(err)
		}
		p.Objects++
		for _, block := range line.Message.Content {
			if block.Type == "tool_use" {
				id := "call_" + strconv.Itoa(len(p.Calls)+1)
				p.Calls[id], p.Results[id] = true, block.Name == "Write" || block.Name == "StrReplace"
			}
		}
	}
	return p
}

func TestTranscriptsAreFoundByTheNameOfTheirDirectory(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	dir := filepath.Join(home, ".cursor", "projects", "home-dev-my-shop", "agent-transcripts", "4f2a0000-0000-4000-8000-00000000000a")
	if err := os.CopyFS(dir, os.DirFS(suite().Sessions())); err != nil {
		t.Fatal(err)
	}
	agent := cursor.New(capability.Env{Home: home})
	for place, want := range map[string]string{"": "", "/home/dev/my_shop": "/home/dev/my_shop", "/home/dev": "none"} {
		found, err := agent.Discoverer.ProjectSessions(place, time.Time{})
		if err != nil || (len(found) == 1) == (want == "none") {
			t.Fatalf("in %q: %+v, %v", place, found, err)
		}
		if len(found) == 1 && (found[0].Dir != want || found[0].ID != "4f2a0000-0000-4000-8000-00000000000a") {
			t.Errorf("in %q: %+v", place, found[0])
		}
	}
}
