package events

import (
	"context"
	"errors"
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

// listed are the subjects that `git log --all` shows.
func listed(t *testing.T, repo *refs.Repo) []string {
	t.Helper()
	return strings.Split(strings.TrimSpace(runGit(t, repo.WorkTree, "log", "--all", "--format=%s")), "\n")
}

func mustSeal(t *testing.T, log *Log) int64 {
	t.Helper()
	n, err := log.Seal(context.Background())
	check(t, err)
	return n
}

// sealedIn is the log as a repository has it that took the ref and nothing else.
func sealedIn(t *testing.T, log *Log) []int64 {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "mirror.git")
	runGit(t, "", "clone", "-q", "--mirror", log.repo.CommonDir, dir)
	other := OpenLog(openRepo(t, dir))
	if r := verifyRef(t, other, ""); r.State != Consistent {
		t.Errorf("the mirror is %s: %v", r.Summary(), r.Faults)
	}
	return numbersIn(t, openCopyOf(t, other, refs.EventsRef))
}

func TestTheRefGrowsByOneCommitASeal(t *testing.T) {
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
			if got := listed(t, repo); !slices.Equal(got, []string{"the user's own", "git-trace: the log up to event 2"}) {
				t.Errorf("before it is sealed: %q", got)
			}
			if got := sealedIn(t, log); !slices.Equal(got, counting(1, 2)) {
				t.Errorf("the ref holds %v", got)
			}
			before := []string{strings.TrimSpace(runGit(t, repo.WorkTree, "rev-parse", refs.EventsRef))}
			for i := range 4 {
				if n := mustSeal(t, log); i == 0 && n != 19 || i > 0 && n != 1 {
					t.Errorf("seal %d: %d events more", i, n)
				}
				if n := mustSeal(t, log); n != 0 {
					t.Errorf("seal %d: %d events sealed twice", i, n)
				}
				before = append(before, strings.TrimSpace(runGit(t, repo.WorkTree, "rev-parse", refs.EventsRef)))
				mustAppend(t, log, promptDraft(20+i))
				if i == 2 {
					check(t, os.RemoveAll(log.cacheDir())) // without its memory the place is found by reading
				}
			}
			mustSeal(t, log)
			slices.Reverse(before)
			if got := strings.Fields(runGit(t, repo.WorkTree, "rev-list", refs.EventsRef)); !slices.Equal(got[1:], before) {
				t.Errorf("the ref has grown from %v to %v", before, got)
			}
			if got := listed(t, repo); got[0] != "the user's own" || got[1] != "git-trace: the log up to event 25" || len(got) != 7 {
				t.Errorf("when it is sealed: %q", got)
			}
			if got := sealedIn(t, log); !slices.Equal(got, counting(1, 25)) {
				t.Errorf("the ref holds %v", got)
			}
			fsck(t, repo)
			runGit(t, repo.WorkTree, "gc", "-q", "--prune=now")
			holdsExactly(t, log, nil, false)
			if r := verifyRef(t, log, ""); r.State != Consistent || r.Events != 25 || len(r.Notes) > 0 {
				t.Errorf("%s, %d events, %v", r.Summary(), r.Events, r.Notes)
			}
		})
	}
}

// Each seal writes as many objects as the one before, however many there are; merging puts parts together on top of what
// was there.
func TestManySealsStayCheapAndAreMerged(t *testing.T) {
	t.Parallel()
	log := OpenLog(newRepo(t))
	const seals = 3*partsInTree + 10
	for i := range seals {
		mustAppend(t, log, promptDraft(i))
		mustSeal(t, log)
	}
	tip := mustOID(t, runGit(t, log.repo.WorkTree, "rev-parse", refs.EventsRef))
	p, err := log.ReadPublication(tip)
	check(t, err)
	if len(p.Files) != seals || len(p.parts) != 3+seals-3*partsInTree {
		t.Errorf("%d files in %d entries", len(p.Files), len(p.parts))
	}
	fresh := strings.Fields(runGit(t, log.repo.WorkTree, "rev-list", "--objects", "--no-object-names", refs.EventsRef, "^"+refs.EventsRef+"~1"))
	if len(fresh) > 6 {
		t.Errorf("a seal writes %d objects", len(fresh))
	}
	check(t, os.Remove(looseFileOf(log.repo, p.Files[70].Blob)))
	sealed, merged, err := log.Merge(t.Context())
	if check(t, err); sealed != 0 || merged == 0 {
		t.Errorf("merging: %d sealed, %d merged", sealed, merged)
	}
	if got := mustOID(t, runGit(t, log.repo.WorkTree, "rev-parse", refs.EventsRef+"~1")); got != tip {
		t.Errorf("it lies on %s", got)
	}
	if p, err = log.ReadPublication(mustOID(t, runGit(t, log.repo.WorkTree, "rev-parse", refs.EventsRef))); err != nil || len(p.Files) > 20 {
		t.Errorf("%d files, %v", len(p.Files), err)
	}
	expectSealed := counting(1, seals+1)
	check(t, os.Remove(log.JournalPath()))
	if got := numbersIn(t, openCopyOf(t, log, refs.EventsRef)); !slices.Equal(got, expectSealed) {
		t.Errorf("the ref holds %d events", len(got))
	}
	if _, merged, err := log.Merge(t.Context()); merged != 0 || err != nil {
		t.Errorf("once more: %d merged, %v", merged, err)
	}
}

