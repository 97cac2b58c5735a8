package codexcli_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/codexcli"
	"github.com/git-trace/git-trace/internal/testing/sessiontest"
)

func suite() sessiontest.Suite {
	return sessiontest.Suite{
		Agent: codexcli.New(capability.Env{Home: "/home/dev"}), Names: []string{"*.jsonl"}, Corpus: []string{"codex/*.jsonl"}, Plain: plain,
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

func FuzzSession(f *testing.F) { suite().Fuzz(f, "rollout-2026-03-02T09-00-00-fuzz.jsonl") }

// plain counts what a rollout says, line by line, with encoding/json.
func plain(t *testing.T, path string) sessiontest.Plain {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	p := sessiontest.Plain{Calls: map[string]bool{}, Results: map[string]bool{}}
	type counts struct {
		Input  int64 `json:"input_tokens"`
		Cached int64 `json:"cached_input_tokens"`
		Output int64 `json:"output_tokens"`
	}
	var total counts
	in := bufio.NewScanner(file)
	in.Buffer(nil, 64<<20)
	offset := 0
	for ; in.Scan(); offset += len(in.Bytes()) + 1 {
		var line struct {
			Type    string
			Payload struct {
				Type, ID string
				Call     string `json:"call_id"`
				Info     struct {
					Total *counts `json:"total_token_usage"`
				}
			}
		}
		if json.Unmarshal(in.Bytes(), &line) != nil {
			t.Fatalf("the line at byte %d is broken", offset)
		}
		p.Objects++
		switch kind := line.Payload.Type; {
		case line.Type == "response_item" && strings.HasSuffix(kind, "_call"):
			id := line.Payload.Call
			if id == "" {
				id = line.Payload.ID
			}
			if kind == "web_search_call" {
				if id == "" {
					id = fmt.Sprintf("%s@%d", kind, offset)
				}
				p.Results[id] = true
			}
			p.Calls[id] = true
		case line.Type == "response_item" && strings.HasSuffix(kind, "_output"):
			p.Results[line.Payload.Call] = true
		case kind == "token_count" && line.Payload.Info.Total != nil:
			total = *line.Payload.Info.Total
		}
	}
	p.Usage.InputTokens, p.Usage.CacheReadTokens, p.Usage.OutputTokens = total.Input-total.Cached, total.Cached, total.Output
	return p
}

func BenchmarkParseReal(b *testing.B) { suite().Bench(b) }
