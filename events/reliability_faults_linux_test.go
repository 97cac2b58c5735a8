package events

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// faultyWork is work that is disturbed at each of its system calls.
type faultyWork struct {
	name  string
	calls []string
	fresh bool // each time in a repository without a log
	seals bool // with a seal behind the append
}

// TestReliabilityB2EverySystemCall kills an append, the first append of all, and seals, at each of their system calls in
// turn, and lets each of them fail, by strace.
func TestReliabilityB2EverySystemCall(t *testing.T) {
	t.Parallel()
	if testenv.Quick() {
		t.Skip("takes seconds")
	}
	testenv.NeedsTrace(t)
	for _, w := range []faultyWork{
		{name: "append", calls: []string{"openat", "pwrite64", "flock", "fsync"}},
		{name: "append and seal", seals: true, calls: []string{"openat", "write", "renameat,?renameat2,?rename",
			"linkat,?link", "unlinkat,?unlink", "mkdirat,?mkdir"}},
		{name: "first append and seal", fresh: true, seals: true, calls: []string{"openat", "write", "renameat,?renameat2,?rename",
			"linkat,?link", "unlinkat,?unlink", "mkdirat,?mkdir", "pwrite64", "flock", "fsync"}},
	} {
		for _, call := range w.calls {
			for _, fault := range []string{"signal=KILL", "error=EIO"} {
				t.Run(w.name+" "+call+" "+fault, func(t *testing.T) {
					t.Parallel()
					w.disturb(t, call, fault)
				})
			}
		}
	}
}

func (w faultyWork) disturb(t *testing.T, call, fault string) {
	repo := newRepo(t)
	log := OpenLog(repo)
	if !w.fresh {
		mustAppend(t, log, promptDraft(0))
	}
	var acked []ID
	points, step := 0, testenv.Pick(5, 2, 1)
	for when := 1; when < 120; when += step {
		if w.fresh && when > 1 {
			check(t, os.RemoveAll(repo.TracesDir()))
			check(t, os.RemoveAll(filepath.Join(repo.CommonDir, "refs", "traces")))
			check(t, os.RemoveAll(repo.MainObjects()))
			check(t, os.MkdirAll(repo.MainObjects(), 0o777))
			check(t, log.ForgetEnd())
			acked = nil
		}
		ids, hit := w.underFault(t, repo.WorkTree, when, fmt.Sprintf("inject=%s:%s:when=%d", call, fault, when))
		acked = append(acked, ids...)
		r := verifyRef(t, log, "")
		if r.State != Consistent {
			t.Fatalf("%s %d: %s %v", fault, when, r.Summary(), r.Faults)
		}
		if w.seals {
			acked = append(acked, mustAppend(t, log, promptDraft(-when))[0].ID)
			mustSeal(t, log)
			holdsExactly(t, log, acked, false)
			if r := verifyRef(t, log, ""); r.State != Consistent || len(r.Notes) > 0 {
				t.Errorf("%s %d: sealed again: %s %v", fault, when, r.Summary(), r.Notes)
			}
			if _, err := os.Lstat(log.JournalPath() + ".new"); err == nil {
				t.Errorf("%s %d: the file that was begun is left", fault, when)
			}
		}
		if !hit {
			break
		}
		points++
	}
	if points == 0 {
		t.Error("the call was never met")
	}
	t.Logf("%d points, %d events acknowledged", points, len(acked))
	acked = append(acked, mustAppend(t, log, promptDraft(1))[0].ID)
	holdsExactly(t, log, acked, false)
	fsck(t, repo)
}

// underFault appends once in a process that strace disturbs; hit tells whether the process got as far as the call.
func (w faultyWork) underFault(t *testing.T, dir string, who int, inject string) (acked []ID, hit bool) {
	t.Helper()
	trace := filepath.Join(t.TempDir(), "trace")
	cmd := exec.Command("strace", "-f", "-qq", "-o", trace, "-e", inject, os.Args[0])
	cmd.Env = append(os.Environ(), "EVENTS_TEST_CHILD="+dir, fmt.Sprint("EVENTS_TEST_WHO=", who), "EVENTS_TEST_APPENDS=1", "EVENTS_TEST_FSYNC=1")
	if w.seals {
		cmd.Env = append(cmd.Env, "EVENTS_TEST_SEAL=1")
	}
	out, _ := cmd.Output() // killed or failed: what counts is what it acknowledged
	for line := range strings.Lines(string(out)) {
		word, _, _ := strings.Cut(line, " ")
		if id, err := ParseID(word); err == nil {
			acked = append(acked, id)
		}
	}
	text, err := os.ReadFile(trace)
	check(t, err)
	return acked, bytes.Contains(text, []byte("(INJECTED)")) || bytes.Contains(text, []byte("killed by SIGKILL"))
}
