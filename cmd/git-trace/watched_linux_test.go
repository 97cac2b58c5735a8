package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// watched is a repository in which agents are processes that live as long as their conversations, beside a person.
type watched struct {
	t         *testing.T
	dir, home string
	seconds   string // that a hook may take
	untimed   bool   // agents do not tell how long their calls ran, nor whole files
	suffix    string // of the sessions of this test: processes are known by the id, and other tests have agents, too
}

// worlds counts the tests that watch, so that no two have a session's id in common.
var worlds atomic.Int64

// own is a session's id in this test.
func (w *watched) own(session string) string { return session + w.suffix }

func newWatched(t *testing.T) *watched {
	t.Helper()
	w := &watched{t: t, dir: filepath.Join(testenv.TempDir(t), "r"), home: testenv.TempDir(t), seconds: patience}
	w.suffix = fmt.Sprintf("-%d-%d", os.Getpid(), worlds.Add(1))
	if err := os.Mkdir(w.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	config := "[user]\n\tname = A U Thor\n\temail = author@example.com\n[init]\n\tdefaultBranch = main\n" + testenv.Config
	w.write(filepath.Join(w.home, ".gitconfig"), config)
	w.run("git", "init", "-q")
	w.run("git", "commit", "-q", "--allow-empty", "-m", "start")
	w.run("git-trace", "init", "--agent", "claude-code")
	for _, name := range []string{"a.txt", "b.txt"} {
		w.write(name, "old one\nold two\n")
	}
	w.run("git", "add", "-A")
	w.run("git", "commit", "-q", "-m", "first")
	return w
}

func (w *watched) command(name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(w.t.Context(), name, args...)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "HOME="+w.home, "GIT_CONFIG_NOSYSTEM=1", "XDG_CONFIG_HOME="+w.home+"/.config", runner.LimitEnv+"="+w.seconds, "CLAUDE_PID=")
	if w.untimed {
		cmd.Env = append(cmd.Env, "CLIENT=untimed")
	}
	return cmd
}

func (w *watched) run(name string, args ...string) string {
	w.t.Helper()
	out, err := w.command(name, args...).CombinedOutput()
	if err != nil {
		w.t.Fatalf("%s %q: %v: %s", name, args, err, out)
	}
	return string(out)
}

func (w *watched) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(w.dir, name)
}

func (w *watched) write(name, content string) {
	w.t.Helper()
	if err := os.WriteFile(w.path(name), []byte(content), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// types appends a line to a file, as a person does.
func (w *watched) types(name, line string) {
	w.t.Helper()
	raw, err := os.ReadFile(w.path(name))
	if err != nil {
		w.t.Fatal(err)
	}
	w.write(name, string(raw)+line+"\n")
}

func (w *watched) commit() {
	w.t.Helper()
	w.run("git", "add", "-A")
	w.run("git", "commit", "-q", "--allow-empty", "-m", "more")
}

// is holds who wrote a line, of a file that is tracked, by blame as it is asked now: "session", "human" or "unknown".
func (w *watched) is(file, line string, fine ...string) {
	w.t.Helper()
	for row := range strings.Lines(w.run("owners", file)) {
		owner, content, _ := strings.Cut(strings.TrimSuffix(row, "\n"), " | ")
		if content != line {
			continue
		}
		owner = strings.TrimRight(strings.ReplaceAll(owner, w.suffix, ""), "*<")
		for _, one := range fine {
			if owner == one {
				return
			}
		}
		w.t.Errorf("%s: %q is %s, want %s", file, line, owner, strings.Join(fine, " or "))
		return
	}
	w.t.Errorf("%s has no line %q", file, line)
}

// gone waits for the end of the process whose number is the second word of a file.
func (w *watched) gone(file string) {
	w.t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		w.t.Fatal(err)
	}
	words := strings.Fields(string(raw))
	for range 200 {
		stat, err := os.ReadFile(filepath.Join("/proc", words[1], "stat"))
		if _, state, found := strings.Cut(string(stat), ") "); err != nil || found && strings.ContainsAny(state[:1], "ZX") {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	w.t.Fatalf("process %s goes on", words[1])
}

// until waits for a file to hold a text.
func (w *watched) until(name, text string) {
	w.t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		raw, _ := os.ReadFile(w.path(name))
		if strings.Contains(string(raw), text) {
			return
		}
		if time.Now().After(end) {
			w.t.Fatalf("%s never held %q", name, text)
		}
	}
}

// living is an agent.
type living struct {
	w       *watched
	session string
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

func (w *watched) agent(session string) *living {
	w.t.Helper()
	session = w.own(session)
	a := &living{w: w, session: session, cmd: w.command("agent", session, "serve")}
	in, err := a.cmd.StdinPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	out, err := a.cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	a.in, a.out, a.cmd.Stderr = in, bufio.NewReader(out), os.Stderr
	a.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := a.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(a.die)
	a.does("start")
	a.does("prompt", "work")
	return a
}

// begins tells the agent to do something; ends waits for it.
func (a *living) begins(words ...string) {
	a.w.t.Helper()
	if _, err := fmt.Fprintln(a.in, strings.Join(words, "\t")); err != nil {
		a.w.t.Fatal(err)
	}
}

func (a *living) ends() {
	a.w.t.Helper()
	answer, err := a.out.ReadString('\n')
	if err != nil || answer != "ok\n" {
		a.w.t.Fatalf("the agent answers %q, %v", answer, err)
	}
}

func (a *living) does(words ...string) {
	a.w.t.Helper()
	a.begins(words...)
	a.ends()
}

// die kills the agent and nothing that it started.
func (a *living) die() {
	_ = a.cmd.Process.Kill()
	_ = a.cmd.Wait() // it was killed
}

// after is a command that waits for a file and goes on then; the test makes the file, and does so in the end if it has
// not.
func (w *watched) after(name, command string) (string, func()) {
	flag := filepath.Join(w.home, name)
	release := func() { w.write(flag, "") }
	w.t.Cleanup(release)
	wait := "n=0; while ! [ -e " + flag + " ]; do n=$((n+1)); [ $n -lt 3000 ] || exit; sleep 0.02; done; " // it ends, should the test be killed
	return wait + command, release
}

const (
	alpha = "alpha-0123456789"
	beta  = "beta-0123456789"
)
