package pi_test

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/pi"
	"github.com/git-trace/git-trace/internal/testing/sessiontest"
)

func suite() sessiontest.Suite {
	return sessiontest.Suite{
		Agent: pi.New(capability.Env{Home: "/home/dev"}), Names: []string{"*.jsonl"}, Corpus: []string{"pi/*.jsonl"}, Plain: plain,
	}
}

func TestSessionsGiveTheirRecords(t *testing.T) {
	t.Parallel()
	suite().Golden(t)
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

func TestRealSessionsMayGrow(t *testing.T) {
	t.Parallel()
	suite().RealGrowing(t)
}

func FuzzSession(f *testing.F) { suite().Fuzz(f, "2026-03-02T09-00-00-000Z_fuzz.jsonl") }

// plain counts what a session says, line by line, with encoding/json.
func plain(t *testing.T, path string) sessiontest.Plain {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	p := sessiontest.Plain{Calls: map[string]bool{}, Results: map[string]bool{}}
	in := bufio.NewScanner(file)
	in.Buffer(nil, 64<<20)
	for in.Scan() {
		var line struct {
			Message struct {
				Role    string
				Call    string `json:"toolCallId"`
				Content json.RawMessage
				Usage   struct{ Input, Output, CacheRead, CacheWrite int64 }
			}
		}
		if err := json.Unmarshal(in.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		p.Objects++
		m := line.Message
		if m.Role == "toolResult" {
			p.Results[m.Call] = true
		}
		if m.Role != "assistant" {
			continue
		}
		p.Usage.InputTokens += m.Usage.Input
		p.Usage.OutputTokens += m.Usage.Output
		p.Usage.CacheReadTokens += m.Usage.CacheRead
		p.Usage.CacheWriteTokens += m.Usage.CacheWrite
		var blocks []struct{ Type, ID string }
		if json.Unmarshal(m.Content, &blocks) != nil {
			continue
		}
		for _, block := range blocks {
			if block.Type == "toolCall" {
				p.Calls[block.ID] = true
			}
		}
	}
	return p
}

func BenchmarkParseReal(b *testing.B) { suite().Bench(b) }
