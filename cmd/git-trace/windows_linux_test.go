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
	"github.com/git-trace/git-trace/refs"
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

// What is running at the end of a call is asked when that is put aside: a later call does not get what the child writes
// then.
func TestWhatACallLeftRunningIsAskedWhenItsEndIsPutAside(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	w.seconds = "1"
	a, b := w.agent(alpha), w.agent(beta)
	lock, err := refs.Flock(filepath.Join(w.dir, ".git/traces/lock"), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Unlock()
	child, release := w.after("during", "echo by the child >> a.txt")
	a.does("bash", fmt.Sprintf("(%s) & echo by the call itself >own.txt", child))
	b.begins("bash", "while ! grep -q child a.txt; do sleep 0.02; done; echo by the other call >other.txt")
	time.Sleep(1200 * time.Millisecond) // until that call runs
	release()
	b.ends()
	lock.Unlock()
	w.seconds = patience
	a.does("stop")
	b.does("stop")
	w.commit()
	w.is("own.txt", "by the call itself", alpha, "unknown")
	w.is("a.txt", "by the child", alpha, "unknown", "ai?2")
	w.is("other.txt", "by the other call", beta, "unknown", "ai?2")
}

// The command leaves a child behind that writes after the call's end.
func TestWhatACallLeftRunningWritesIsNoPersons(t *testing.T) {
	t.Parallel()
	for name, form := range map[string]string{
		"with an ampersand":           "(%s) &",
		"in a session of its own":     "setsid sh -c '%s' >/dev/null 2>&1 </dev/null &",
		"without hanging up":          "nohup sh -c '%s' >/dev/null 2>&1 &",
		"and its parent is long gone": "(sh -c '(%s) & exit' &) ; sleep 0.1",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWatched(t)
			a := w.agent(alpha)
			during, release := w.after("during", "echo by the child during the turn >> a.txt; ")
			idle, releaseIdle := w.after("idle", "echo by the child after the turn >> a.txt")
			a.does("bash", fmt.Sprintf(form, during+idle))
			release()
			w.until("a.txt", "during the turn")
			w.is("a.txt", "by the child during the turn", alpha)
			a.does("stop")
			w.is("a.txt", "by the child during the turn", alpha)
			releaseIdle()
			w.until("a.txt", "after the turn")
			w.is("a.txt", "by the child after the turn", "unknown", alpha)
			w.commit()
			w.is("a.txt", "by the child during the turn", alpha)
			w.is("a.txt", "by the child after the turn", "unknown", alpha)
			time.Sleep(50 * time.Millisecond) // the child has nothing more to do
			w.types("b.txt", "typed later")
			a.does("prompt", "go on")
			w.types("b.txt", "typed last")
			w.commit()
			w.is("b.txt", "typed last", "human")
			if out := w.run("git-trace", "verify"); out == "" {
				t.Error("nothing was verified")
			}
		})
	}
}

// The child has ended, and a person types while the agent thinks: nothing tells which of both wrote, unless a hook met
// the child alive after the file had changed.
func TestWhatIsTypedWhenTheChildHasEndedIsNoCalls(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	a := w.agent(alpha)
	child, release := w.after("child", "echo by the child >> a.txt; ")
	last, releaseLast := w.after("last", "echo yes $$ > "+filepath.Join(w.home, "over"))
	a.does("bash", fmt.Sprintf("(%s) &", child+last))
	release()
	w.until("a.txt", "by the child")
	time.Sleep(100 * time.Millisecond)
	a.does("edit", "b.txt", "old one", "new one") // its hooks look at b.txt alone, and meet the child
	releaseLast()
	over := filepath.Join(w.home, "over")
	w.until(over, "yes")
	w.gone(over)
	w.types("b.txt", "typed when the child has ended")
	a.does("bash", "true")
	w.is("b.txt", "typed when the child has ended", "unknown")
	w.is("a.txt", "by the child", alpha)
	w.is("b.txt", "new one", alpha)
	w.commit()
	w.is("b.txt", "typed when the child has ended", "unknown")
	w.is("a.txt", "by the child", alpha)
	w.types("b.txt", "typed later")
	w.is("b.txt", "typed later", "human")
}

