package copilotcli_test

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/copilotcli"
	"github.com/git-trace/git-trace/internal/testing/sessiontest"
)

func suite() sessiontest.Suite {
	return sessiontest.Suite{
		Agent: copilotcli.New(capability.Env{Home: "/home/dev"}), Names: []string{"*/events.jsonl"},
		Corpus: []string{"copilot-cli/*.jsonl"}, Plain: plain,
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

func FuzzSession(f *testing.F) { suite().Fuzz(f, "events.jsonl") }

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
			Type string
			Data struct {
				Call     string `json:"toolCallId"`
				Requests []struct {
					Call string `json:"toolCallId"`
				} `json:"toolRequests"`
				Usage struct{ InputTokens, OutputTokens, CacheReadTokens, CacheWriteTokens int64 }
			}
		}
		if err := json.Unmarshal(in.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		p.Objects++
		for _, request := range line.Data.Requests {
			p.Calls[request.Call] = true
		}
		if line.Type == "tool.execution_complete" {
			p.Results[line.Data.Call] = true
		}
		u := line.Data.Usage
		p.Usage.InputTokens += u.InputTokens - u.CacheReadTokens - u.CacheWriteTokens
		p.Usage.OutputTokens += u.OutputTokens
		p.Usage.CacheReadTokens += u.CacheReadTokens
		p.Usage.CacheWriteTokens += u.CacheWriteTokens
	}
	return p
}
