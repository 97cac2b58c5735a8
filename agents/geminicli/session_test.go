package geminicli_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/geminicli"
	"github.com/git-trace/git-trace/internal/testing/sessiontest"
)

func suite() sessiontest.Suite {
	return sessiontest.Suite{
		Agent: geminicli.New(capability.Env{Home: "/home/dev"}), Names: []string{"session-*.jsonl", "session-*.json"},
		Corpus: []string{"gemini-cli/*.json", "gemini-cli/*.jsonl"}, Plain: plain,
	}
}

func TestSessionsGiveTheirRecords(t *testing.T) {
	t.Parallel()
	suite().Golden(t)
}

func TestASessionThatGrowsGivesTheRecordOfOneReading(t *testing.T) {
	t.Parallel()
	lines := suite()
	lines.Names = []string{"session-*.jsonl"}
	lines.Growing(t)
}

func TestWhatHoldsForEveryRealSession(t *testing.T) {
	t.Parallel()
	suite().Invariants(t)
}

func TestFiguresOfRealSessions(t *testing.T) {
	t.Parallel()
	suite().Figures(t)
}

func FuzzSession(f *testing.F) { suite().Fuzz(f, "session-2026-03-02T09-00-fuzz.jsonl") }

type message struct {
	Type, ID string
	Tokens   *struct{ Input, Output, Cached, Thoughts, Tool int64 }
	Calls    []struct {
		ID     string
		Result json.RawMessage
	} `json:"toolCalls"`
}

// plain counts what a session says with encoding/json: the last of each message.
func plain(t *testing.T, path string) sessiontest.Plain {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p := sessiontest.Plain{Calls: map[string]bool{}, Results: map[string]bool{}}
	last := map[string]message{}
	if strings.HasSuffix(path, ".jsonl") {
		for line := range bytes.Lines(data) {
			var m message
			if err := json.Unmarshal(line, &m); err != nil {
				t.Fatal(err)
			}
			p.Objects++
			last[m.ID] = m
		}
	} else {
		var members map[string]json.RawMessage
		var document struct{ Messages []message }
		if json.Unmarshal(data, &members) != nil || json.Unmarshal(data, &document) != nil {
			t.Fatal("the document is broken")
		}
		p.Objects = len(members) - 1 + len(document.Messages)
		for _, m := range document.Messages {
			last[m.ID] = m
		}
	}
	for _, m := range last {
		for _, call := range m.Calls {
			p.Calls[call.ID] = true
			if len(call.Result) > 0 {
				p.Results[call.ID] = true
			}
		}
		if m.Tokens != nil {
			p.Usage.InputTokens += m.Tokens.Input + m.Tokens.Tool - m.Tokens.Cached
			p.Usage.CacheReadTokens += m.Tokens.Cached
			p.Usage.OutputTokens += m.Tokens.Output + m.Tokens.Thoughts
		}
	}
	return p
}

func BenchmarkParseReal(b *testing.B) { suite().Bench(b) }
