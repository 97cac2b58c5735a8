package events

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// harry runs git commands in a loop until the returned function is called, and gives back how often each succeeded.
func harry(t *testing.T, dir string, commands ...[]string) func() []int {
	t.Helper()
	done := make(chan struct{})
	counts := make([]int, len(commands))
	var wait sync.WaitGroup
	for i, args := range commands {
		wait.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				cmd := exec.Command("git", args...)
				cmd.Dir = dir
				if cmd.Run() == nil {
					counts[i]++
				}
			}
		})
	}
	return func() []int { close(done); wait.Wait(); return counts }
}

// holdsExactly checks that the log is a chain without gaps and that it holds each acknowledged id exactly once, and
// returns how many events it has.
func holdsExactly(t *testing.T, log *Log, acked []ID, exactly bool) int {
	t.Helper()
	check(t, log.Heal(context.Background()))
	events := readAll(t, log, Range{})
	seen := make(map[ID]bool, len(events))
	drafts := make(map[string]bool, len(events))
	prev := ID("")
	for i, e := range events {
		if e.Seq != int64(i+1) || e.Prev != prev || e.CheckID() != nil || seen[e.ID] {
			t.Fatalf("event %d at place %d breaks the chain", e.Seq, i+1)
		}
		line, err := draftLine(e.Draft())
		check(t, err)
		if drafts[string(line)] {
			t.Errorf("event %d is there twice", e.Seq)
		}
		prev, seen[e.ID], drafts[string(line)] = e.ID, true, true
	}
	for _, id := range acked {
		if !seen[id] {
			t.Errorf("acknowledged event %s is lost", id)
		}
	}
	if exactly && len(events) != len(acked)+1 {
		t.Errorf("%d events, %d were acknowledged", len(events), len(acked))
	}
	return len(events)
}

func fsck(t *testing.T, repo *refs.Repo) {
	t.Helper()
	out := runGit(t, repo.WorkTree, "fsck", "--full", "--strict", "--no-dangling")
	for line := range strings.SplitSeq(strings.TrimSpace(out), "\n") {
		if line != "" && !strings.HasPrefix(line, "notice: HEAD points to an unborn branch") && !strings.HasPrefix(line, "notice: No default references") {
			t.Errorf("fsck: %s", line)
		}
	}
}

func TestEightWritersBesideGitLoseNothing(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	tests := map[string]struct {
		worktrees int
		commands  [][]string
	}{
		"alone":                     {1, nil},
		"in four linked work trees": {4, nil},
		"beside pack-refs":          {1, [][]string{{"pack-refs", "--all"}}},
		"beside gc with prune=now":  {1, [][]string{{"gc", "-q", "--prune=now"}, {"pack-refs", "--all"}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			repo := newRepo(t)
			runGit(t, repo.WorkTree, "commit", "-q", "--allow-empty", "-m", "root")
			dirs := []string{repo.WorkTree}
			for i := 1; i < test.worktrees; i++ {
				dirs = append(dirs, filepath.Join(t.TempDir(), fmt.Sprint("linked", i)))
				runGit(t, repo.WorkTree, "worktree", "add", "-q", dirs[i])
			}
			stop := harry(t, repo.WorkTree, test.commands...)
			const writers, appends = 8, 25
			var acked []ID
			var mu sync.Mutex
			var wait sync.WaitGroup
			for who := range writers {
				ids := make(chan ID)
				cmd := startChild(t, dirs[who%len(dirs)], who, appends, ids)
				wait.Go(func() {
					for id := range ids {
						mu.Lock()
						acked = append(acked, id)
						mu.Unlock()
					}
					if err := cmd.Wait(); err != nil {
						t.Errorf("writer %d: %v", who, err)
					}
				})
			}
			wait.Wait()
			counts := stop()
			log := OpenLog(repo)
			if len(acked) != writers*appends*2 {
				t.Errorf("%d events acknowledged", len(acked))
			}
			holdsExactly(t, log, acked, true)
			fsck(t, repo)
			t.Logf("git ran %v times beside it", counts)
		})
	}
}