func TestPartsAreMergedSoThatAnEventIsWrittenAFewTimes(t *testing.T) {
	t.Parallel()
	files := func(sizes ...int64) (out []PublishedFile, last int64) {
		for _, n := range sizes {
			out = append(out, PublishedFile{First: last + 1})
			last += n
		}
		return out, last
	}
	for name, tt := range map[string]struct {
		sizes []int64
		from  int
	}{
		"one":                   {[]int64{5}, 1},
		"two alike":             {[]int64{5, 5}, 0},
		"a large and a small":   {[]int64{50, 5}, 2},
		"a small and a large":   {[]int64{5, 50}, 0},
		"a large and many":      {[]int64{50, 20, 20, 20}, 0},
		"a large and a few":     {[]int64{500, 20, 20, 20}, 1},
		"one that is never one": {[]int64{mergedEvents, mergedEvents, 7, 7}, 2},
	} {
		list, last := files(tt.sizes...)
		if got := mergeFrom(list, last); got != tt.from {
			t.Errorf("%s: from %d, want %d", name, got, tt.from)
		}
	}
}

// The log is not on the remote. Git offers what is newest first, and must not offer seal after seal before it comes to
// a commit that the other side knows; nor may a list of all commits begin with them.
func TestTheSealsAreNotInTheWayOfFetch(t *testing.T) {
	t.Parallel()
	log := OpenLog(newRepo(t))
	dir := log.repo.WorkTree
	upstream := filepath.Join(t.TempDir(), "upstream")
	runGit(t, dir, "commit", "-q", "--allow-empty", "-m", "first")
	runGit(t, "", "clone", "-q", dir, upstream)
	runGit(t, upstream, "commit", "-q", "--allow-empty", "-m", "theirs")
	mustAppend(t, log, promptDraft(0))
	tree := mustOID(t, runGit(t, dir, "rev-parse", refs.EventsRef+"^{tree}"))
	tip, err := log.Tip(refs.EventsRef)
	check(t, err)
	count := testenv.Pick(100, 1000, 1000)
	for range count { // what git looks at are the commits, and not what they hold
		tip, err = log.writeMain(refs.CommitObject, sealCommit(tree, []refs.OID{tip}, 2))
		check(t, err)
	}
	runGit(t, dir, "update-ref", refs.EventsRef, tip.String())
	packets := filepath.Join(t.TempDir(), "packets")
	cmd := exec.Command("git", "fetch", "-q", upstream)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_TRACE_PACKET="+packets)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	text, err := os.ReadFile(packets)
	check(t, err)
	if haves := strings.Count(string(text), "fetch> have "); haves < 1 || haves > 32 {
		t.Errorf("%d commits are offered beside %d seals", haves, count)
	}
	if list := listed(t, log.repo); list[0] != "first" {
		t.Errorf("all commits begin with %q", list[0])
	}
}

// What stands on the ref in place of the seal is replaced if it is no log, and left alone if it is another one.
func TestASealReplacesNoOtherLog(t *testing.T) {
	t.Parallel()
	other, f := sampleLog(t, 100, 3)
	log := OpenLog(newRepo(t))
	mustAppend(t, log, promptDraft(0))
	seal, err := log.Tip(refs.EventsRef)
	check(t, err)
	mustAppend(t, log, promptDraft(1))
	dir := log.repo.WorkTree
	runGit(t, dir, "fetch", "-q", other.repo.WorkTree, "+"+refs.EventsRef+":"+refs.EventsRef)
	if _, err := log.Seal(context.Background()); !errors.Is(err, ErrSealDiffers) {
		t.Errorf("over another log: %v", err)
	}
	if r := verifyRef(t, log, ""); r.State != Broken || r.Faults[0].Kind != FaultAnchor {
		t.Errorf("beside another log: %s %v", r.Summary(), r.Faults)
	}
	_ = f
	for name, spoil := range map[string]func(){
		"another commit": func() {
			runGit(t, dir, "update-ref", refs.EventsRef, strings.TrimSpace(
				runGit(t, dir, "commit-tree", "-m", "not a log", log.repo.Format.EmptyTree().String())))
		},
		"deleted": func() { runGit(t, dir, "update-ref", "-d", refs.EventsRef) },
		"a blob": func() {
			runGit(t, dir, "update-ref", refs.EventsRef, strings.TrimSpace(runGit(t, dir, "hash-object", "-w", log.JournalPath())))
		},
		"an earlier seal": func() { runGit(t, dir, "update-ref", refs.EventsRef, seal.String()) },
	} {
		spoil()
		n := mustAppend(t, log, promptDraft(2))[0].Seq
		if r := verifyRef(t, log, ""); r.State != Consistent || len(r.Notes) != 1 && name != "an earlier seal" {
			t.Errorf("%s: %s %v %v", name, r.Summary(), r.Faults, r.Notes)
		}
		mustSeal(t, log)
		if got := sealedIn(t, log); !slices.Equal(got, counting(1, n)) {
			t.Errorf("%s: the ref holds %v", name, got)
		}
		if r := verifyRef(t, log, ""); r.State != Consistent || len(r.Notes) != 0 {
			t.Errorf("%s, sealed again: %s %v", name, r.Summary(), r.Notes)
		}
	}
}

