package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/driver"
	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// A formatter that the person put among the hooks of their client runs beside git-trace's own, and longer.
const formatterHooks = `{"hooks": {"PostToolUse": [{"matcher": "TOOLS", "hooks": [
	{"type": "command", "command": "sleep 0.7; sed -i \"s/'/\\\"/g; s/[^;]$/&;/\" a.js"}]}]}}
`

func TestAFormatterAmongClaudesHooksKeepsTheOwners(t *testing.T) {
	t.Parallel()
	r := newTraced(t, "claude", "--agent", "claude-code")
	r.onThePath("--agent", "claude-code")
	r.formatted(".claude/settings.json", "Edit|Write", "Read", "Edit", "main_t1_0")
}

// onThePath has the person find the client by its name, and begin anew: `init` looks which version it is.
func (r *traced) onThePath(options ...string) {
	r.t.Helper()
	bin := filepath.Join(testenv.TempDir(r.t), "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.Symlink(driver.Need(r.t, r.client), filepath.Join(bin, r.client)); err != nil {
		r.t.Fatal(err)
	}
	r.path = []string{bin}
	r.trace(append([]string{"init"}, options...)...)
}

func TestAFormatterAmongQwensHooksKeepsTheOwners(t *testing.T) {
	t.Parallel()
	r := newTraced(t, "qwen", "--agent", "qwen-code", "--global")
	r.formatted(".qwen/settings.json", "edit|write_file", "read_file", "edit", "main_t1_0")
}

// Gemini CLI has no event for the end of all hooks, and its session file has the result of a call before they ran. A
// person may have saved before its next call. Whoever gave the agent's line another form, it is the agent's.
func TestAFormatterAmongGeminisHooksKeepsTheOwners(t *testing.T) {
	t.Parallel()
	r := newTraced(t, "gemini", "--agent", "gemini-cli", "--global")
	r.formatted(".gemini/settings.json", "replace|write_file", "read_file", "replace", "main_t1_0")
}

// formatted has an agent edit a file that a person wrote, with a formatter among the hooks in a settings file of the
// project.
func (r *traced) formatted(settings, tools, read, edit, own string) {
	r.t.Helper()
	event, input := "PostToolUse", map[string]any{
		"file_path": "${REPO}/a.js", "old_string": "const a = 'x'\n", "new_string": "const a = 'x'\nconst own = 'of the agent'\n",
	}
	if r.client == "gemini" {
		event, input["instruction"] = "AfterTool", "one more line"
	}
	r.Write("a.js", "const a = 'x'\nconst b = 'y'\n")
	r.Write(settings, strings.NewReplacer("TOOLS", tools, "PostToolUse", event).Replace(formatterHooks))
	r.commitAll()
	file := map[string]any{"file_path": "${REPO}/a.js"}
	r.played(driver.Main(
		driver.Turn{Tools: []driver.Tool{{Name: read, Input: file}}},
		driver.Turn{Tools: []driver.Tool{{Name: edit, Input: input}}},
		driver.Turn{Text: "Done."},
	), driver.Options{})
	r.commitAll()
	r.want("a.js", `human | const a = "x";`, own+` | const own = "of the agent";`, `human | const b = "y";`)
}

// Codex has no event for the end of all hooks; its session file tells when the model was given the result, which waits for
// them. In code mode, and with other clients, nothing does.
func TestAFormatterAmongCodexHooksKeepsTheOwners(t *testing.T) {
	t.Parallel()
	r := newTraced(t, "codex", "--agent", "codex-cli", "--global")
	r.Write("a.js", "const a = 'x'\nconst b = 'y'\n")
	hooks := strings.NewReplacer("TOOLS", "apply_patch", "sleep 0.7;", `sleep 0.7; sed -i \"1i import z from 'z'\" a.js;`).Replace(formatterHooks)
	r.Write(".codex/hooks.json", hooks)
	r.commitAll()
	patch := "*** Begin Patch\n*** Update File: a.js\n@@\n const a = 'x'\n+const own = 'of the agent'\n const b = 'y'\n*** End Patch"
	turn := driver.Turn{Tools: []driver.Tool{{Name: "apply_patch", Custom: &patch}}}
	r.played(driver.Main(turn, driver.Turn{Text: "Done."}), driver.Options{})
	r.commitAll()
	r.want("a.js", `unknown | import z from "z";`, `human | const a = "x";`, `main_t0_0 | const own = "of the agent";`, `human | const b = "y";`)
}
