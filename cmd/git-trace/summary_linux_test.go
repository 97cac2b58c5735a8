package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// seat is a repository whose person sits at a terminal.
type seat struct {
	*asked
	t *testing.T
}

func newSeat(t *testing.T) *seat {
	t.Helper()
	home := testenv.TempDir(t)
	d := &seat{&asked{home: home, dir: newScreenRepo(t)}, t}
	d.env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "TERM=xterm", "GIT_EDITOR=true"}
	config := "[user]\n\tname = A U Thor\n\temail = author@example.com\n" + testenv.Config
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return d
}

// at runs a program whose terminal this is, and returns what it shows.
func (d *seat) at(keys string, env []string, args ...string) string {
	d.t.Helper()
	terminal, person := openPair(d.t, 80)
	if _, err := person.WriteString(keys); err != nil {
		d.t.Fatal(err)
	}
	shown := watchTerminal(terminal, person)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = d.dir, slices.Concat(d.env, env)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, terminal, terminal
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	err := cmd.Run()
	text := shown()
	if err != nil {
		d.t.Fatalf("%v: %v: %s", args, err, text)
	}
	return text
}

// silently runs a program without a terminal, and returns what it prints.
func (d *seat) silently(input string, args ...string) string {
	d.t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin = d.dir, d.env, strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	if err != nil {
		d.t.Fatalf("%v: %v: %s", args, err, out)
	}
	return string(out)
}

func (d *seat) types(line string) {
	d.t.Helper()
	name := filepath.Join(d.dir, "a.txt")
	old, _ := os.ReadFile(name)
	if err := os.WriteFile(name, append(old, line+"\n"...), 0o600); err != nil {
		d.t.Fatal(err)
	}
	d.silently("", "git", "add", "a.txt")
}

const summaryQuestion = "whose lines they added? [y/N]"

func TestALineAfterEachCommitIsAskedForOnce(t *testing.T) {
	t.Parallel()
	for keys, want := range map[string]string{"y\n": "true\n", "n\n": "false\n"} {
		d := newSeat(t)
		for range 2 {
			d.silently("", "git-trace", "init", "--agent", "claude-code")
		}
		first, second := d.at(keys, nil, "git-trace", "init"), d.at("", nil, "git-trace", "init")
		if got := d.silently("", "git", "config", "--global", "trace.summary"); got != want ||
			!strings.Contains(first, summaryQuestion) || strings.Contains(second, summaryQuestion) {
			t.Errorf("after %q the setting is %q; shown are\n%s\n%s", keys, got, first, second)
		}
	}
	d := newSeat(t)
	if shown := d.at("\ny\n", nil, "git-trace", "setup", "--agent", "claude-code"); !strings.Contains(shown, summaryQuestion) {
		t.Errorf("setup shows\n%s", shown)
	}
	d.silently("", "git-trace", "setup", "--undo")
	if config := d.silently("", "git", "config", "--global", "--list"); strings.Contains(config, "trace.") {
		t.Errorf("setup --undo leaves\n%s", config)
	}
}

func TestOneLineIsPrintedAfterACommitOfAPerson(t *testing.T) {
	t.Parallel()
	const session = "3f0c8a52-91d7-4d53-9a51-6f2f50e7a001"
	d := newSeat(t)
	d.silently("", "git-trace", "init", "--agent", "claude-code")
	hook := func(event, more string) {
		d.silently(`{"session_id":"`+session+`","cwd":"`+d.dir+`","hook_event_name":"`+event+`"`+more+`}`,
			"awk", `BEGIN { exit system("git-trace hook claude-code `+event+`") }`) // the agent, which started no commit below
	}
	commit := []string{"git", "commit", "-q", "-m", "more"}
	const line = "git-trace: added 1 line: 0 by agents, 1 by people, 0 unknown\n"
	want := func(want, got, what string) {
		t.Helper()
		if got != want {
			t.Errorf("%s shows %q, want %q", what, got, want)
		}
	}
	d.types("one")
	want("", d.at("", nil, commit...), "a commit of somebody who did not ask for it")
	d.silently("", "git", "config", "--global", "trace.summary", "true")
	d.types("two")
	want(line, d.at("", nil, commit...), "a commit at a terminal")
	want(line, d.at("", nil, "git", "commit", "-q", "--amend", "-m", "again"), "an amended commit")
	d.types("three")
	want("", d.silently("", commit...), "a commit without a terminal")
	if shown := d.at("", nil, "git", "rebase", "-q", "-f", "HEAD~2"); strings.Contains(shown, "git-trace") {
		t.Errorf("a rebase shows %q", shown)
	}
	hook("SessionStart", `,"source":"startup"`)
	hook("UserPromptSubmit", `,"prompt":"add a line"`)
	call := `,"tool_name":"Write","tool_use_id":"toolu_1","tool_input":{"file_path":"` + d.dir + `/b.txt","content":"four\n"}`
	hook("PreToolUse", call)
	if err := os.WriteFile(filepath.Join(d.dir, "b.txt"), []byte("four\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	hook("PostToolUse", call)
	d.silently("", "git", "add", "b.txt")
	want("", d.at("", []string{"AGENTS_SESSION=" + session}, commit...), "a commit of the agent at a terminal of its own")
	got := d.at("", nil, "git", "commit", "-q", "--amend", "-m", "mine")
	if !strings.HasPrefix(got, "git-trace: added 1 line: 1 by agents, 0 by people, 0 unknown · ") || !strings.HasSuffix(got, " claude-code\n") {
		t.Errorf("a person's commit of the agent's line shows %q", got)
	}
	d.silently("", "git", "config", "trace.summary", "false")
	d.types("five")
	want("", d.at("", nil, commit...), "a commit where it is switched off")
}