func TestKilledWritersLoseNothingAcknowledged(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	repo := newRepo(t)
	log := OpenLog(repo)
	mustAppend(t, log, promptDraft(0))
	var acked []ID
	kills := 40
	if os.Getenv("EVENTS_TEST_LONG") != "" {
		kills = 500
	}
	for i := range kills {
		ids := make(chan ID, 1000)
		cmd := startChild(t, repo.WorkTree, i+1, 100_000, ids)
		for range 1 + rand.N(3) {
			acked = append(acked, <-ids)
		}
		time.Sleep(rand.N(5 * time.Millisecond))
		check(t, cmd.Process.Kill())
		for id := range ids {
			acked = append(acked, id)
		}
		_ = cmd.Wait()
		if i%4 == 0 {
			start := time.Now()
			e := mustAppend(t, log, promptDraft(-1-i))[0]
			acked = append(acked, e.ID)
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("the append after a kill took %v", took)
			}
		}
	}
	n := holdsExactly(t, log, acked, false)
	fsck(t, repo)
	t.Logf("%d kills, %d events acknowledged, %d in the log", kills, len(acked), n)
}

// TestSpoolSurvivesKills kills processes that drain spool files.
func TestSpoolSurvivesKills(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	repo := newRepo(t)
	log := OpenLog(repo)
	mustAppend(t, log, promptDraft(0))
	want := 1
	for i := range 10 {
		for k := range 5 {
			spoolDrafts(t, log, promptDraft(1000+10*i+k))
			want++
		}
		ids := make(chan ID, 10)
		cmd := startChild(t, repo.WorkTree, i+1, 0, ids)
		_ = cmd.Wait()
		cmd = startChild(t, repo.WorkTree, i+1, 1, make(chan ID, 10))
		time.Sleep(rand.N(8 * time.Millisecond))
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	if _, err := log.Drain(context.Background()); err != nil {
		t.Fatal(err)
	}
	holdsExactly(t, log, nil, false)
	spooled := 0
	for _, n := range promptNumbers(t, log) {
		if n >= 1000 && n < 1_000_000 {
			spooled++
		}
	}
	if spooled != want-1 {
		t.Errorf("%d of %d spooled events in the log", spooled, want-1)
	}
}

func TestLogThatCannotBeWrittenGivesAClearError(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		spoil func(t *testing.T, repo *refs.Repo)
		want  string
	}{
		"traces is a file": {func(t *testing.T, repo *refs.Repo) {
			check(t, os.RemoveAll(repo.TracesDir()))
			check(t, os.WriteFile(repo.TracesDir(), nil, 0o666))
		}, "not a directory"},
		"a ref is in the way": {func(t *testing.T, repo *refs.Repo) {
			runGit(t, repo.WorkTree, "update-ref", "-d", refs.EventsRef)
			runGit(t, repo.WorkTree, "commit", "-q", "--allow-empty", "-m", "x")
			runGit(t, repo.WorkTree, "update-ref", refs.EventsRef+"/x", "HEAD")
		}, "conflicts"},
		"the ref is torn": {func(t *testing.T, repo *refs.Repo) {
			check(t, os.WriteFile(filepath.Join(repo.CommonDir, refs.EventsRef), nil, 0o666))
		}, "corrupt"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := OpenLog(newRepo(t))
			mustAppend(t, log, promptDraft(0))
			test.spoil(t, log.repo)
			_, err := log.Append(context.Background(), []Draft{promptDraft(1)})
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "chars") {
				t.Errorf("error %v", err)
			}
			if _, statErr := os.Stat(log.repo.TracesDir() + "/spool"); (statErr == nil) != errors.Is(err, ErrSpooled) {
				t.Errorf("spooled: %v, error %v", statErr == nil, err)
			}
		})
	}
}
