package events

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
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

// contest is a number of processes that append at once.
type contest struct {
	writers, appends int
	worktrees        int
	commands         [][]string // of git's, in loops beside them
	format           string     // of the refs: files or reftable
	beside           func(dir string) (stop func())
}

// run lets the contest play and holds the log against what was acknowledged. It returns how long each append took.
func (c contest) run(t *testing.T) []time.Duration {
	t.Helper()
	repo := c.repo(t)
	runGit(t, repo.WorkTree, "commit", "-q", "--allow-empty", "-m", "root")
	dirs := []string{repo.WorkTree}
	for i := 1; i < c.worktrees; i++ {
		dirs = append(dirs, filepath.Join(t.TempDir(), fmt.Sprint("linked", i)))
		runGit(t, repo.WorkTree, "worktree", "add", "-q", dirs[i])
	}
	stop, end := harry(t, repo.WorkTree, c.commands...), func() {}
	if c.beside != nil {
		end = c.beside(repo.WorkTree)
	}
	var acked []ID
	var took []time.Duration
	var mu sync.Mutex
	var wait sync.WaitGroup
	for who := range c.writers {
		acks := make(chan ack)
		cmd := startChild(t, dirs[who%len(dirs)], who, c.appends, acks)
		wait.Go(func() {
			for a := range acks {
				mu.Lock()
				acked, took = append(acked, a.id), append(took, a.took)
				mu.Unlock()
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("writer %d: %v", who, err)
			}
		})
	}
	wait.Wait()
	counts := stop()
	end()
	if len(acked) != c.writers*c.appends*2 {
		t.Errorf("%d events acknowledged", len(acked))
	}
	log := OpenLog(repo)
	holdsExactly(t, log, acked, true)
	if r := verifyRef(t, log, ""); r.State != Consistent {
		t.Errorf("verify: %s %v", r.Summary(), r.Faults)
	}
	fsck(t, repo)
	if len(c.commands) == 0 && c.beside == nil {
		fewOrphans(t, repo, len(acked)/2)
	}
	slices.Sort(took)
	t.Logf("%d appends, 99 %% within %v; git ran %v times beside them", len(took)/2, took[len(took)*99/100], counts)
	return took
}

func (c contest) repo(t *testing.T) *refs.Repo {
	t.Helper()
	if c.format != "reftable" {
		return newRepo(t)
	}
	testenv.NeedsReftable(t)
	return newRepo(t, "--ref-format=reftable")
}

// fewOrphans counts the commits that appends wrote and no log holds: at most one in a hundred.
func fewOrphans(t *testing.T, repo *refs.Repo, batches int) {
	t.Helper()
	all := strings.Count(runGit(t, repo.WorkTree, "cat-file", "--batch-all-objects", "--batch-check=%(objecttype)"), "commit")
	kept := strings.Count(runGit(t, repo.WorkTree, "rev-list", "--all"), "\n")
	if orphans := all - kept; orphans > batches/100 {
		t.Errorf("%d orphans of %d batches", orphans, batches)
	}
}

// quickEnough holds the full form to the bar of one second; a quick form shares its machine with other tests.
func quickEnough(t *testing.T, took []time.Duration) {
	t.Helper()
	if p99 := took[len(took)*99/100]; testenv.Long() && p99 > time.Second {
		t.Errorf("one append in a hundred takes longer than %v", p99)
	}
}

func TestReliabilityA1ProcessesAppendAtOnce(t *testing.T) {
	t.Parallel()
	if testenv.Quick() {
		t.Skip("takes seconds")
	}
	for _, format := range []string{"files", "reftable"} {
		t.Run(format, func(t *testing.T) {
			quickEnough(t, contest{writers: 8, appends: 25, format: format}.run(t))
		})
		t.Run(format+", sixteen of them", func(t *testing.T) {
			if !testenv.Long() {
				t.Skip("only in the full form")
			}
			contest{writers: 16, appends: 250, format: format}.run(t)
		})
	}
}