// A background command that stays. The turn has ended, the person works for hours.
func TestAPersonWorksBesideAServerThatAnAgentStarted(t *testing.T) {
	t.Parallel()
	// What is printed between the two readings of a measurement counts as written: on a busy machine that may be a line's
	// worth.
	logged := []string{"human", "unknown"}
	for name, tt := range map[string]struct {
		verb, server string
		want         []string
	}{
		"in the background, silent":       {"bg", "sleep 60; true", []string{"human"}},
		"left behind, silent":             {"bash", "nohup sleep 60 >/dev/null 2>&1 &", []string{"human"}},
		"in the background, with a log":   {"bg", "exec >%[1]s/log; n=0; while [ $n -lt 3000 ] && sleep 0.01; do n=$((n+1)); echo a request came in; done", logged},
		"left behind, with a log":         {"bash", "(exec >%[1]s/log 2>&1; n=0; while [ $n -lt 3000 ] && sleep 0.01; do n=$((n+1)); echo a request came in; done) &", logged},
		"it writes to the work tree, too": {"bg", "n=0; while [ $n -lt 3000 ] && sleep 0.01; do n=$((n+1)); head -c 5000 /dev/zero > %[2]s/built; done", []string{"unknown"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWatched(t)
			a := w.agent(alpha)
			server := tt.server
			if strings.Contains(server, "%") {
				server = fmt.Sprintf(server, w.home, w.home)
			}
			a.does(tt.verb, server)
			a.does("stop", "task-"+w.own(alpha))
			defer func() { _ = syscall.Kill(-a.cmd.Process.Pid, syscall.SIGKILL) }()
			for n := range 3 {
				time.Sleep(100 * time.Millisecond)
				line := fmt.Sprintf("typed while it runs, for the %d. time", n)
				w.types("a.txt", line)
				w.is("a.txt", line, tt.want...)
				w.commit()
				w.is("a.txt", line, tt.want...)
			}
			a.does("prompt", "stop it")
			w.types("a.txt", "typed while it runs and the agent is asked")
			a.does("edit", "b.txt", "old one", "new one")
			w.commit()
			w.is("b.txt", "new one", alpha)
			if log := w.run("git-trace", "events", "--json", "--type", "patch_recorded"); len(tt.want) == 1 && tt.want[0] == "human" && !strings.Contains(log, "process_silent") {
				t.Errorf("the log does not say why: %s", log)
			}
		})
	}
}

// An agent is killed and its shell goes on.
func TestWhatOutlivesItsAgentIsWaitedFor(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	a := w.agent(alpha)
	first, release := w.after("first", "echo by the shell, first >> a.txt; ")
	second, releaseSecond := w.after("second", "echo by the shell, second >> a.txt; sleep 0.2")
	started, over := filepath.Join(w.home, "started"), filepath.Join(w.home, "over")
	a.begins("bash", "echo yes > "+started+"; "+first+second+"; echo yes $$ > "+over)
	w.until(started, "yes")
	a.die()
	release()
	w.until("a.txt", "first")
	w.is("a.txt", "by the shell, first", "unknown", alpha)
	if said := strings.Join(strings.Fields(w.run("git-trace", "status")), " "); !strings.Contains(said, "an agent died in a call") {
		w.t.Errorf("status does not say why lines are unknown: %s", said)
	}
	w.commit()
	w.is("a.txt", "by the shell, first", "unknown", alpha)
	w.types("b.txt", "typed while the shell goes on")
	w.is("b.txt", "typed while the shell goes on", "unknown", "human")
	releaseSecond()
	w.until("a.txt", "second")
	w.is("a.txt", "by the shell, second", "unknown", alpha)
	w.commit()
	w.is("a.txt", "by the shell, second", "unknown", alpha)
	w.until(over, "yes")
	w.gone(over)
	w.commit() // finds that all is over
	w.types("b.txt", "typed when all is over")
	w.is("b.txt", "typed when all is over", "human")
	w.commit()
	w.is("b.txt", "typed when all is over", "human")
}

