package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
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