func TestReliabilityA2LinkedWorkTreesShareOneLog(t *testing.T) {
	t.Parallel()
	if testenv.Quick() {
		t.Skip("takes seconds")
	}
	quickEnough(t, contest{writers: 4, worktrees: 4, appends: 50}.run(t))
	quickEnough(t, contest{writers: 8, worktrees: 4, appends: 25}.run(t))
}

func TestReliabilityA3AppendsBesideGitsHousekeeping(t *testing.T) {
	t.Parallel()
	if testenv.Quick() {
		t.Skip("takes seconds")
	}
	appends := testenv.Pick(0, 25, 125)
	for name, commands := range map[string][][]string{
		"pack-refs":         {{"pack-refs", "--all"}},
		"gc with prune=now": {{"gc", "-q", "--prune=now"}, {"pack-refs", "--all"}},
		"maintenance":       {{"maintenance", "run", "--quiet", "--task=gc", "--task=loose-objects", "--task=incremental-repack"}},
		"refs that change":  {{"update-ref", "refs/heads/beside", "HEAD"}, {"update-ref", "refs/traces/beside", "HEAD"}, {"update-ref", "-d", "refs/traces/beside"}},
	} {
		t.Run(name, func(t *testing.T) {
			quickEnough(t, contest{writers: 8, appends: appends, commands: commands}.run(t))
		})
	}
}

// Whole process groups are killed, at arbitrary instants, so that git's own processes die with the one that asked them.
func TestReliabilityB1KilledProcessesLoseNothingAcknowledged(t *testing.T) {
	t.Parallel()
	if testenv.Quick() {
		t.Skip("takes seconds")
	}
	repo := newRepo(t)
	log := OpenLog(repo)
	mustAppend(t, log, promptDraft(0))
	var acked []ID
	kills := testenv.Pick(0, 40, 500)
	var longest time.Duration
	for i := range kills {
		acks := make(chan ack, 1000)
		cmd := startChild(t, repo.WorkTree, i+1, 100_000, acks)
		for range 1 + rand.N(3) {
			acked = append(acked, (<-acks).id)
		}
		time.Sleep(rand.N(5 * time.Millisecond))
		killGroup(t, cmd)
		for a := range acks {
			acked = append(acked, a.id)
		}
		_ = cmd.Wait()
		if i%4 == 0 {
			start := time.Now()
			e := mustAppendWithin(t, log, 15*time.Second, promptDraft(-1-i))[0]
			acked = append(acked, e.ID)
			longest = max(longest, time.Since(start))
		}
	}
	n := holdsExactly(t, log, acked, false)
	if r := verifyRef(t, log, ""); r.State != Consistent {
		t.Errorf("verify: %s %v", r.Summary(), r.Faults)
	}
	fsck(t, repo)
	t.Logf("%d kills, %d events acknowledged, %d in the log; the slowest append after one took %v", kills, len(acked), n, longest)
}

func mustAppendWithin(t *testing.T, log *Log, limit time.Duration, drafts ...Draft) []Event {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	events, err := log.Append(ctx, drafts)
	check(t, err)
	return events
}

// TestSpoolSurvivesKills kills processes that drain spool files.
func TestSpoolSurvivesKills(t *testing.T) {
	t.Parallel()
	if testenv.Quick() {
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
		ids := make(chan ack, 10)
		cmd := startChild(t, repo.WorkTree, i+1, 0, ids)
		_ = cmd.Wait()
		cmd = startChild(t, repo.WorkTree, i+1, 1, make(chan ack, 10))
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
			runGit(t, repo.WorkTree, "commit", "-q", "--allow-empty", "-m", "x")
			runGit(t, repo.WorkTree, "update-ref", refs.EventsRef+"/x", "HEAD")
		}, "conflicts"},
		"the ref is torn": {func(t *testing.T, repo *refs.Repo) {
			refFiles(t, repo)
			check(t, refs.WriteFileAtomic(filepath.Join(repo.CommonDir, refs.EventsRef), nil, 0o666))
		}, "corrupt"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := OpenLog(newRepo(t))
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