// A permission dialog is open, the person edits, comes back and allows the command.
func TestWhatIsTypedWhileADialogIsOpenIsAPersons(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	a := w.agent(alpha)
	const command = "sed -i 's/old two/new two/' b.txt; echo more >> b.txt"
	a.does("pre", "bash", command)
	w.types("a.txt", "typed while the dialog was open")
	time.Sleep(4 * time.Second)
	a.does("post", "bash", command)
	w.is("a.txt", "typed while the dialog was open", "human")
	w.is("b.txt", "new two", alpha)
	w.commit()
	w.is("a.txt", "typed while the dialog was open", "human")
	w.is("b.txt", "new two", alpha)
	w.is("b.txt", "more", alpha)

	// a command that takes as long is at work all the time
	const slow = "sed -i 's/old one/new one/' a.txt; sleep 4"
	a.does("bash", slow)
	w.is("a.txt", "new one", alpha)
}

// A person edits and commits beside a command that waits, as one of a sub-agent does. It wrote less than that,
// so the line is not its own; when it has written more, nothing tells.
func TestACallThatWaitsDidNotWriteWhatAPersonCommits(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	a := w.agent(alpha)
	wait, release := w.after("wait", "echo by the call itself >> own.txt; ")
	last, releaseLast := w.after("last", "true")
	a.begins("bash", "echo begun > begun.txt; "+wait+last)
	w.until("begun.txt", "begun")
	time.Sleep(1200 * time.Millisecond) // until it has been at work for a while
	w.is("begun.txt", "begun", alpha)
	w.types("a.txt", "typed beside a command that waits")
	w.is("a.txt", "typed beside a command that waits", "unknown")
	w.commit()
	w.is("a.txt", "typed beside a command that waits", "unknown")
	w.is("begun.txt", "begun", alpha)
	if log := w.run("git-trace", "events", "--json", "--type", "patch_recorded"); !strings.Contains(log, "process_silent") {
		t.Errorf("the log does not say why: %s", log)
	}
	release()
	w.until("own.txt", "itself")
	w.commit()
	w.is("own.txt", "by the call itself", alpha)
	releaseLast()
	a.ends()
	w.commit()
	w.is("own.txt", "by the call itself", alpha)
	w.is("a.txt", "typed beside a command that waits", "unknown")
}

// Two agents' shell calls at once. One that waits while the other writes did not write.
func TestACallThatWaitsDidNotWriteWhatTheOtherDid(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	w := newWatched(t)
	a, b := w.agent(alpha), w.agent(beta)
	second, release := w.after("second", "echo by the other call, second >> b.txt; ")
	wait, releaseWait := w.after("wait", "true")
	b.begins("bash", wait)
	a.begins("bash", "echo by the one call, first >> a.txt; "+second+"sleep 1")
	w.until("a.txt", "first")
	time.Sleep(1200 * time.Millisecond) // until both have been at work for a while
	w.is("a.txt", "by the one call, first", alpha)
	w.commit()
	w.is("a.txt", "by the one call, first", alpha)
	release()
	a.ends()
	w.is("b.txt", "by the other call, second", alpha)
	releaseWait()
	b.ends()
	w.commit()
	w.is("b.txt", "by the other call, second", alpha)

	// both have written as much: nothing tells them apart
	wait, releaseWait = w.after("both", "true")
	b.begins("bash", "seq 400 >> other.txt; "+wait)
	w.until("other.txt", "400")
	a.begins("bash", "echo by one of both >> a.txt; sleep 3")
	w.until("a.txt", "both")
	time.Sleep(1200 * time.Millisecond)
	w.is("a.txt", "by one of both", alpha+"?2", beta+"?2", "ai?2")
	releaseWait()
	b.ends()
	a.ends()
}
