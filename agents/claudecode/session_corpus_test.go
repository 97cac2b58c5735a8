package claudecode_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/sessiontest"
)

// plain is a second, simple reading of a session file: whole objects with encoding/json, nothing else.
func plain(t *testing.T, path string) sessiontest.Plain {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	p := sessiontest.Plain{Calls: map[string]bool{}, Results: map[string]bool{}}
	type usage struct {
		Input  int64 `json:"input_tokens"`
		Output int64 `json:"output_tokens"`
		Read   int64 `json:"cache_read_input_tokens"`
		Write  int64 `json:"cache_creation_input_tokens"`
	}
	last := map[string]usage{}
	in := bufio.NewReader(file)
	for {
		line, err := in.ReadBytes('\n')
		d := json.NewDecoder(bytes.NewReader(line))
		for d.More() {
			var raw json.RawMessage
			if d.Decode(&raw) != nil {
				break
			}
			if !bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) {
				continue
			}
			p.Objects++
			type talk struct {
				Type    string
				UUID    string
				Request string          `json:"requestId"`
				Message json.RawMessage `json:"message"`
			}
			var outer struct {
				talk
				Data struct {
					Type    string
					Message talk
				}
			}
			if json.Unmarshal(raw, &outer) != nil {
				continue
			}
			one := outer.talk
			if one.Type == "progress" && outer.Data.Type == "agent_progress" {
				one = outer.Data.Message
			}
			var message struct {
				ID      string
				Model   string
				Usage   *usage
				Content json.RawMessage
			}
			if one.Type != "user" && one.Type != "assistant" || json.Unmarshal(one.Message, &message) != nil {
				continue
			}
			if one.Type == "assistant" && message.Usage != nil && message.Model != "<synthetic>" {
				last[message.ID+"/"+one.Request] = *message.Usage
			}
			var blocks []struct {
				Type, ID string
				Use      string `json:"tool_use_id"`
			}
			_ = json.Unmarshal(message.Content, &blocks)
			for _, block := range blocks {
				switch block.Type {
				case "tool_use":
					p.Calls[block.ID] = true
				case "tool_result":
					p.Results[block.Use] = true
				}
			}
		}
		if err != nil {
			break
		}
	}
	for _, u := range last {
		p.Usage.OutputTokens += u.Output
		p.Usage.InputTokens += u.Input
		p.Usage.CacheReadTokens += u.Read
		p.Usage.CacheWriteTokens += u.Write
	}
	return p
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
