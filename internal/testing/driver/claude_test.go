package driver

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

func TestClaudeDoesWhatTheScriptSays(t *testing.T) {
	t.Parallel()
	tests := []struct {
		script      string
		transcripts int
		want        map[string]string
	}{
		{"basic", 1, map[string]string{
			"a.txt":         "line 1\nline 2 by Edit\nline 3\nline 4 in parallel\nline 5\n",
			"b.py":          "def f(x):\n    return x + 1\n",
			"greet.py":      "def greet(name):\n    line = \"hello \" + name\n    print(line)\n    return line\n",
			"docs/guide.md": "# Guide\n\nCall greet.\n",
			"log.txt":       "from the shell\nwritten before the failure\n",
			"relative.txt":  "a relative path\n",
			"README.md":     "# scratch\n",
		}},
		{"shell", 1, map[string]string{
			"a.txt":          "line 1\nline 2 by sed\nline 3\nline 4 by patch\nline 5\n",
			"b.py":           gone,
			"lib/core.py":    "def f():\n    return 1\n\n",
			"lib/copy.py":    "def f():\n    return 1\n# end of copy\n",
			"lib/where.txt":  gone,
			"config.yml":     "name: demo\nport: 8080\nverbose: false\n",
			"order.txt":      "first\nsecond\nafter the background\n",
			"README.md":      gone,
			"docs.md":        "# scratch\n\nmoved and extended\n",
			"background.txt": "from the background\n",
		}},
		{"human", 1, map[string]string{
			"a.txt":     "line 1\nline 2\nline 3\nline 4\nline 5 by human\nline 6 by agent\n",
			"README.md": "# scratch\nread me first\n",
			"todo.txt":  "todo one\ntodo two\ntodo three by human\ntodo four by agent\n",
			"b.py":      "def f():\n    return 1\n# by human\n",
			"slow.txt":  "slow work done\n",
			"agent.txt": "written by agent\nlast words by human\n",
		}},
		{"subagents", 4, map[string]string{
			"a.txt":      "line 1 by A\nline 2 by A\nline 3\nline 4 by B\nline 5 by B\n",
			"b.py":       "def f():\n    return 3\n",
			"shared.txt": "A was here\nB was here\nmain while C works\nC was here\n",
			"only-a.txt": "A\n",
			"only-b.txt": "B\n",
			"main.txt":   "by the main agent\n",
		}},
		{"commit", 1, map[string]string{
			"lib.txt":   "one\ntwo, changed after the commit\nthree\nfour\nfive\n",
			"note.txt":  "note by human\n",
			"steps.txt": "step 1\nstep 2\nstep 3\nstep 4\nstep 5, not committed\nstep 6\nstep 7\nstep 8\nstep 9\nstep 10\n",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.script, func(t *testing.T) {
			t.Parallel()
			repo := NewRepo(t)
			res := RunClaude(t, repo, Load(t, tt.script), Options{})
			checkFiles(t, repo, tt.want)
			if len(res.Transcripts) != tt.transcripts {
				t.Errorf("transcripts are %q, want %d", res.Transcripts, tt.transcripts)
			}
			if len(res.Outbound) > 0 || len(res.Killed) > 0 {
				t.Errorf("asked for hosts %q, left processes %q", res.Outbound, res.Killed)
			}
			if tt.script == "commit" {
				if n := repo.Git("rev-list", "--count", "HEAD"); n != "14" {
					t.Errorf("%s commits, want 14", n)
				}
			}
		})
	}
}

func TestClaudeTranscriptHoldsTheToolIDsOfTheScript(t *testing.T) {
	t.Parallel()
	res := RunClaude(t, NewRepo(t), Main(
		Turn{Tools: []Tool{Bash("echo one > one.txt"), Bash("echo two > two.txt")}},
		Turn{Text: "Done."},
	), Options{})
	if res.Answer != "Done." || res.Session == "" || len(res.Transcripts) != 1 {
		t.Fatalf("answer %q, session %q, transcripts %q", res.Answer, res.Session, res.Transcripts)
	}
	data, err := os.ReadFile(res.Transcripts[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{`"toolu_main_t0_0_`, `"toolu_main_t0_1_`} {
		if !strings.Contains(string(data), id) {
			t.Errorf("no %s in the transcript", id)
		}
	}
}

func TestClaudeGoesOnWithASessionAndForksIt(t *testing.T) {
	t.Parallel()
	repo, script := NewRepo(t), Load(t, "human")
	first := RunClaude(t, repo, script, Options{})
	repo.Write("a.txt", "line 0 by human between the turns\n"+repo.Read("a.txt"))
	second := RunClaude(t, repo, script, Options{Prompt: "[[script:second]] go on", Args: []string{"--continue"}})
	if second.Session != first.Session {
		t.Errorf("--continue made session %s of %s", second.Session, first.Session)
	}
	want := "line 0 by human between the turns\nline 1\nline 2\nline 3 by human before the second turn works\n" +
		"line 4 by agent\nline 5 by human\nline 6 by agent\n"
	if got := repo.Read("a.txt"); got != want {
		t.Errorf("a.txt holds %q, want %q", got, want)
	}
	fork := RunClaude(t, repo, Main(Turn{Tools: []Tool{Bash("echo fork > fork.txt")}}, Turn{Text: "Forked."}),
		Options{Args: []string{"--resume", first.Session, "--fork-session"}})
	if fork.Session == first.Session || repo.Read("fork.txt") != "fork\n" {
		t.Errorf("fork of %s has session %s and wrote %q", first.Session, fork.Session, repo.Read("fork.txt"))
	}
}

func TestClaudeRunsTheHooksOfItsSettingsInASubdirectory(t *testing.T) {
	t.Parallel()
	repo := NewRepo(t)
	repo.Write("sub/keep.txt", "")
	bin := t.TempDir()
	// The hook finds its program in Options.Path and no credential but the test's own.
	program := "#!/bin/sh\n{ echo \"$1 $PWD $ANTHROPIC_API_KEY\"; cat > /dev/null; } >> \"$HOME/hooks.log\"\n"
	testenv.Program(t, filepath.Join(bin, "note-hook"), program)
	hook := func(event string) []any {
		return []any{map[string]any{"hooks": []any{map[string]any{"type": "command", "command": "note-hook " + event}}}}
	}
	settings, err := json.Marshal(map[string]any{"hooks": map[string]any{"PreToolUse": hook("before"), "PostToolUse": hook("after")}})
	if err != nil {
		t.Fatal(err)
	}
	RunClaude(t, repo, Main(Turn{Tools: []Tool{Write("here.txt", "here\n")}}, Turn{}),
		Options{Dir: "sub", Path: []string{bin}, Settings: settings})
	if got := repo.Read("sub/here.txt"); got != "here\n" {
		t.Errorf("sub/here.txt holds %q", got)
	}
	log, err := os.ReadFile(filepath.Join(repo.Home, "hooks.log"))
	if err != nil {
		t.Fatal(err)
	}
	sub := filepath.Join(repo.Dir, "sub")
	if want := "before " + sub + " test-key\nafter " + sub + " test-key\n"; string(log) != want {
		t.Errorf("hooks noted %q, want %q", log, want)
	}
}

func TestClaudeStoppedByASignalLeavesNoProcess(t *testing.T) {
	t.Parallel()
	repo := NewRepo(t)
	begun := filepath.Join(repo.Tmp, "begun")
	res := RunClaude(t, repo, Main(Turn{Tools: []Tool{Bash("echo half > half.txt; touch " + begun + "; sleep 60; echo never >> half.txt")}}),
		Options{SignalOn: begun, Signal: syscall.SIGKILL, Linger: 100 * time.Millisecond, AllowFailure: true})
	if res.ExitCode != -1 || res.TimedOut {
		t.Errorf("exit code %d, timed out %v", res.ExitCode, res.TimedOut)
	}
	if got := repo.Read("half.txt"); got != "half\n" {
		t.Errorf("half.txt holds %q", got)
	}
	if res.Session == "" {
		t.Error("the session of a killed client is not known")
	}
	noneMarked(t, res)
}

func TestDetachedWriterMayFinishWithinLinger(t *testing.T) {
	t.Parallel()
	repo := NewRepo(t)
	script := Main(Turn{Tools: []Tool{Bash("(sleep 0.5; echo late > late.txt) > /dev/null 2>&1 & echo started")}}, Turn{})
	RunClaude(t, repo, script, Options{Linger: 10 * time.Second})
	if got := repo.Read("late.txt"); got != "late\n" {
		t.Errorf("late.txt holds %q", got)
	}
	script = Main(Turn{Tools: []Tool{Bash("(sleep 60; echo late > too-late.txt) > /dev/null 2>&1 & echo started")}}, Turn{})
	res := RunClaude(t, repo, script, Options{Linger: 50 * time.Millisecond})
	if !slices.Contains(res.Killed, "sleep") {
		t.Errorf("killed %q, want the sleep among them", res.Killed)
	}
	noneMarked(t, res)
}
