package payload_test

import (
	"reflect"
	"testing"

	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/events"
)

func TestACallIsWhatItsToolCanDo(t *testing.T) {
	t.Parallel()
	tools := payload.Tools{{events.ToolEdits, []string{"write"}}, {events.ToolRuns, []string{"shell"}}, {events.ToolReads, []string{"read", "task"}}}
	edit := []events.DeclaredEdit{{New: "x"}}
	for name, test := range map[string]struct {
		call payload.Call
		want events.ToolUse
	}{
		"an edit is of the file that the tool is given": {
			payload.Call{ID: "1", Name: "write", Path: "a", Edits: edit},
			events.ToolUse{Name: "write", CallID: "1", Class: events.ToolEdits, Paths: []string{"/w/a"}, Edits: []events.DeclaredEdit{{Path: "/w/a", New: "x"}}},
		},
		"a patch names its own files": {
			payload.Call{ID: "1", Name: "write", Paths: []string{"/b"}, Edits: []events.DeclaredEdit{{Path: "/b", New: "x"}}},
			events.ToolUse{Name: "write", CallID: "1", Class: events.ToolEdits, Paths: []string{"/b"}, Edits: []events.DeclaredEdit{{Path: "/b", New: "x"}}},
		},
		"an edit of no file may write anywhere": {
			payload.Call{ID: "1", Name: "write", Edits: []events.DeclaredEdit{{New: "x"}}},
			events.ToolUse{Name: "write", CallID: "1", Class: events.ToolUnknown},
		},
		"a tool that nobody knows hints at its file": {
			payload.Call{ID: "1", Name: "mcp", Path: "a"},
			events.ToolUse{Name: "mcp", CallID: "1", Class: events.ToolUnknown, Hints: []string{"/w/a"}},
		},
		"a reader tells nothing": {
			payload.Call{ID: "1", Name: "task", Path: "a"}, events.ToolUse{Name: "task", CallID: "1", Class: events.ToolReads},
		},
		"a command runs in its directory": {
			payload.Call{ID: "1", Name: "shell", Command: "cd x", Dir: "d"},
			events.ToolUse{Name: "shell", CallID: "1", Class: events.ToolRuns, Hints: []string{"/w/d/x"}, Names: payload.Names("cd x", "/w/d", "/h")},
		},
	} {
		test.call.Class = tools.Class(test.call.Name)
		b := events.Boundary{Cwd: "/w"}
		if got := test.call.Describe(&b, "/h"); !reflect.DeepEqual(*got, test.want) || b.Limits != nil {
			t.Errorf("%s: %+v, want %+v; %v", name, *got, test.want, b.Limits)
		}
	}
}
