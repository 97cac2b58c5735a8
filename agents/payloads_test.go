package agents_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/events"
)

// fixtures are payloads that real clients sent while they worked on a script (TestRecordPayloads).
const fixtures = "../testdata/payloads"

func environment() agents.Env {
	return agents.Env{Home: "/home/dev", Now: func() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC) }}
}

// eventOf is the hook event that a fixture is named after: what stands before "~", or before a hyphen for agents whose
// events have none.
func eventOf(path string) string {
	event, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".json"), "~")
	if filepath.Base(filepath.Dir(path)) != "generic" {
		event, _, _ = strings.Cut(event, "-")
	}
	return event
}

// TestRecordedPayloadsBecomeTheseBoundaries compares what each payload is decoded to with boundaries.json beside the
// payloads, which GITTRACE_UPDATE=1 writes anew.
func TestRecordedPayloadsBecomeTheseBoundaries(t *testing.T) {
	t.Parallel()
	for _, agent := range agents.All(environment()) {
		paths := payloadsOf(t, filepath.Join(fixtures, agent.Name))
		if agent.Decoder == nil || agent.Name == "claude-code" || len(paths) == 0 {
			continue // its own package says what each of them means
		}
		t.Run(agent.Name, func(t *testing.T) {
			t.Parallel()
			got := map[string][]events.Boundary{}
			for _, path := range paths {
				data, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				boundaries, err := agent.Decoder.Decode(eventOf(path), data)
				if err != nil {
					t.Fatalf("%s: %v", path, err)
				}
				for _, b := range boundaries {
					checkBoundary(t, agent.Name, b)
				}
				got[strings.TrimSuffix(filepath.Base(path), ".json")] = boundaries
			}
			golden(t, filepath.Join(fixtures, agent.Name, "boundaries.golden"), got)
		})
	}
}

func payloadsOf(t testing.TB, dir string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

func golden(t *testing.T, path string, got any) {
	t.Helper()
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(got); err != nil {
		t.Fatal(err)
	}
	if os.Getenv("GITTRACE_UPDATE") != "" {
		if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), want) {
		t.Errorf("boundaries differ from %s:\n%s", path, out.String())
	}
}

// checkBoundary holds for whatever a decoder accepts.
func checkBoundary(t *testing.T, agent string, b events.Boundary) {
	t.Helper()
	if agent != "generic" && b.Agent != agent || !payload.SessionID(b.Session) || b.Subagent != "" && !payload.SessionID(b.Subagent) {
		t.Errorf("envelope: %+v", b)
	}
	paths := []string{b.Cwd, b.Transcript}
	if b.Tool != nil {
		paths = slices.Concat(paths, b.Tool.Paths, b.Tool.Hints)
		if (b.Tool.Class == events.ToolEdits) != (len(b.Tool.Paths) > 0) || len(b.Tool.Hints) > 16 {
			t.Errorf("paths do not fit the class: %+v", b.Tool)
		}
		for _, edit := range b.Tool.Edits {
			if !slices.Contains(b.Tool.Paths, edit.Path) {
				t.Errorf("a text for a path that is not declared: %+v", edit)
			}
		}
		if b.Tool.CallID == "" && b.Kind != events.ToolsEnd && !slices.Contains(b.Limits, events.LimitIDMissing) {
			t.Errorf("a call without an id is not marked: %+v", b)
		}
	}
	for _, path := range paths {
		if path != "" && payload.AbsPath(path) != path {
			t.Errorf("%q is not a clean absolute path", path)
		}
	}
	kinds := []events.BoundaryKind{events.ToolBefore, events.ToolAfter, events.ToolFailed, events.ToolsEnd, events.Completed, events.Saved}
	if b.Kind != events.ConsentAsked && (b.Tool != nil) != slices.Contains(kinds, b.Kind) {
		t.Errorf("tool %v at %s", b.Tool, b.Kind)
	}
}

// captured maps the directories of a reference recording, where there is one beside the repository, to agents.
var captured = map[string]string{
	"codex": "codex-cli", "copilot": "copilot-cli", "gemini": "gemini-cli", "qwen": "qwen-code",
}

func TestReferencePayloadsAreUnderstood(t *testing.T) {
	t.Parallel()
	for dir, name := range captured {
		agent, found := agents.Lookup(environment(), name)
		if !found || agent.Decoder == nil {
			continue
		}
		paths := payloadsOf(t, filepath.Join("..", "..", "shared", "agents", "captured", dir, "payloads"))
		if len(paths) == 0 {
			t.Skip("no reference recording beside the repository")
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var wrapped struct {
				Payload json.RawMessage `json:"payload"`
			}
			if json.Unmarshal(data, &wrapped) == nil && wrapped.Payload != nil {
				data = wrapped.Payload
			}
			event := eventOf(path)
			boundaries, err := agent.Decoder.Decode(event, data)
			if err != nil {
				t.Errorf("%s: %v", path, err)
			}
			// The end of an answer's calls is a boundary only where one of them edited a file, and Copilot CLI has another event
			// for the end of a turn than VS Code.
			if slices.Contains(agent.Decoder.Events(), event) && len(boundaries) != 1 && event != "PostToolBatch" && name+event != "copilot-cliStop" {
				t.Errorf("%s: %d boundaries", path, len(boundaries))
			}
			for _, b := range boundaries {
				checkBoundary(t, name, b)
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	all := agents.All(environment())
	for i, agent := range all {
		for _, path := range payloadsOf(f, filepath.Join(fixtures, agent.Name)) {
			data, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(i, eventOf(path), data)
		}
	}
	f.Fuzz(func(t *testing.T, which int, event string, data []byte) {
		if which < 0 || which >= len(all) || all[which].Decoder == nil {
			return
		}
		boundaries, err := all[which].Decoder.Decode(event, data)
		if err != nil && len(boundaries) != 0 {
			t.Errorf("boundaries beside the error %v", err)
		}
		for _, b := range boundaries {
			checkBoundary(t, all[which].Name, b)
		}
	})
}
