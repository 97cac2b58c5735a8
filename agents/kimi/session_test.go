package kimi_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/kimi"
	"github.com/git-trace/git-trace/internal/testing/sessiontest"
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
		Agent: kimi.New(capability.Env{Home: "/home/dev"}), Names: []string{"*/agents/main/*.jsonl"},
		Corpus: []string{"*/agents/main/*.jsonl"}, Plain: plain,
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

func FuzzSession(f *testing.F) { suite().Fuzz(f, "wire.jsonl") }

func TestSessionsAreFoundByTheirDirectory(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	if err := os.CopyFS(filepath.Join(home, ".kimi-code", "sessions", "wd_shop"), os.DirFS(suite().Sessions())); err != nil {
		t.Fatal(err)
	}
	agent := kimi.New(capability.Env{Home: home})
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

// plain counts what a session and its sub-agents say, record by record, with encoding/json. The texts are from the
// messages that the client reports to its surroundings, which the reader does not read.
func plain(t *testing.T, path string) sessiontest.Plain {
	t.Helper()
	p := sessiontest.Plain{Calls: map[string]bool{}, Results: map[string]bool{}}
	files, err := filepath.Glob(filepath.Join(filepath.Dir(path), "..", "*", "wire.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		in := json.NewDecoder(file)
		for in.More() {
			var line struct {
				Type  string
				Event struct {
					Type, ToolCallID string
					Usage            struct{ InputOther, Output, InputCacheRead, InputCacheCreation int64 }
				}
				Message struct {
					Message struct {
						Role    string
						Content []struct{ Type, Text string }
					}
					Meta struct{ Origin struct{ Kind string } }
				}
			}
			if err := in.Decode(&line); err != nil {
				t.Fatal(err)
			}
			p.Objects++
			if line.Type == "agent.message.appended" {
				text := ""
				for _, part := range line.Message.Message.Content {
					text += part.Text
				}
				switch role := line.Message.Message.Role; {
				case role == "user" && line.Message.Meta.Origin.Kind == "user":
					p.Prompts = append(p.Prompts, text)
				case role == "assistant" && text != "":
					p.Answers = append(p.Answers, text)
				}
			}
			switch line.Event.Type {
			case "tool.call":
				p.Calls[line.Event.ToolCallID] = true
			case "tool.result":
				p.Results[line.Event.ToolCallID] = true
			case "step.end":
				p.Usage.InputTokens += line.Event.Usage.InputOther
				p.Usage.OutputTokens += line.Event.Usage.Output
				p.Usage.CacheReadTokens += line.Event.Usage.InputCacheRead
				p.Usage.CacheWriteTokens += line.Event.Usage.InputCacheCreation
			}
		}
		_ = file.Close()
	}
	return p
}
