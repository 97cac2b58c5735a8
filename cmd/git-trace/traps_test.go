package main

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/driver"
	"github.com/git-trace/git-trace/refs"
)

// hooked is a repository in which git-trace records, without an agent.
func hooked(t *testing.T) *traced {
	t.Helper()
	binary, err := buildOnce()
	if err != nil {
		t.Fatal(err)
	}
	r := &traced{Repo: driver.NewRepo(t), t: t, binary: binary}
	r.trace("init", "--agent", "codex-cli")
	t.Cleanup(func() { // what hooks have started in the background may still write there
		for range 100 {
			if os.RemoveAll(filepath.Join(r.Dir, ".git")) == nil {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
	})
	return r
}

// hook is the process that an agent starts for an event.
func (r *traced) hook(agent, event string, fields map[string]any) *exec.Cmd {
	r.t.Helper()
	payload := map[string]any{"session_id": "S1", "cwd": r.Dir}
	for key, value := range fields {
		payload[key] = value
	}
	raw, err := json.Marshal(payload)
	if err != nil {
		r.t.Fatal(err)
	}
	cmd := exec.CommandContext(r.t.Context(), r.binary, "hook", agent, event)
	cmd.Dir, cmd.Env, cmd.Stdin = r.Dir, r.Env(filepath.Dir(r.binary)), strings.NewReader(string(raw))
	return cmd
}

// Codex and Copilot wait until nobody holds the standard streams of a hook any more, whatever it has started.
func TestNothingThatAHookStartsHoldsItsStreams(t *testing.T) {
	t.Parallel()
	r := hooked(t)
	for _, event := range []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"} {
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd := r.hook("codex-cli", event, map[string]any{
			"prompt": "x", "tool_name": "Bash", "tool_use_id": "c", "tool_input": map[string]string{"command": "true"},
		})
		cmd.Stdout, cmd.Stderr = write, write
		if err := cmd.Run(); err != nil {
			t.Fatalf("%s: %v", event, err)
		}
		_ = write.Close()
		if err := read.SetReadDeadline(time.Now().Add(5 * time.Second)); err != nil {
			t.Fatal(err)
		}
		if said, err := io.ReadAll(read); err != nil || len(said) > 0 {
			t.Errorf("%s: after the hook its streams are still held, or it said %q: %v", event, said, err)
		}
		_ = read.Close()
	}
}

// Codex gives the hook of SessionEnd three seconds at most, Claude ten where the entry asks for them.
func TestAHookEndsInTimeWhileSomebodyHoldsTheTimeline(t *testing.T) {
	t.Parallel()
	r := hooked(t)
	if err := r.hook("codex-cli", "SessionStart", nil).Run(); err != nil {
		t.Fatal(err)
	}
	lock, err := refs.Flock(filepath.Join(r.Dir, ".git", "traces", "lock"), time.Second)
	if err != nil {
		t.Fatal(err)
	}
	cmd := r.hook("codex-cli", "SessionEnd", map[string]any{"reason": "other"})
	cmd.Env = append(cmd.Env, "GITTRACE_HOOK_SECONDS=2") // a user's limit; tests have more
	begun := time.Now()
	err = cmd.Run()
	took := time.Since(begun)
	lock.Unlock()
	if err != nil || took > 6*time.Second { // its own limit is two seconds; the rest is for a machine that is busy
		t.Errorf("the hook took %s: %v", took, err)
	}
	if strings.Contains(r.trace("events", "--json"), `"session_ended"`) {
		t.Fatal("the timeline was not held")
	}
	if err := r.hook("codex-cli", "SessionStart", map[string]any{"session_id": "S2"}).Run(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(r.trace("events", "--json"), `"session_ended"`) {
		t.Error("the end of the session was lost")
	}
}

// The file that Amp, Pi and OpenCode load into their own process must not disturb them, whatever became of git-trace.
func TestAgentsWorkOnWhenGitTraceIsGone(t *testing.T) {
	t.Parallel()
	for client, test := range map[string]struct{ agent, file, tool, path string }{
		"amp":      {"amp", ".config/amp/plugins/git-trace.ts", "create_file", "path"},
		"pi":       {"pi", ".pi/agent/extensions/git-trace.ts", "write", "path"},
		"opencode": {"opencode", ".config/opencode/plugin/git-trace.js", "write", "filePath"},
	} {
		t.Run(client, func(t *testing.T) {
			t.Parallel()
			r := newTraced(t, client, "--agent", test.agent, "--global")
			installed := filepath.Join(r.Home, test.file)
			raw, err := os.ReadFile(installed)
			if err != nil {
				t.Fatal(err)
			}
			moved := strings.ReplaceAll(string(raw), r.binary, filepath.Join(r.Tmp, "gone"))
			if moved == string(raw) {
				t.Fatalf("%s does not name the program", installed)
			}
			if err := os.WriteFile(installed, []byte(moved), 0o644); err != nil {
				t.Fatal(err)
			}
			input := map[string]any{test.path: filepath.Join(r.Dir, "x.txt"), "content": "x\n"}
			driver.Run(t, client, r.Repo, driver.Main(driver.Turn{Tools: []driver.Tool{{Name: test.tool, Input: input}}}, driver.Turn{}), driver.Options{})
			if r.Read("x.txt") != "x\n" {
				t.Error("the agent did not do its work")
			}
		})
	}
}
