package driver

import (
	"encoding/json"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

func TestCodexDoesWhatTheScriptSaysAndGoesOnWithTheSession(t *testing.T) {
	t.Parallel()
	repo, script := NewRepo(t), Load(t, "codex")
	first := RunCodex(t, repo, script, Options{})
	checkFiles(t, repo, map[string]string{
		"a.txt":       "line 1\nline 2 by patch\nline 3 by sed\nline 4 by patch\nline 5 by human\n",
		"greet.py":    "def greet(name):\n    print(\"hello\", name)\n",
		"b.py":        gone,
		"lib.py":      "def f():\n    return 2\n",
		"slow.txt":    "slow\n",
		"fast.txt":    "fast\n",
		"heredoc.txt": "by a here-document\n",
		"long.txt":    "one\ntwo\n",
		"log.txt":     "written before the failure\nafter the commit\n",
	})
	if first.Answer != "All done." || len(first.Transcripts) != 1 || len(first.Killed) > 0 {
		t.Errorf("answer %q, transcripts %q, left %q", first.Answer, first.Transcripts, first.Killed)
	}
	second := RunCodex(t, repo, script, Options{Prompt: "[[script:second]] go on", Args: []string{"resume", "--last"}})
	if second.Session != first.Session || second.Answer != "Second turn done." {
		t.Errorf("session %s of %s, answer %q", second.Session, first.Session, second.Answer)
	}
	checkFiles(t, repo, map[string]string{"log.txt": "written before the failure\nafter the commit\nsecond turn\n"})
}

func TestCodexRunsSubAgentsInParallel(t *testing.T) {
	t.Parallel()
	repo := NewRepo(t)
	res := RunCodex(t, repo, Load(t, "codex-subagents"), Options{Model: "gpt-6-sol"})
	checkFiles(t, repo, map[string]string{
		"a.txt":      "line 1 by A\nline 2 by A\nline 3\nline 4 by B\nline 5 by B\n",
		"main.txt":   "main\n",
		"only-a.txt": "A\n",
	})
	if len(res.Transcripts) != 3 {
		t.Errorf("transcripts are %q, want 3", res.Transcripts)
	}
}

func TestCodexRunsHooksThatAreTrustedOnly(t *testing.T) {
	t.Parallel()
	settings, err := json.Marshal(map[string]any{"hooks": map[string]any{"PostToolUse": []any{map[string]any{
		"matcher": "*",
		"hooks":   []any{map[string]any{"type": "command", "command": "cat > /dev/null; echo fired >> \"$HOME/hooks.log\"", "timeout": 30}},
	}}}})
	if err != nil {
		t.Fatal(err)
	}
	script := Main(Turn{Tools: []Tool{{Name: "exec_command", Input: map[string]any{"cmd": "echo x > x.txt"}}}}, Turn{})
	for check, fired := range map[bool]string{true: "", false: "fired\n"} {
		repo := NewRepo(t)
		RunCodex(t, repo, script, Options{Settings: settings, CheckTrust: check})
		log, err := os.ReadFile(filepath.Join(repo.Home, "hooks.log"))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if string(log) != fired {
			t.Errorf("with CheckTrust %v the hook noted %q", check, log)
		}
	}
}

func TestCodexRunsTheHooksOfTheProjectInASubdirectory(t *testing.T) {
	t.Parallel()
	repo := NewRepo(t)
	repo.Write("sub/keep.txt", "")
	repo.Write(".codex/hooks.json", `{"hooks":{"PreToolUse":[{"matcher":"*","hooks":[{"type":"command","command":"cat > /dev/null; pwd >> \"$HOME/hooks.log\""}]}]}}`)
	RunCodex(t, repo, Main(Turn{Tools: []Tool{{Name: "exec_command", Input: map[string]any{"cmd": "echo x > x.txt"}}}}, Turn{}), Options{Dir: "sub"})
	checkFiles(t, repo, map[string]string{"sub/x.txt": "x\n"})
	log, err := os.ReadFile(filepath.Join(repo.Home, "hooks.log"))
	if want := filepath.Join(repo.Dir, "sub") + "\n"; err != nil || string(log) != want {
		t.Errorf("hook noted %q (%v), want %q", log, err, want)
	}
}

func TestCodexStoppedByASignalLeavesNoProcess(t *testing.T) {
	t.Parallel()
	repo := NewRepo(t)
	begun := filepath.Join(repo.Tmp, "begun")
	res := RunCodex(t, repo, Main(Turn{Tools: []Tool{{Name: "exec_command", Input: map[string]any{
		"cmd": "echo half > half.txt; touch " + begun + "; sleep 60", "yield_time_ms": 30000,
	}}}}), Options{SignalOn: begun, Signal: syscall.SIGTERM, Linger: 100 * time.Millisecond, AllowFailure: true})
	if res.ExitCode == 0 || res.TimedOut || res.Session == "" {
		t.Errorf("exit code %d, timed out %v, session %q", res.ExitCode, res.TimedOut, res.Session)
	}
	checkFiles(t, repo, map[string]string{"half.txt": "half\n"})
	noneMarked(t, res)
}
