package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// A call makes thousands of files while the disk is busy, and the next call follows at once. Neither loses
// a line, and what a person typed between them stays theirs.
func TestACallOfThousandsOfFilesCostsNobodyALine(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	if !testenv.Long() {
		t.Skip("GITTRACE_LONG=1 keeps a disk busy")
	}
	for name, busy := range map[string]int{"quiet": 0, "busy": 4} {
		t.Run(name, func(t *testing.T) {
			w := newWatched(t)
			w.seconds = ""
			for i := range busy {
				load := fmt.Sprintf("while :; do dd if=/dev/zero of=%s/load%d bs=64k count=2000 conv=fsync 2>/dev/null; done", w.home, i)
				cmd := exec.Command("timeout", "--foreground", "300", "sh", "-c", load)
				cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() {
					_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
					_ = cmd.Wait() // it was killed
				})
			}
			a := w.agent(alpha)
			make := "for i in $(seq %d); do mkdir -p d$((i%%20)); echo \"%s $i has a line of its own\" >d$((i%%20))/%s-$i; done"
			a.does("bash", fmt.Sprintf(make, 2000, "first", "first"))
			a.does("bash", fmt.Sprintf(make, 560, "second", "second"))
			w.write("hand.txt", "typed by hand\n")
			a.does("bash", fmt.Sprintf(make, 300, "third", "third"))
			a.does("stop")
			w.commit()
			w.settled()
			got := w.anchored()
			t.Log(got)
			for what, n := range map[string]int{"first toolu_" + w.own(alpha) + "_001": 2000, "second toolu_" + w.own(alpha) + "_002": 560, "third toolu_" + w.own(alpha) + "_003": 300, "hand.txt human": 1} {
				if got[what] != n {
					t.Errorf("%s: %d lines, want %d", what, got[what], n)
				}
			}
		})
	}
}

// settled waits until nothing is put off any more.
func (w *watched) settled() {
	w.t.Helper()
	w.run("sh", "-c", "n=0; while find .git/traces/later .git/traces/spool -type f 2>/dev/null | grep -q .; do n=$((n+1)); [ $n -lt 1200 ] || exit 1; sleep 0.1; done")
}

// anchored counts the lines of the last commit by the first word of their file's name and their owner.
func (w *watched) anchored() map[string]int {
	w.t.Helper()
	got := map[string]int{}
	commit := strings.TrimSpace(w.run("git", "rev-parse", "HEAD"))
	for line := range strings.Lines(w.run("git-trace", "events", "--json", "--type", "commit_anchored")) {
		var e struct {
			Data events.CommitData `json:"data"`
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			w.t.Fatal(err)
		}
		if e.Data.Commit.String() != commit {
			continue
		}
		for _, file := range e.Data.Files {
			kind, _, _ := strings.Cut(filepath.Base(file.Path), "-")
			for _, run := range file.Runs {
				owner := e.Data.Owners[run.Owner]
				got[kind+" "+cmp.Or(owner.ToolCall, string(owner.Kind))] += run.Count
			}
		}
	}
	return got
}
