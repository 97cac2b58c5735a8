package main

import (
	"bytes"
	"cmp"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

// onTty is a command at a terminal, and what that shows.
type onTty struct {
	cmd    *exec.Cmd
	person *os.File
	mu     sync.Mutex
	text   bytes.Buffer
	done   chan error
	read   chan struct{} // closed when there is nothing more to read
}

func (g *guest) onTty(args ...string) *onTty {
	g.t.Helper()
	terminal, person := openPair(g.t, 80)
	c := &onTty{cmd: exec.Command("git-trace", args...), person: person, done: make(chan error, 1), read: make(chan struct{})}
	c.cmd.Dir, c.cmd.Env = g.dir, append(slices.Clone(g.env), "TERM=xterm", "GIT_PAGER=cat")
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = terminal, terminal, terminal
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := c.cmd.Start(); err != nil {
		g.t.Fatal(err)
	}
	_ = terminal.Close()
	go func() {
		defer close(c.read)
		buf := make([]byte, 4096)
		for {
			n, err := person.Read(buf)
			c.mu.Lock()
			c.text.Write(buf[:n])
			c.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	go func() {
		err := c.cmd.Wait()
		select {
		case <-c.read:
		case <-time.After(2 * time.Second): // a process of its own still has the terminal
		}
		c.done <- err
	}()
	return c
}

func (c *onTty) shown() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.String()
}

// until waits for a text on the terminal; ended tells that the command ended before.
func (c *onTty) until(text string, most time.Duration) (seen, ended bool) {
	for end := time.Now().Add(most); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if strings.Contains(c.shown(), text) {
			return true, false
		}
		if len(c.done) > 0 {
			return strings.Contains(c.shown(), text), true
		}
	}
	return false, false
}

// A command that takes its time says so, and ends when it is told to, with nothing left behind. The repository lies on a disk that does not answer: git's packed refs are a pipe
// that nobody writes.
func TestWhoeverWaitsIsToldAndCanEndIt(t *testing.T) {
	if os.Getenv("GIT_DEFAULT_REF_FORMAT") == "reftable" {
		t.Skip("what they wait for is a pipe in the place of packed refs, which tables of refs do not have")
	}
	t.Parallel()
	g := newGuest(t)
	g.write("a", "1\n2\n3\n")
	g.git("add", ".")
	g.git("commit", "-qm", "one")
	origin := filepath.Join(g.dir, "nothing.git")
	g.git("remote", "add", "origin", origin)
	g.git("config", "remote.origin.traceUrl", origin)
	g.git("config", "remote.origin.traceShare", "commits") // archive refuses a remote for which nothing was chosen
	for _, step := range []string{"git-trace init --agent claude-code", "agent S1 start", "agent S1 write b word", "agent S1 stop", "git add .", "git commit -qm two"} {
		words := strings.Fields(step)
		if code := g.run(words[0], words[1:]...); code != 0 {
			t.Fatalf("%s: exit status %d: %s", step, code, g.err)
		}
	}
	if err := untilAlone(g.dir); err != nil {
		t.Fatal(err)
	}
	for _, c := range testenv.Some(allCommands(), 4) {
		args := append([]string{c.Name}, strings.Fields(cmp.Or(c.Waits, callsOf(c)[0]))...)
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			own := *g
			own.t = t
			own.dir = filepath.Join(testenv.TempDir(t), "work")
			if out, err := exec.Command("cp", "-a", g.dir, own.dir).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if code := own.run("git-trace", "doctor", "--fix"); code != 0 {
				t.Fatalf("exit status %d: %s", code, own.out)
			}
			if err := untilAlone(own.dir); err != nil {
				t.Fatal(err)
			}
			own.git("pack-refs", "--all")
			packed := filepath.Join(own.dir, ".git/packed-refs")
			if err := errors.Join(os.Remove(packed), unix.Mkfifo(packed, 0o600)); err != nil {
				t.Fatal(err)
			}
			if c.Is(atOnce) {
				own.endsAtOnce(args)
			} else {
				own.canBeEnded(args)
			}
		})
	}
}

func (g *guest) endsAtOnce(args []string) {
	g.t.Helper()
	c := g.onTty(args...)
	defer c.person.Close()
	select {
	case err := <-c.done:
		if crashed(c.shown()) {
			g.t.Errorf("%q: %v: %s", args, err, c.shown())
		}
	case <-time.After(20 * time.Second):
		_ = c.cmd.Process.Kill()
		g.t.Errorf("%q does not end: %q", args, c.shown())
	}
}

func (g *guest) canBeEnded(args []string) {
	g.t.Helper()
	before := g.all()
	c := g.onTty(args...)
	defer c.person.Close()
	defer func() { _ = c.cmd.Process.Kill() }()
	if seen, ended := c.until(args[0]+": ", 20*time.Second); !seen {
		g.t.Fatalf("%q says nothing while it waits (ended: %v): %q", args, ended, c.shown())
	}
	if _, err := c.person.Write([]byte{3}); err != nil { // Ctrl-C
		g.t.Fatal(err)
	}
	began := time.Now()
	select {
	case err := <-c.done:
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != terminal.ExitInterrupted {
			g.t.Errorf("%q ends with %v: %q", args, err, c.shown())
		}
	case <-time.After(20 * time.Second):
		g.t.Fatalf("%q goes on after %v: %q", args, time.Since(began), c.shown())
	}
	if strings.Contains(c.shown(), "error") || strings.Contains(c.shown(), "hint") {
		g.t.Errorf("%q complains of being ended: %q", args, c.shown())
	}
	for name := range g.all() {
		if _, there := before[name]; there || strings.Contains(name, "/objects/") {
			continue // an object that nothing names is git's to take away
		}
		lock, err := refs.Flock(name, 0) // the file of such a lock stays, and says nothing
		dir := filepath.Base(filepath.Dir(name))
		if err != nil || dir != "locks" && (dir != "traces" || filepath.Ext(name) != ".lock") {
			g.t.Errorf("%q leaves %s (%v)", args, name, err)
		}
		if err == nil {
			lock.Unlock()
		}
	}
}
