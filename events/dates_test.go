package events

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

// A log of earlier versions is read as it is, and taken over by the first append: as a whole, and one that is damaged
// with what is left of it and with the old one behind its seal.
func TestALogOfCommitsIsTakenOver(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		dated, broken bool
	}{"of today": {}, "with dates": {dated: true}, "damaged": {broken: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log, f := sampleLog(t, 0, 5)
			if f.dated = test.dated; test.broken {
				*f.line(4) = strings.Replace(*f.line(4), `"v":1`, `"v":2`, 1)
			}
			old := f.write(refs.EventsRef)
			before := verifyRef(t, log, "")
			e := mustAppend(t, log, promptDraft(100))[0]
			last := int64(f.events() + 1)
			if e.Seq != last {
				t.Errorf("the new event is %d", e.Seq)
			}
			c := openCopyOf(t, log, refs.EventsRef)
			r := verifyRef(t, log, "")
			parents := strings.Fields(runGit(t, log.repo.WorkTree, "log", "-1", "--format=%P", refs.EventsRef))
			if test.broken {
				if r.State != Broken || r.BrokenAt != before.BrokenAt || c.Last() != last || len(c.Notes) != 1 {
					t.Errorf("%s, was %s; the copy ends at %d, %v", r.Summary(), before.Summary(), c.Last(), c.Notes)
				}
				if !slices.Equal(parents, []string{old.String()}) {
					t.Errorf("behind the seal lie %v, not %s", parents, old)
				}
				mustSeal(t, log)
				runGit(t, log.repo.WorkTree, "gc", "-q", "--prune=now")
				runGit(t, log.repo.WorkTree, "cat-file", "-e", old.String())
				return
			}
			if r.State != Consistent || r.Events != int(last) || c.Last() != last || len(c.Notes) > 0 || len(parents) > 0 {
				t.Errorf("%s, %d events; the copy ends at %d, %v; parents %v", r.Summary(), r.Events, c.Last(), c.Notes, parents)
			}
			if got := sealedIn(t, log); !slices.Equal(got, counting(1, last-1)) {
				t.Errorf("the ref holds %v", got)
			}
		})
	}
}

// The log is not on the remote. Git offers what is newest first, and must not offer batch after batch before it comes to
// a commit that the other side knows; nor may a list of all commits begin with them.
func TestTheLogIsNotInTheWayOfFetch(t *testing.T) {
	t.Parallel()
	count := testenv.Pick(10_000, 100_000, 100_000)
	log := OpenLog(newRepo(t))
	dir := log.repo.WorkTree
	upstream := filepath.Join(t.TempDir(), "upstream")
	runGit(t, dir, "commit", "-q", "--allow-empty", "-m", "first")
	runGit(t, "", "clone", "-q", dir, upstream)
	offered := func(when string) {
		t.Helper()
		runGit(t, upstream, "commit", "-q", "--allow-empty", "-m", when)
		packets := filepath.Join(t.TempDir(), "packets")
		cmd := exec.Command("git", "fetch", "-q", upstream)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_TRACE_PACKET="+packets)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatal(err, string(out))
		}
		text, err := os.ReadFile(packets)
		check(t, err)
		haves := strings.Count(string(text), "fetch> have ")
		t.Logf("%s: %d", when, haves)
		if haves < 1 || haves > 32 {
			t.Errorf("%s, %d commits are offered beside a log of %d events", when, haves, count)
		}
	}
	for n := 0; n < count; {
		var drafts []Draft
		for range 500 {
			d := promptDraft(n)
			d.Time = time.Now().Add(time.Second) // newer than the commits are
			drafts = append(drafts, d)
			n++
		}
		mustAppend(t, log, drafts...)
	}
	offered("before it is sealed")
	mustSeal(t, log)
	offered("sealed")
	mustAppend(t, log, promptDraft(count))
	mustSeal(t, log)
	offered("sealed again")
	if list := listed(t, log.repo); len(list) != 2 || list[0] != "first" {
		t.Errorf("all commits are %.300q", list)
	}
}
