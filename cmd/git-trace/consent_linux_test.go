package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// asked is `git trace init` of the hooks of Codex, at a terminal where somebody types an answer.
type asked struct {
	home, dir string
	env       []string
}

func newAsked(t *testing.T) *asked {
	t.Helper()
	home := testenv.TempDir(t)
	return &asked{home: home, dir: newScreenRepo(t), env: []string{
		"HOME=" + home, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "TERM=xterm",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=trace.summary", "GIT_CONFIG_VALUE_0=false", // the other question
	}}
}

func (a *asked) command(args ...string) *exec.Cmd {
	cmd := exec.Command("git-trace", args...)
	cmd.Dir, cmd.Env = a.dir, a.env
	return cmd
}

// types runs a command at a terminal on which the keys were pressed already, and returns what it shows.
func (a *asked) types(t *testing.T, keys string, args ...string) string {
	t.Helper()
	terminal, person := openPair(t, 200)
	if _, err := person.WriteString(keys); err != nil {
		t.Fatal(err)
	}
	shown := watchTerminal(terminal, person)
	cmd := a.command(args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, terminal, terminal
	err := cmd.Run()
	text := shown()
	if err != nil {
		t.Fatalf("git-trace %v: %v: %s", args, err, text)
	}
	return text
}

// trusted is what the configuration of Codex says of hooks.
func (a *asked) trusted(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(a.home, ".codex", "config.toml"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return string(raw)
}

func TestConsentToTheHooksOfCodexIsAskedForAtATerminal(t *testing.T) {
	t.Parallel()
	const question = "allow them? [y/N]"
	for _, yes := range []string{"y\n", "Yes\n"} {
		a := newAsked(t)
		shown := a.types(t, yes, "init", "--agent", "codex-cli", "--global")
		if !strings.Contains(shown, question) || strings.Count(a.trusted(t), "trusted_hash") != 12 {
			t.Errorf("after %q: shown is\n%s\nconfig.toml is %q", yes, shown, a.trusted(t))
		}
		if out, err := a.command("doctor").CombinedOutput(); err != nil || !strings.Contains(string(out), "codex-cli traced") {
			t.Errorf("after %q doctor says %s, %v", yes, out, err)
		}
		if shown := a.types(t, "n\n", "init", "--agent", "codex-cli", "--global"); strings.Contains(shown, question) {
			t.Errorf("somebody who has consented is asked again:\n%s", shown)
		}
	}
	for _, no := range []string{"n\n", "\n", "\x04", "perhaps\n", "yy\n"} { // \x04 ends the input
		a := newAsked(t)
		shown := a.types(t, no, "init", "--agent", "codex-cli", "--global")
		if !strings.Contains(shown, question) || !strings.Contains(shown, "hint: codex-cli: Codex does not run 12 of the hooks") || a.trusted(t) != "" {
			t.Errorf("after %q: shown is\n%s\nconfig.toml is %q", no, shown, a.trusted(t))
		}
		if out, err := a.command("doctor").Output(); err == nil || !strings.Contains(string(out), "Codex does not run 12 of the hooks") {
			t.Errorf("after %q doctor says %s, %v", no, out, err)
		}
	}
}

func TestConsentToTheHooksOfCodexIsNeverTakenFromElsewhere(t *testing.T) {
	t.Parallel()
	a := newAsked(t)
	cmd := a.command("init", "--agent", "codex-cli", "--global")
	cmd.Stdin = strings.NewReader("y\n")
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Contains(string(out), "[y/N]") || a.trusted(t) != "" {
		t.Errorf("without a terminal: %s, %v, config.toml is %q", out, err, a.trusted(t))
	}
	if shown := a.types(t, "", "init", "--agent", "codex-cli", "--global", "--trust-hooks"); strings.Contains(shown, "[y/N]") || a.trusted(t) == "" {
		t.Errorf("with --trust-hooks: shown is\n%s\nconfig.toml is %q", shown, a.trusted(t))
	}
}

// S6: what a server that forbids to rewind does not let anybody take back is told before the first push to it, at each
// level, and the refusal is told for what it is.
func TestWhatCannotBeTakenBackIsSaidBeforeTheFirstPush(t *testing.T) {
	t.Parallel()
	for _, level := range []string{"commits", "log"} {
		a := newAsked(t)
		remote := testenv.TempDir(t)
		git := func(args ...string) string {
			t.Helper()
			cmd := exec.Command("git", args...)
			cmd.Dir, cmd.Env = a.dir, a.env
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("git %v: %v: %s", args, err, out)
			}
			return string(out)
		}
		git("init", "-q", "--bare", remote)
		// As gitolite does for those who may write, and not rewind: RW.
		testenv.Program(t, filepath.Join(remote, "hooks", "update"), "#!/bin/sh\n"+
			"case $2 in *[!0]*) ;; *) exit 0 ;; esac\n"+
			"case $3 in *[!0]*) [ $(git merge-base $2 $3) = $2 ] && exit 0 ;; esac\n"+
			"echo \"FATAL: + $1 a DENIED by fallthru\" >&2; exit 1\n")
		git("config", "user.name", "A U Thor")
		git("config", "user.email", "author@example.com")
		a.types(t, "", "init", "--agent", "claude-code")
		git("commit", "-q", "--allow-empty", "-m", "two")
		git("remote", "add", "origin", remote)
		git("push", "-q", "origin", "main")
		const question, warning = "with each later git trace push?", "unless the server forbids rewinding and deleting refs"
		shown := a.types(t, "n\n", "push", "--to", level, "origin")
		if warned := strings.Index(shown, warning); warned < 0 || warned > strings.Index(shown, question) || git("ls-remote", "origin", "refs/traces/*") != "" {
			t.Errorf("%s: before the question is shown\n%s", level, shown)
		}
		if shown := a.types(t, "y\n", "push", "--to", level, "origin"); !strings.Contains(shown, "sent to origin") {
			t.Errorf("%s: after the answer\n%s", level, shown)
		}
		if shown := a.types(t, "", "push", "origin"); strings.Contains(shown, question) {
			t.Errorf("%s: somebody who has agreed is asked again:\n%s", level, shown)
		}
		out, err := a.command("push", "--retract", "origin").CombinedOutput()
		if err == nil || !strings.Contains(string(out), "the remote does not let you remove anything") || !strings.Contains(string(out), "DENIED by fallthru") {
			t.Errorf("%s: taking back: %v: %s", level, err, out)
		}
	}
}
