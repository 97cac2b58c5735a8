package droid_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/droid"
	"github.com/git-trace/git-trace/internal/testing/sessiontest"
)

func suite() sessiontest.Suite {
	return sessiontest.Suite{
		Agent: droid.New(capability.Env{Home: "/home/dev"}), Names: []string{"*.jsonl"}, Corpus: []string{"droid/*.jsonl"}, Plain: plain, Whole: false,
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

func TestSessionsAreFoundByTheirDirectory(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	dir := filepath.Join(home, ".factory", "sessions", "-home-dev-shop")
	if err := os.CopyFS(dir, os.DirFS(suite().Sessions())); err != nil {
		t.Fatal(err)
	}
	agent := droid.New(capability.Env{Home: home})
	for place, want := range map[string]int{"": 1, "/home/dev/shop": 1, "/home/dev": 1, "/home/dev/other": 0} {
		found, err := agent.Discoverer.ProjectSessions(place, time.Time{})
		if err != nil || len(found) != want {
			t.Fatalf("in %q: %+v, %v", place, found, err)
		}
		if want > 0 && (found[0].Dir != "/home/dev/shop" || agent.Identifier.SessionID(found[0].Path) != found[0].ID) {
			t.Errorf("got %+v", found[0])
		}
	}
	if found, err := agent.Discoverer.ProjectSessions("", time.Now().Add(time.Hour)); err != nil || len(found) > 0 {
		t.Errorf("of the future: %+v, %v", found, err)
	}
}

// plain counts what a session says, line by line, with encoding/json. Tokens are those of the whole session alone.
func plain(t *testing.T, path string) sessiontest.Plain {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	p := sessiontest.Plain{Calls: map[string]bool{}, Results: map[string]bool{}, NoUsage: true}
	in := json.NewDecoder(file)
	for in.More() {
		var line struct {
			Message struct{ Content json.RawMessage }
		}
		if err := in.Decode(&line); err != nil {
			t.Fatal(err)
		}
		p.Objects++
		var blocks []struct {
			Type, ID string
			Use      string `json:"tool_use_id"`
		}
		if json.Unmarshal(line.Message.Content, &blocks) != nil {
			continue
		}
		for _, block := range blocks {
			switch block.Type {
			case "tool_use":
				p.Calls[block.ID] = true
			case "tool_result":
				p.Results[block.Use] = true
			}
		}
	}
	return p
}
