package claudecode_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/events"
)

// TestPayloadsCapturedFromTheClient runs over a directory of payloads that a real client sent, as a check of the
// fixtures.
func TestPayloadsCapturedFromTheClient(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("GITTRACE_CAPTURED")
	if dir == "" {
		t.Skip("GITTRACE_CAPTURED does not name a directory of captured payloads")
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no payloads in %s: %v", dir, err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var wrapped struct {
				Payload json.RawMessage `json:"payload"`
			}
			if err := json.Unmarshal(data, &wrapped); err != nil {
				t.Fatal(err)
			}
			if wrapped.Payload != nil {
				data = wrapped.Payload
			}
			got, err := decoder(nil).Decode(eventOf(name), data)
			if err != nil {
				t.Fatal(err)
			}
			if slices.Contains(decoder(nil).Events(), eventOf(name)) != (len(got) == 1) {
				t.Fatalf("got %d boundaries", len(got))
			}
			for _, b := range got {
				checkInvariants(t, b)
				checkCaptured(t, b, name)
			}
		})
	}
}

// checkInvariants holds for whatever the decoder accepts.
func checkInvariants(t *testing.T, b events.Boundary) {
	t.Helper()
	if b.Agent != "claude-code" || !payload.SessionID(b.Session) || b.Subagent != "" && !payload.SessionID(b.Subagent) {
		t.Errorf("envelope: %s", asJSON(t, b))
	}
	paths := []string{b.Cwd, b.Transcript}
	if b.Tool != nil {
		paths = slices.Concat(paths, b.Tool.Paths, b.Tool.Hints)
		if b.Tool.Class == events.ToolEdits != (len(b.Tool.Paths) == 1) || len(b.Tool.Hints) > 16 {
			t.Errorf("paths do not fit the class: %s", asJSON(t, b.Tool))
		}
		for _, edit := range b.Tool.Edits {
			paths = append(paths, edit.Path)
		}
	}
	for _, path := range paths {
		if path != "" && payload.AbsPath(path) != path {
			t.Errorf("%q is not a clean absolute path", path)
		}
	}
	kinds := []events.BoundaryKind{events.ToolBefore, events.ToolAfter, events.ToolFailed, events.ToolsEnd, events.ConsentAsked}
	if (b.Tool != nil) != slices.Contains(kinds, b.Kind) {
		t.Errorf("a tool at %s", b.Kind)
	}
}

func checkCaptured(t *testing.T, b events.Boundary, name string) {
	t.Helper()
	if b.Cwd == "" || b.Transcript == "" || strings.Contains(name, "in-subagent") && b.Subagent == "" {
		t.Errorf("fields are missing: %s", asJSON(t, b))
	}
	if b.Tool == nil {
		return
	}
	if b.Tool.CallID == "" && b.Kind != events.ConsentAsked || b.Tool.Class == events.ToolUnknown {
		t.Errorf("the call is not understood: %s", asJSON(t, b.Tool))
	}
	if b.Kind == events.ToolAfter && b.Tool.Class == events.ToolEdits {
		first, last := b.Tool.Edits[0], b.Tool.Edits[len(b.Tool.Edits)-1]
		if first.Before == nil || last.After == nil || *first.Before == *last.After {
			t.Errorf("contents are not known: %s", asJSON(t, b.Tool))
		}
	}
}

func FuzzDecode(f *testing.F) {
	paths, err := filepath.Glob(filepath.Join(fixtures, "*.json"))
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		f.Add(eventOf(name), fixture(f, name))
	}
	f.Add("PreToolUse", []byte("\xFF\xFE{\x00}\x00"))
	f.Add("PostToolUse", []byte(`{"session_id":"s","tool_name":"Edit","tool_input":{"file_path":"/a","edits":[{}]},`+
		`"tool_response":{"originalFile":"x"}}`))
	d := decoder(nil)
	f.Fuzz(func(t *testing.T, event string, data []byte) {
		got, err := d.Decode(event, data)
		if err != nil && len(got) != 0 {
			t.Errorf("boundaries beside the error %v", err)
		}
		for _, b := range got {
			checkInvariants(t, b)
		}
	})
}

// BenchmarkDecode decodes a write of 330 kB, three times in one payload.
func BenchmarkDecode(b *testing.B) {
	content := strings.Repeat("\tif err := run(\"x\"); err != nil {\n", 330_000/34)
	data, err := json.Marshal(map[string]any{
		"session_id": session, "cwd": project, "tool_name": "Write", "tool_use_id": callID,
		"tool_input":    map[string]any{"file_path": project + "/a.go", "content": content},
		"tool_response": map[string]any{"type": "update", "filePath": project + "/a.go", "content": content, "originalFile": content},
	})
	if err != nil {
		b.Fatal(err)
	}
	d := decoder(nil)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := d.Decode("PostToolUse", data); err != nil {
			b.Fatal(err)
		}
	}
}
