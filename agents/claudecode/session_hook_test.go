package claudecode_test

import (
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/records"
)

// What hooks said is kept, its beginning, and not more than a record should hold of it.
func TestWhatHooksSaidIsKept(t *testing.T) {
	t.Parallel()
	hook := func(fields map[string]any) string {
		fields["hookEvent"], fields["hookName"] = "PreToolUse", "PreToolUse:Bash"
		return line(t, map[string]any{"type": "attachment", "attachment": fields})
	}
	long := strings.Repeat("x", 700)
	lines := []string{
		typed(t, "go"),
		hook(map[string]any{"type": "hook_success", "content": "", "stdout": "checked\n", "stderr": "slow", "exitCode": 0}),
		hook(map[string]any{"type": "hook_additional_context", "content": []string{"read", "this"}}),
		hook(map[string]any{"type": "hook_blocking_error", "blockingError": map[string]any{"blockingError": "not here"}}),
		hook(map[string]any{"type": "hook_non_blocking_error", "stderr": long, "exitCode": 1}),
		line(t, map[string]any{"type": "system", "subtype": "stop_hook_summary", "hookCount": 2,
			"hookErrors": []string{"it broke"}}),
	}
	for range 200 {
		lines = append(lines, hook(map[string]any{"type": "hook_success", "stdout": long}))
	}
	record, _ := parse(t, save(t, lines...), capability.ParseOptions{})
	runs := record.Hooks()
	if len(runs) != 205 {
		t.Fatalf("%d runs of hooks", len(runs))
	}
	for i, want := range []string{"checked", "read\nthis", "not here", strings.Repeat("x", 500) + "…", "it broke"} {
		if runs[i].Output != want {
			t.Errorf("hook %d said %q, want %q", i, runs[i].Output, want)
		}
	}
	sum := 0
	for _, run := range runs {
		sum += len(run.Output)
	}
	if sum > 64<<10 || runs[len(runs)-1].Output != "" {
		t.Errorf("%d bytes of what hooks said are kept", sum)
	}
}

// What opentraces' hooks noted is kept by the call, without what is long; lines of another form are counted.
func TestTreesOfOtherHooksAreKept(t *testing.T) {
	t.Parallel()
	before, after := strings.Repeat("a1", 20), strings.Repeat("b2", 20)
	hook := func(event, call string, data map[string]any) string {
		if call != "" {
			data["tool_use_id"] = call
		}
		return line(t, map[string]any{"type": "opentraces_hook", "event": event, "data": data})
	}
	trail := func(root, tree string) map[string]any {
		return map[string]any{"worktree_root": root, "tree_id": map[string]any{"algo": "sha1", "hex": tree}}
	}
	lines := []string{
		typed(t, "go"),
		hook("PreToolUse", "c1", map[string]any{"tool": "Bash", "tool_input": map[string]any{"command": strings.Repeat("x", 5000)},
			"trail": trail("/r", before)}),
		hook("PostToolUse", "c1", map[string]any{"tool": "Bash", "tool_response": "said", "trail": trail("/r", after)}),
		hook("PreToolUse", "c2", map[string]any{"trail": trail("/r", before)}), // without an end
		hook("PreToolUse", "c3", map[string]any{"trail": trail("/r", before)}),
		hook("PostToolUse", "c3", map[string]any{"trail": trail("/elsewhere", after)}),
		hook("PreToolUse", "c4", map[string]any{"trail": trail("/r", "--output=x")}),
		hook("PostToolUse", "c4", map[string]any{"trail": trail("/r", after)}),
		hook("PreToolUse", "", map[string]any{"trail": trail("/r", before)}), // of no call
		line(t, map[string]any{"type": "opentraces_hook", "event": "PreToolUse", "data": "text"}),
		hook("PostCompact", "", map[string]any{"messages_removed": 4}),
		hook("Stop", "", map[string]any{"session_id": "s", "trail": trail("/r", after)}),
	}
	record, _ := parse(t, save(t, lines...), capability.ParseOptions{})
	trees := record.Trees()
	if got := trees["c1"]; len(trees) != 1 || got.Root != "/r" || got.Before.String() != before || got.After.String() != after {
		t.Errorf("trees %v", trees)
	}
	for member, want := range map[string]string{records.MetaHookStop: `"session_id":"s"`, records.MetaHookBefore: `"tool":"Bash"`} {
		if !strings.Contains(string(record.Metadata[member]), want) {
			t.Errorf("%s is %s", member, record.Metadata[member])
		}
	}
	for _, member := range []string{records.MetaHookBefore, records.MetaHookAfter} {
		if kept := string(record.Metadata[member]); len(kept) > 2000 || strings.Contains(kept, "said") {
			t.Errorf("%s is %s", member, kept)
		}
	}
	if skipped := string(record.Metadata["capture"]); !strings.Contains(skipped, `"opentraces_hook":3`) {
		t.Errorf("capture is %s", skipped)
	}
}
