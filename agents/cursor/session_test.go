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
	"github.com/git-trace/git-trace/records"
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

func database() sessiontest.Suite {
	return sessiontest.Suite{Agent: cursor.New(capability.Env{Home: "/home/dev"}), Names: []string{"*.vscdb"}, Whole: true, Refuses: true}
}

func TestChatsGiveTheirRecords(t *testing.T) {
	t.Parallel()
	database().Golden(t)
}

func TestADamagedDatabaseGivesASoundRecord(t *testing.T) {
	t.Parallel()
	database().Damaged(t)
}

func FuzzDatabase(f *testing.F) { database().Fuzz(f, "state.vscdb") }

func TestAnOlderChatHoldsItsMessages(t *testing.T) {
	t.Parallel()
	path := filepath.Join(database().Sessions(), "state.vscdb")
	r, parsed := database().Parse(t, path, capability.ParseOptions{Session: chatID + "e"})
	if r.SessionID != chatID+"e" || len(r.Steps) != 2 || *r.Steps[1].Content != "Hello." || parsed.Lost != 0 {
		t.Errorf("%s has %d steps, %d lost", r.SessionID, len(r.Steps), parsed.Lost)
	}
	if _, err := database().Agent.Parser.Parse(t.Context(), path, capability.ParseOptions{Session: "nobody"}, &records.Collector{}); err == nil {
		t.Error("a conversation that is not there is read")
	}
}

const chatID = "4f2a0000-0000-4000-8000-00000000000"

// Workspaces tell where a chat was held. One that has a transcript counts once, and one in which nothing was said does
// not count.
func TestChatsAreFoundByTheirWorkspace(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	user := filepath.Join(home, ".config", "Cursor", "User")
	put := func(from string, to ...string) {
		path := filepath.Join(to...)
		raw := []byte(from)
		if len(from) < 100 && filepath.Ext(from) != "" {
			var err error
			if raw, err = os.ReadFile(filepath.Join(suite().Sessions(), from)); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("state.vscdb", user, "globalStorage", "state.vscdb")
	put("workspace/state.vscdb", user, "workspaceStorage", "0a", "state.vscdb")
	put(`{"folder": "file:///home/dev/shop"}`, user, "workspaceStorage", "0a", "workspace.json")
	put(`{"folder": "file:///home/dev/empty"}`, user, "workspaceStorage", "0b", "workspace.json")
	transcript := chatID + "a.jsonl"
	put(transcript, home, ".cursor", "projects", "home-dev-shop", "agent-transcripts", chatID+"a", transcript)
	agent := cursor.New(capability.Env{Home: home})
	for place, want := range map[string][]string{"": {"e", "d", "a"}, "/home/dev/shop": {"d", "a"}, "/home/dev/empty": nil} {
		found, err := agent.Discoverer.ProjectSessions(place, time.Time{})
		if err != nil || len(found) != len(want) {
			t.Fatalf("in %q: %+v, %v", place, found, err)
		}
		for i, one := range found {
			if one.ID != chatID+want[i] || filepath.Ext(one.Path) == ".jsonl" != (want[i] == "a") {
				t.Errorf("in %q: %+v, want %s", place, one, want[i])
			}
			r, _ := suite().Parse(t, one.Path, capability.ParseOptions{Session: one.ID})
			if r.SessionID != one.ID {
				t.Errorf("%s is read as %s", one.ID, r.SessionID)
			}
		}
	}
	since := time.Now().Add(time.Hour)
	if found, err := agent.Discoverer.ProjectSessions("", since); err != nil || len(found) > 0 {
		t.Errorf("of the future: %+v, %v", found, err)
	}
}
