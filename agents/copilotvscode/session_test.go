package copilotvscode_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/copilotvscode"
	"github.com/git-trace/git-trace/internal/testing/sessiontest"
)

func suite() sessiontest.Suite {
	return sessiontest.Suite{
		Agent: copilotvscode.New(capability.Env{Home: "/home/dev"}), Names: []string{"*.json", "*.jsonl"},
		Corpus: []string{"copilot-vscode/*"}, Plain: plain, Whole: true,
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

func TestATranscriptThatGrowsGivesTheRecordOfOneReading(t *testing.T) {
	t.Parallel()
	grows := suite()
	grows.Names, grows.Whole = []string{"5fcddc54*.jsonl"}, false
	grows.Growing(t)
	grows.Damaged(t)
}

func TestWhatHoldsForEveryRealSession(t *testing.T) {
	t.Parallel()
	suite().Invariants(t)
}

func TestFiguresOfRealSessions(t *testing.T) {
	t.Parallel()
	suite().Figures(t)
}

func FuzzChat(f *testing.F) { suite().Fuzz(f, "fuzz.json") }

// plain counts what a chat says, with encoding/json: of a document its members and requests, of a journal what it was
// begun with and what was added to its requests, of a transcript its events.
func plain(t *testing.T, path string) sessiontest.Plain {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p := sessiontest.Plain{Calls: map[string]bool{}, Results: map[string]bool{}}
	var members map[string]json.RawMessage
	if json.Unmarshal(data, &members) == nil && members["requests"] != nil {
		p.Objects = len(members) - 1
		plainRequests(t, &p, members["requests"])
		return p
	}
	in := json.NewDecoder(strings.NewReader(string(data)))
	for in.More() {
		var line struct {
			Type string
			Kind *int
			K    []any
			V    json.RawMessage
			Data struct {
				ToolCallID   string
				ToolRequests []struct{ ToolCallID string }
			}
		}
		if err := in.Decode(&line); err != nil {
			t.Fatal(err)
		}
		switch {
		case line.Type != "":
			p.Objects++
			for _, call := range line.Data.ToolRequests {
				p.Calls[call.ToolCallID] = true
			}
			if line.Type == "tool.execution_complete" {
				p.Results[line.Data.ToolCallID] = true
			}
		case *line.Kind == 0:
			p.Objects++
			if err := json.Unmarshal(line.V, &members); err != nil {
				t.Fatal(err)
			}
			plainRequests(t, &p, members["requests"])
		case *line.Kind == 2 && line.K[0] == "requests":
			plainRequests(t, &p, line.V)
		}
	}
	return p
}

func plainRequests(t *testing.T, p *sessiontest.Plain, raw json.RawMessage) {
	t.Helper()
	var requests []struct {
		Response []struct{ Kind, ToolCallID string }
		Result   struct {
			Metadata struct {
				ToolCallRounds  []struct{ ToolCalls []struct{ ID string } }
				ToolCallResults map[string]any
			}
		}
	}
	if err := json.Unmarshal(raw, &requests); err != nil {
		t.Fatal(err)
	}
	p.Objects += len(requests)
	for _, r := range requests {
		for _, round := range r.Result.Metadata.ToolCallRounds {
			for _, call := range round.ToolCalls {
				p.Calls[call.ID] = true
			}
		}
		for id := range r.Result.Metadata.ToolCallResults {
			p.Results[id] = true
		}
		if len(r.Result.Metadata.ToolCallRounds) > 0 {
			continue
		}
		for _, part := range r.Response {
			if part.Kind == "toolInvocationSerialized" {
				p.Calls[part.ToolCallID], p.Results[part.ToolCallID] = true, true
			}
		}
	}
}

func TestChatsAreFoundByTheirWorkspace(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	workspace := filepath.Join(home, ".config", "Code", "User", "workspaceStorage", "0a1b")
	if err := os.CopyFS(filepath.Join(workspace, "chatSessions"), os.DirFS(suite().Sessions())); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"331fed7f-0000-4000-8000-00000000000a.jsonl", "9999.jsonl"} { // the first is a chat, too
		path := filepath.Join(workspace, "GitHub.copilot-chat", "transcripts", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("{}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(workspace, "workspace.json"), []byte(`{"folder":"file:///home/dev/my%20shop"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	agent := copilotvscode.New(capability.Env{Home: home})
	for place, want := range map[string]int{"": 4, "/home/dev/my shop": 4, "/home/dev/other": 0} {
		found, err := agent.Discoverer.ProjectSessions(place, time.Time{})
		n := 0
		for _, one := range found {
			if strings.HasSuffix(one.Path, ".record.json") {
				continue
			}
			if n++; one.Dir != "/home/dev/my shop" {
				t.Errorf("got %+v", one)
			}
		}
		if err != nil || n != want {
			t.Errorf("in %q: %d, %v", place, n, err)
		}
	}
}
