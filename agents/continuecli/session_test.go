package continuecli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/continuecli"
	"github.com/git-trace/git-trace/internal/testing/sessiontest"
)

func suite() sessiontest.Suite {
	return sessiontest.Suite{
		Agent: continuecli.New(capability.Env{Home: "/home/dev"}), Names: []string{"*.json"}, Corpus: []string{"continue/*.json"}, Plain: plain, Whole: true,
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

func TestWhatHoldsForEveryRealSession(t *testing.T) {
	t.Parallel()
	suite().Invariants(t)
}

func TestFiguresOfRealSessions(t *testing.T) {
	t.Parallel()
	suite().Figures(t)
}

func FuzzSession(f *testing.F) { suite().Fuzz(f, "fuzz.json") }

func TestSessionsAreFoundByTheirDirectory(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	dir := filepath.Join(home, ".continue", "sessions")
	if err := os.CopyFS(dir, os.DirFS(suite().Sessions())); err != nil {
		t.Fatal(err)
	}
	agent := continuecli.New(capability.Env{Home: home})
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

// plain counts what a session says, with encoding/json. Tokens are those of the whole session alone.
func plain(t *testing.T, path string) sessiontest.Plain {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]json.RawMessage
	var history []struct {
		Message struct{ ToolCalls []struct{ ID string } }
		States  []struct{ ToolCallID, Status string } `json:"toolCallStates"`
	}
	if err := json.Unmarshal(data, &members); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(members["history"], &history); err != nil {
		t.Fatal(err)
	}
	p := sessiontest.Plain{Calls: map[string]bool{}, Results: map[string]bool{}, NoUsage: true, Objects: len(members) - 1 + len(history)}
	for _, one := range history {
		for _, call := range one.Message.ToolCalls {
			p.Calls[call.ID] = true
		}
		for _, state := range one.States {
			p.Results[state.ToolCallID] = state.Status == "done"
		}
	}
	return p
}
