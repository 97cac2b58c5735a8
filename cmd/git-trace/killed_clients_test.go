package main

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/driver"
)

// shellTool is how a client names its shell and what it takes.
type shellTool struct {
	client  string
	options []string // of git trace init
	tool    string
	argument
	signals map[string]syscall.Signal
}

// argument makes the input of a shell tool.
type argument func(command string) map[string]any

// executes is that of Droid, which wants to be told how dangerous a command is.
func executes(command string) map[string]any {
	return map[string]any{"command": command, "summary": "go on", "riskLevel": "high", "riskLevelReason": "it writes", "timeout": 60}
}

// several is that of Cline, which takes several commands.
func several(command string) map[string]any { return map[string]any{"commands": []string{command}} }

func one(name string, more ...string) argument {
	return func(command string) map[string]any {
		input := map[string]any{name: command, "description": "go on"}
		for _, flag := range more {
			input[flag] = false
		}
		return input
	}
}

// deaths are how a client ends: killed, ended by its user's system, or with the terminal that it runs in.
var deaths = map[string]syscall.Signal{"KILL": syscall.SIGKILL, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP}

func shellTools() []shellTool {
	return []shellTool{
		{"claude", []string{"--agent", "claude-code"}, "Bash", one("command"), deaths},
		{"codex", []string{"--agent", "codex-cli", "--trust-hooks"}, "exec_command", one("cmd"), deaths},
		{"qwen", []string{"--agent", "qwen-code", "--global"}, "run_shell_command", one("command", "is_background"), deaths},
		{"gemini", []string{"--agent", "gemini-cli", "--global"}, "run_shell_command", one("command"), deaths},
		{"copilot", []string{"--agent", "copilot-cli", "--global"}, "bash", one("command"), deaths},
		{"pi", []string{"--agent", "pi", "--global"}, "bash", one("command"), deaths},
		{"opencode", []string{"--agent", "opencode"}, "bash", one("command"), deaths},
		{"amp", []string{"--agent", "amp"}, "Bash", one("cmd"), deaths},
		{"droid", []string{"--agent", "droid", "--global"}, "Execute", executes, nil},
		{"cline", []string{"--agent", "cline", "--global"}, "run_commands", several, nil},
	}
}

// A client that dies in a shell call calls no hook. What a person types from then on is theirs, or nobody's as long as
// it may have been the call's; it is never the call's.
func TestWhatIsTypedAfterAClientDiedIsNotItsCalls(t *testing.T) {
	t.Parallel()
	for _, c := range shellTools() {
		for name, signal := range c.signals {
			t.Run(c.client+" "+name, func(t *testing.T) {
				t.Parallel()
				if os.Getenv("GITTRACE_LONG") == "" && (c.client != "codex" || name == "TERM") && (c.client != "claude" || name != "KILL") {
					t.Skip("GITTRACE_LONG=1 runs it")
				}
				r := newTraced(t, c.client, c.options...)
				started := filepath.Join(r.Tmp, "started")
				input := c.argument("echo by-the-call > call.txt; touch " + started + "; sleep 20")
				script := driver.Main(driver.Turn{Tools: []driver.Tool{{Name: c.tool, Input: input}}})
				r.played(script, driver.Options{SignalOn: started, Signal: signal, AllowFailure: true, CheckTrust: c.client == "codex"})
				if _, err := os.Stat(started); err != nil {
					t.Fatal("the call never ran")
				}
				typed := func(line string, fine ...string) {
					t.Helper()
					r.Write("a.txt", r.Read("a.txt")+line+"\n")
					for _, moment := range []string{"before any hook", "committed"} {
						lines := r.blame("a.txt")
						if last := lines[len(lines)-1]; last.Content != line || !slices.Contains(fine, last.Contributor) {
							t.Errorf("%s: %q is %s, want %s", moment, last.Content, last.Contributor, fine)
						}
						if moment == "before any hook" {
							r.commitAll()
						}
					}
				}
				typed("first by hand", "unknown", "human")
				for _, l := range r.blame("call.txt") {
					if l.Contributor == "human" {
						t.Errorf("the call's line is a person's: %+v", l)
					}
				}
				typed("second by hand", "human")
				typed("third by hand", "human")
				r.trace("verify")
			})
		}
	}
}
