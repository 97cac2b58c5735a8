package events

import (
	"context"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/git-trace/git-trace/refs"
)

func looseCommits(t *testing.T, repo *refs.Repo) int {
	t.Helper()
	loose, err := refs.ListLoose(repo.MainObjects())
	check(t, err)
	return len(loose)
}

func TestPackTakesTheLogAndLeavesTheRest(t *testing.T) {
	t.Parallel()
	for name, options := range map[string][]string{"sha1": nil, "sha256": {"--object-format=sha256"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo := newRepo(t, options...)
			log := OpenLog(repo)
			runGit(t, repo.WorkTree, "commit", "-q", "--allow-empty", "-m", "the user's own")
			for i := range 20 {
				mustAppend(t, log, promptDraft(i))
			}
			before := looseCommits(t, repo)
			packed, err := log.Pack(context.Background())
			check(t, err)
			if left := looseCommits(t, repo); packed < 20 || left != before-packed || left < 1 {
				t.Errorf("%d objects packed, %d of %d left", packed, left, before)
			}
			again, err := log.Pack(context.Background())
			check(t, err)
			if again != 0 {
				t.Errorf("%d objects packed twice", again)
			}
			mustAppend(t, log, promptDraft(20))
			check(t, os.Remove(log.packMark())) // without its mark it looks at the whole log
			more, err := log.Pack(context.Background())
			check(t, err)
			if more < 1 || more > 2 { // the new commit, and the empty tree, which it wrote again
				t.Errorf("packed %d objects", more)
			}
			holdsExactly(t, log, nil, false)
			report, err := log.Verify(context.Background(), Verification{})
			check(t, err)
			if report.State != Consistent || report.Events != 22 {
				t.Errorf("%s, %d events", report.State, report.Events)
			}
			fsck(t, repo)
		})
	}
}

func TestPackIsDueByTheNumberOfEvents(t *testing.T) {
	t.Parallel()
	log := OpenLog(newRepo(t))
	if log.PackDue() {
		t.Error("due without a log")
	}
	mustAppend(t, log, promptDraft(0))
	end, _ := log.cachedTip()
	if log.PackDue() {
		t.Error("due after one event")
	}
	end.seq = packEvery
	log.rememberTip(end)
	if !log.PackDue() {
		t.Errorf("not due after %d events", packEvery)
	}
}

// packing packs the log again and again in processes of its own, and kills every third of them.
func packing(t *testing.T) func(dir string) func() {
	return func(dir string) func() {
		done := make(chan struct{})
		var wait sync.WaitGroup
		wait.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-done:
					t.Logf("packed %d times", n)
					return
				default:
				}
				cmd := exec.Command(os.Args[0])
				cmd.Env = append(os.Environ(), "EVENTS_TEST_CHILD="+dir, "EVENTS_TEST_PACK=1")
				if err := cmd.Start(); err != nil {
					t.Error(err)
					return
				}
				if n%3 == 2 {
					time.Sleep(time.Duration(n%7) * 5 * time.Millisecond)
					_ = cmd.Process.Kill()
				}
				_ = cmd.Wait()
			}
		})
		return func() { close(done); wait.Wait() }
	}
}

func TestEightWritersBesidePackingLoseNothing(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for name, commands := range map[string][][]string{
		"alone": nil, "beside gc with prune=now": {{"gc", "-q", "--prune=now"}},
	} {
		t.Run(name, func(t *testing.T) {
			contest{writers: 8, appends: 25, commands: commands, beside: packing(t)}.run(t)
		})
	}
}
