package openhands_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/openhands"
	"github.com/git-trace/git-trace/internal/testing/sessiontest"
)

func suite() sessiontest.Suite {
	return sessiontest.Suite{
		Agent: openhands.New(capability.Env{Home: "/home/dev"}), Names: []string{"*/base_state.json", "*.jsonl"},
		Corpus: []string{"openhands/*v1_events.jsonl"}, Plain: plain, Whole: true,
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

func FuzzSession(f *testing.F) { suite().Fuzz(f, "events.jsonl") }

func TestConversationsAreFoundByTheirDirectory(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	if err := os.CopyFS(filepath.Join(home, ".openhands", "conversations"), os.DirFS(suite().Sessions())); err != nil {
		t.Fatal(err)
	}
	agent := openhands.New(capability.Env{Home: home})
	for place, want := range map[string]int{"": 1, "/home/dev/shop": 1, "/home/dev/other": 0} {
		found, err := agent.Discoverer.ProjectSessions(place, time.Time{})
		if err != nil || len(found) != want {
			t.Fatalf("in %q: %+v, %v", place, found, err)
		}
		if want > 0 && (found[0].Dir != "/home/dev/shop" || found[0].ID != "0f0e0d0c-0b0a-4908-8706-050403020100") {
			t.Errorf("got %+v", found[0])
		}
	}
	if found, err := agent.Discoverer.ProjectSessions("", time.Now().Add(time.Hour)); err != nil || len(found) > 0 {
		t.Errorf("of the future: %+v, %v", found, err)
	}
}

// plain counts what a file of events says, with encoding/json. Of the sums of tokens the last ones that an answer came
// after count, and those that came after the last answer.
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
		var event struct {
			Kind  string
			Call  string `json:"tool_call_id"`
			Key   string
			Value json.RawMessage
		}
		if err := in.Decode(&event); err != nil {
			t.Fatal(err)
		}
		p.Objects++
		switch {
		case event.Kind == "ActionEvent":
			p.Calls[event.Call] = true
		case strings.Contains(event.Kind, "Observation"):
			p.Results[event.Call] = true
		case event.Key == "stats":
			var stats struct {
				Of map[string]struct {
					Sum struct {
						Prompt int64 `json:"prompt_tokens"`
						Output int64 `json:"completion_tokens"`
						Read   int64 `json:"cache_read_tokens"`
					} `json:"accumulated_token_usage"`
				} `json:"usage_to_metrics"`
			}
			if err := json.Unmarshal(event.Value, &stats); err != nil {
				t.Fatal(err)
			}
			sum := stats.Of["default"].Sum
			p.Usage.InputTokens, p.Usage.OutputTokens, p.Usage.CacheReadTokens = sum.Prompt-sum.Read, sum.Output, sum.Read
		}
	}
	return p
}

// The state of a conversation is told by the events beside it, also where it leaves out what agents mostly have.
func TestAStateIsToldByTheEventsBesideIt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	state := filepath.Join(dir, "base_state.json")
	head := []byte(`{"agent":{"llm":{"model":"m"}},"workspace":{}}`)
	identifier := openhands.New(capability.Env{}).Identifier
	if identifier.Recognises(state, head) {
		t.Error("without events: recognised")
	}
	if err := os.Mkdir(filepath.Join(dir, "events"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "events", "event-00000-e0.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if !identifier.Recognises(state, head) {
		t.Error("with events: not recognised")
	}
}
