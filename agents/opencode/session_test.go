package opencode_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/opencode"
	"github.com/git-trace/git-trace/internal/testing/sessiontest"
	"github.com/git-trace/git-trace/records"
)

func suite() sessiontest.Suite {
	return sessiontest.Suite{
		Agent: opencode.New(capability.Env{Home: "/home/dev"}), Names: []string{"*.json", "opencode.db", "storage/session/*/*.json"},
		Corpus: []string{"opencode/*ses_*.json"}, Plain: plain, Whole: true, Refuses: true,
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

func FuzzSession(f *testing.F) { suite().Fuzz(f, "ses_fuzz.json") }

const (
	talk  = "ses_dffc1099cffexngj8kqgCqTGfQ"
	child = "ses_dffc0fc51ffe1tFVilrtnGQ5fP"
)

// The database, the folder of older versions and an export hold the same, so that they give the same record.
func TestASessionIsTheSameInEveryForm(t *testing.T) {
	t.Parallel()
	s := suite()
	var want []byte
	for _, path := range []string{talk + ".json", "opencode.db", filepath.Join("storage", "session", "shop", talk+".json")} {
		record, parsed := s.Parse(t, filepath.Join(s.Sessions(), path), capability.ParseOptions{Session: talk})
		if record.SessionID != talk || parsed.Lost > 0 {
			t.Fatalf("%s: session %s, %d lost", path, record.SessionID, parsed.Lost)
		}
		raw := sessiontest.Encode(t, record)
		if want == nil {
			want = raw
		}
		if !bytes.Equal(raw, want) {
			t.Errorf("%s gives\n%.3000s\nthe export\n%.3000s", path, raw, want)
		}
		if len(record.Steps) < 10 || record.Metadata["subagents"] == nil {
			t.Errorf("%s: %d steps", path, len(record.Steps))
		}
	}
}

func TestASessionOfADatabaseIsNamed(t *testing.T) {
	t.Parallel()
	s := suite()
	path := filepath.Join(s.Sessions(), "opencode.db")
	if record, _ := s.Parse(t, path, capability.ParseOptions{}); record.SessionID != talk {
		t.Errorf("without a name it is %s", record.SessionID)
	}
	if record, _ := s.Parse(t, path, capability.ParseOptions{Session: child}); record.SessionID != child || len(record.Steps) == 0 {
		t.Errorf("the subagent's is %s with %d steps", record.SessionID, len(record.Steps))
	}
	if _, err := s.Agent.Parser.Parse(t.Context(), path, capability.ParseOptions{Session: "ses_nobody"}, &records.Collector{}); err == nil {
		t.Error("a session that is not there is read")
	}
}

// A folder grows message by message; a session that was taken back is read anew.
func TestAFolderIsReadOnFromItsCursor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, "storage", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	say := func(id, role, text string, at string) {
		write("message/ses_1/"+id+".json", `{"role":"`+role+`","time":{"created":`+at+`},"modelID":"gpt-5","tokens":{"input":3,"output":2}}`)
		write("part/"+id+"/prt_1.json", `{"type":"text","text":"`+text+`"}`)
	}
	write("session/p/ses_1.json", `{"id":"ses_1","directory":"/home/dev/shop","version":"1.0"}`)
	path := filepath.Join(dir, "storage", "session", "p", "ses_1.json")
	say("msg_1", "user", "one", "1000")
	say("msg_2", "assistant", "first", "2000")
	say("msg_3", "user", "two", "3000")
	say("msg_4", "assistant", "second", "4000")
	s := suite()
	_, first := s.Parse(t, path, capability.ParseOptions{})
	say("msg_5", "assistant", "third", "5000")
	var more records.Collector
	more.Steps = make([]records.Step, 2)
	again, err := s.Agent.Parser.Parse(t.Context(), path, capability.ParseOptions{Cursor: first.Cursor}, &more)
	if err != nil || again.FirstStep != 3 || again.Lines != 3 || len(more.Steps) != 5 || *more.Steps[4].Content != "third" {
		t.Fatalf("read again: %+v, %v, %d steps", again, err, len(more.Steps))
	}
	whole, _ := s.Parse(t, path, capability.ParseOptions{})
	if whole.Metrics != again.Head.Metrics && *whole.Metrics.TotalDurationS != *again.Head.Metrics.TotalDurationS {
		t.Errorf("the sums are %+v, read at once %+v", again.Head.Metrics, whole.Metrics)
	}
	if err := os.Remove(filepath.Join(dir, "storage", "message", "ses_1", "msg_2.json")); err != nil {
		t.Fatal(err)
	}
	say("msg_1b", "assistant", "otherwise", "1500")
	if _, anew := s.Parse(t, path, capability.ParseOptions{Cursor: first.Cursor}); anew.FirstStep != 1 {
		t.Error("a session that went on otherwise is read on from the cursor")
	}
}

// plain counts what an export says, with encoding/json.
func plain(t *testing.T, path string) sessiontest.Plain {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Messages []struct {
			Info struct {
				Tokens struct {
					Input, Output, Reasoning int64
					Cache                    struct{ Read, Write int64 }
				}
			}
			Parts []struct {
				CallID string
				State  struct{ Status string }
			}
		}
	}
	if err := json.Unmarshal(data, &document); err != nil {
		t.Fatal(err)
	}
	p := sessiontest.Plain{Calls: map[string]bool{}, Results: map[string]bool{}, Objects: len(document.Messages) + 1}
	for _, m := range document.Messages {
		tokens := m.Info.Tokens
		p.Usage.InputTokens += tokens.Input
		p.Usage.OutputTokens += tokens.Output + tokens.Reasoning
		p.Usage.CacheReadTokens += tokens.Cache.Read
		p.Usage.CacheWriteTokens += tokens.Cache.Write
		for _, part := range m.Parts {
			if part.CallID != "" {
				p.Calls[part.CallID] = true
				p.Results[part.CallID] = part.State.Status == "completed" || part.State.Status == "error"
			}
		}
	}
	return p
}

func BenchmarkParseReal(b *testing.B) { suite().Bench(b) }
