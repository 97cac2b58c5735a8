package driver

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestEveryScriptOfTheProjectCanBeRead(t *testing.T) {
	t.Parallel()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(root, "testdata", "agent-scripts", "*.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scripts found (%v)", err)
	}
	for _, path := range paths {
		s := Load(t, strings.TrimSuffix(filepath.Base(path), ".json"))
		if len(s.Scripts["main"]) == 0 {
			t.Errorf("%s has no script main", path)
		}
	}
}

func TestScriptWithAMisspeltKeyIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{"scripts":{"main":[{"txt":"x"}]}}`, `{"scripts":{}}`, `{}`, `[]`, ``} {
		if s, err := ParseScript([]byte(text)); err == nil {
			t.Errorf("%s was read as %v", text, s)
		}
	}
}

func TestPositionIsReadFromTheLastMarkerOfTheHuman(t *testing.T) {
	t.Parallel()
	user := func(text string) string {
		data, _ := json.Marshal(map[string]any{"role": "user", "content": []any{map[string]any{"type": "text", "text": text}}})
		return string(data)
	}
	const assistant = `{"role":"assistant","content":[{"type":"tool_use","input":{"command":"[[script:tool]]"}}]}`
	const result = `{"role":"user","content":[{"type":"tool_result","text":"[[script:result]]","content":"[[script:result]]"}]}`
	tests := []struct {
		name     string
		messages []string
		script   string
		turn     int
	}{
		{"no marker", []string{user("hello"), assistant}, "", 1},
		{"content that is a plain string", []string{`{"role":"user","content":"[[script:a]]"}`}, "a", 0},
		{"turns are counted from the marker", []string{user("[[script:a]]"), assistant, result, assistant, result}, "a", 2},
		{"a later prompt begins another script", []string{user("[[script:a]]"), assistant, user("[[script:b]]")}, "b", 0},
		{"the same script can begin again", []string{user("[[script:a]]"), assistant, user("[[script:a]]"), assistant}, "a", 1},
		{"the last marker of one text counts", []string{user("[[script:a]] [[script:b]]")}, "b", 0},
		{"tool calls and results are not read", []string{user("[[script:a]]"), assistant, result}, "a", 1},
		{"text put in by the client is not read", []string{user("[[script:a]]"), assistant, user("<task-notification>[[script:b]]</task-notification>")}, "a", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			body := `{"messages":[` + strings.Join(tt.messages, ",") + `]}`
			pos, err := anthropic{}.locate([]byte(body), nil)
			if err != nil || pos.Script != tt.script || pos.Turn != tt.turn {
				t.Errorf("position is %s %d (%v), want %s %d", pos.Script, pos.Turn, err, tt.script, tt.turn)
			}
		})
	}
}

func TestPiecesJoinToTheText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "short", strings.Repeat("ä", 40), strings.Repeat("日本", 99)} {
		parts := pieces(text)
		if got := strings.Join(parts, ""); got != text || len(parts) == 0 {
			t.Errorf("pieces of %q join to %q", text, got)
		}
	}
}

func FuzzParseScript(f *testing.F) {
	f.Add([]byte(`{"scripts":{"main":[{"text":"x","tools":[{"name":"Bash","input":{"command":"ls ${REPO}"}}]}]}}`))
	f.Add([]byte(`{"scripts":{"a":[{"error":{"status":529,"body":{"x":1}},"repeat":true}]}}`))
	f.Add([]byte(`{"scripts":{"a":[{"tools":[{"name":"p","custom":"*** Begin"}]}]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ParseScript(data)
		if err != nil {
			return
		}
		same, err := s.expand(nil)
		if err != nil {
			t.Fatalf("what was read cannot be expanded: %v", err)
		}
		again, err := same.expand(nil)
		if err != nil || !reflect.DeepEqual(same, again) {
			t.Fatalf("expanding without variables changed the script (%v)", err)
		}
	})
}

func FuzzLocate(f *testing.F) {
	f.Add([]byte(`{"messages":[{"role":"user","content":"[[script:a]]"},{"role":"assistant","content":[]}]}`))
	f.Add([]byte(`{"messages":[{"role":"user","content":[{"type":"text","text":"[[script:a]]"}]},null,3,"x"]}`))
	f.Add([]byte(`{"input":[{"role":"user","content":"[[script:a]]"},{"type":"function_call","call_id":"call_a_t0_0_x"}]}`))
	f.Add([]byte(`{"input":"[[script:a]]"}`))
	f.Add([]byte(`{"contents":[{"role":"user","parts":[{"text":"[[script:a]]"}]},{"role":"model"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, d := range dialects() {
			pos, err := d.locate(data, http.Header{})
			if err == nil && pos.Turn < 0 {
				t.Fatalf("turn %d", pos.Turn)
			}
		}
	})
}
