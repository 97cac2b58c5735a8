package grok_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/grok"
	"github.com/git-trace/git-trace/internal/testing/sessiontest"
	"github.com/git-trace/git-trace/records"
)

// TestMain counts the sessions that the client wrote here: the corpus has none.
func TestMain(m *testing.M) {
	if err := os.Setenv("GITTRACE_CORPUS", suite().Sessions()); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func suite() sessiontest.Suite {
	return sessiontest.Suite{
		Agent: grok.New(capability.Env{Home: "/home/dev"}), Names: []string{"*a/updates.jsonl"},
		Corpus: []string{"*a/updates.jsonl"}, Plain: plain,
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

func TestWhatHoldsForEverySession(t *testing.T) {
	t.Parallel()
	suite().Invariants(t)
}

func TestFiguresOfSessions(t *testing.T) {
	t.Parallel()
	suite().Figures(t)
}

func FuzzSession(f *testing.F) { suite().Fuzz(f, "updates.jsonl") }

func TestSessionsAreFoundByTheirDirectory(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	if err := os.CopyFS(filepath.Join(home, ".grok", "sessions", "%2Fhome%2Fdev%2Fshop"), os.DirFS(suite().Sessions())); err != nil {
		t.Fatal(err)
	}
	agent := grok.New(capability.Env{Home: home})
	for place, want := range map[string]int{"": 1, "/home/dev/shop": 1, "/home/dev": 1, "/home/dev/other": 0} {
		found, err := agent.Discoverer.ProjectSessions(place, time.Time{})
		if err != nil || len(found) != want {
			t.Fatalf("in %q: %+v, %v", place, found, err)
		}
		if want > 0 && (found[0].Dir != "/home/dev/shop" || agent.Identifier.SessionID(found[0].Path) != found[0].ID) {
			t.Errorf("got %+v", found[0])
		}
	}
}

// plain counts what a session and its sub-agent say, update by update, with encoding/json. Only turns have tokens, which
// include those of the sub-agent; what is cached is a part of the input. An answer ends with a call, a prompt or the turn.
func plain(t *testing.T, path string) sessiontest.Plain {
	t.Helper()
	p := sessiontest.Plain{Calls: map[string]bool{}, Results: map[string]bool{}, NoUsage: true}
	for _, name := range []string{path, strings.Replace(path, "a/updates", "b/updates", 1)} {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		in := json.NewDecoder(file)
		for answer := ""; in.More(); {
			var line struct {
				Params struct {
					Update struct {
						Content json.RawMessage
						Kind    string `json:"sessionUpdate"`
						ID      string `json:"toolCallId"`
						Status  string
						Usage   struct{ InputTokens, OutputTokens, CachedReadTokens int64 }
					}
				}
			}
			if err := in.Decode(&line); err != nil {
				t.Fatal(err)
			}
			p.Objects++
			var said struct{ Text string }
			_ = json.Unmarshal(line.Params.Update.Content, &said) // of a call it is a list
			switch kind := line.Params.Update.Kind; {
			case kind == "agent_message_chunk":
				answer += said.Text
			case kind == "user_message_chunk" && name == path:
				p.Prompts = append(p.Prompts, said.Text)
			case (kind == "tool_call" || kind == "turn_completed") && answer != "":
				p.Answers, answer = append(p.Answers, answer), ""
			}
			switch update := line.Params.Update; {
			case update.Kind == "tool_call":
				p.Calls[update.ID] = true
			case update.Kind == "tool_call_update" && (update.Status == "completed" || update.Status == "failed"):
				p.Results[update.ID] = true
			case update.Kind == "turn_completed" && name == path:
				p.Usage.InputTokens += update.Usage.InputTokens - update.Usage.CachedReadTokens
				p.Usage.OutputTokens += update.Usage.OutputTokens
				p.Usage.CacheReadTokens += update.Usage.CachedReadTokens
			}
		}
		_ = file.Close()
	}
	return p
}

func TestTheTokensOfTurnsAreTheSessions(t *testing.T) {
	t.Parallel()
	s := suite()
	path := s.RealSessions(t)[0]
	record, _ := s.Parse(t, path, capability.ParseOptions{})
	m, want := record.Metrics, plain(t, path).Usage
	got := records.TokenUsage{
		InputTokens: m.TotalInputTokens, OutputTokens: m.TotalOutputTokens, CacheReadTokens: m.TotalCacheReadTokens,
		CacheWriteTokens: m.TotalCacheCreationTokens,
	}
	if got != want || want.CacheReadTokens == 0 {
		t.Errorf("got %+v, the turns have %+v", got, want)
	}
}