func TestALostSealedFileIsWrittenAgain(t *testing.T) {
	t.Parallel()
	log := OpenLog(newRepo(t))
	mustAppend(t, log, promptDraft(0))
	mustAppend(t, log, promptDraft(1))
	mustSeal(t, log)
	tip, err := log.Tip(refs.EventsRef)
	check(t, err)
	p, err := log.ReadPublication(tip)
	check(t, err)
	check(t, os.Remove(looseFileOf(log.repo, p.Files[0].Blob)))
	if r := verifyRef(t, log, ""); r.State != Consistent || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "lacks events from 1 on") {
		t.Errorf("%s %v", r.Summary(), r.Notes)
	}
	mustAppend(t, log, promptDraft(2))
	mustSeal(t, log)
	if got := sealedIn(t, log); !slices.Equal(got, counting(1, 4)) {
		t.Errorf("the ref holds %v", got)
	}
	fsck(t, log.repo)
}

// A process is killed after its seal, and a gc takes the objects that nothing named when it began.
func TestASealThatAGCTookIsMadeOnTheOneBefore(t *testing.T) {
	t.Parallel()
	log := OpenLog(newRepo(t))
	mustAppend(t, log, promptDraft(0))
	mustSeal(t, log)
	before, err := log.Tip(refs.EventsRef)
	check(t, err)
	mark, err := os.ReadFile(log.sealMarkPath())
	check(t, err)
	mustAppend(t, log, promptDraft(1))
	mustSeal(t, log)
	taken, err := log.Tip(refs.EventsRef)
	check(t, err)
	check(t, os.WriteFile(log.sealMarkPath(), mark, 0o666))
	check(t, os.Remove(looseFileOf(log.repo, taken)))
	if n := mustSeal(t, log); n != 1 {
		t.Errorf("%d events were sealed", n)
	}
	if got := strings.Fields(runGit(t, log.repo.WorkTree, "rev-list", refs.EventsRef)); !slices.Contains(got, before.String()) {
		t.Errorf("the history of the ref is %v, without %s", got, before)
	}
	if got := sealedIn(t, log); !slices.Equal(got, counting(1, 3)) {
		t.Errorf("the ref holds %v", got)
	}
	fsck(t, log.repo)
}

func TestASealIsDueByTheNumberOfEvents(t *testing.T) {
	t.Parallel()
	log := OpenLog(newRepo(t))
	if log.SealDue(false) {
		t.Error("due without a log")
	}
	mustAppend(t, log, promptDraft(0))
	end, _ := log.knownEnd()
	if log.SealDue(false) || log.LeftUnsealed() {
		t.Error("due after one event")
	}
	end.seq += sealEvery
	check(t, log.rememberEnd(end))
	if log.LeftUnsealed() {
		t.Error("a process may still seal the events")
	}
	before := time.Now().Add(-sealSoon - time.Second)
	if check(t, os.Chtimes(log.JournalPath(), before, before)); !log.LeftUnsealed() {
		t.Error("nothing was left unsealed")
	}
	if !log.SealDue(false) {
		t.Errorf("not due after %d events", sealEvery)
	}
	if check(t, log.SealAsked()); log.SealDue(false) || log.Unsealed() != 0 {
		t.Error("due while a process seals it")
	}
}

// sealing seals the log again and again in processes of its own, and kills every third of them.
func sealing(t *testing.T) func(dir string) func() {
	return func(dir string) func() {
		done := make(chan struct{})
		var wait sync.WaitGroup
		wait.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-done:
					t.Logf("sealed %d times", n)
					return
				default:
				}
				cmd := exec.Command(os.Args[0])
				cmd.Env = append(os.Environ(), "EVENTS_TEST_CHILD="+dir, "EVENTS_TEST_SEAL=1")
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

func TestEightWritersBesideSealsLoseNothing(t *testing.T) {
	t.Parallel()
	if testenv.Quick() {
		t.Skip("takes seconds")
	}
	for name, commands := range map[string][][]string{
		"alone": nil, "beside gc with prune=now": {{"gc", "-q", "--prune=now"}},
	} {
		t.Run(name, func(t *testing.T) {
			contest{writers: 8, appends: 25, commands: commands, beside: sealing(t)}.run(t)
		})
	}
}
