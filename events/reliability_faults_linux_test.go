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

// TestReliabilityB2EverySystemCall kills an append at each of its system calls in turn, and lets each of them fail, by
// strace.
func TestReliabilityB2EverySystemCall(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	testenv.NeedsTrace(t)
	calls := []string{"openat", "write", "renameat,?renameat2,?rename", "linkat,?link", "unlinkat,?unlink", "mkdirat,?mkdir", "pwrite64", "flock"}
	for _, call := range calls {
		for _, fault := range []string{"signal=KILL", "error=EIO"} {
			t.Run(call+" "+fault, func(t *testing.T) {
				t.Parallel()
				repo := newRepo(t)
				log := OpenLog(repo)
				mustAppend(t, log, promptDraft(0))
				var acked []ID
				points := 0
				// An append makes no directory where that of its object is there by chance: then the next append is asked.
				for missed := 0; points < 80 && missed < 5; {
					ids, hit := appendUnderFault(t, repo.WorkTree, points+1, fmt.Sprintf("inject=%s:%s:when=%d", call, fault, points+1))
					acked = append(acked, ids...)
					if r := verifyRef(t, log, ""); r.State != Consistent {
						t.Fatalf("%s %d: %s %v", fault, points+1, r.Summary(), r.Faults)
					}
					if hit {
						points++
					} else if missed++; points > 0 {
						break
					}
				}
				if points == 0 {
					t.Error("the call was never met")
				}
				t.Logf("%d points, %d appends acknowledged all the same", points, len(acked)/2)
				acked = append(acked, mustAppend(t, log, promptDraft(1))[0].ID)
				holdsExactly(t, log, acked, false)
				fsck(t, repo)
			})
		}
	}
}

// appendUnderFault appends once in a process that strace disturbs; hit tells whether the process got as far as the
// call.
func appendUnderFault(t *testing.T, dir string, who int, inject string) (acked []ID, hit bool) {
	t.Helper()
	trace := filepath.Join(t.TempDir(), "trace")
	cmd := exec.Command("strace", "-f", "-qq", "-o", trace, "-e", inject, os.Args[0])
	cmd.Env = append(os.Environ(), "EVENTS_TEST_CHILD="+dir, fmt.Sprint("EVENTS_TEST_WHO=", who), "EVENTS_TEST_APPENDS=1")
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
