package events

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

// A log of earlier versions is read, appended to and made again from its copy as it is.
func TestALogWithDatesIsReadAndAppendedTo(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	log, f := sampleLog(t, 0, 5)
	f.dated = true
	old := f.write(refs.EventsRef)
	mustAppend(t, log, promptDraft(100))
	c, err := log.Copy(ctx, refs.EventsRef)
	check(t, err)
	c.Close()
	if c.Last() != int64(f.events()+1) || len(c.Notes) > 0 {
		t.Errorf("the copy ends at %d of %d: %v", c.Last(), f.events()+1, c.Notes)
	}
	want, err := log.Tip(refs.EventsRef)
	check(t, err)
	if got := openParent(t, log, want); got != old {
		t.Errorf("the new batch follows %s, not %s", got, old)
	}
	if r := verifyRef(t, log, ""); r.State != Consistent || r.Events != f.events()+1 {
		t.Errorf("%s: %v", r.Summary(), r.Faults)
	}
	pruneLog(t, log)
	check(t, log.Heal(ctx))
	if got, err := log.Tip(refs.EventsRef); err != nil || got != want {
		t.Errorf("made again, the log ends in %s, want %s; %v", got, want, err)
	}
}

// The log is not on the remote. Git offers what is newest first, and must not offer batch after batch before it comes to
// a commit that the other side knows; nor may a list of all commits begin with them.
// Found 9.2.
func TestTheLogIsNotInTheWayOfFetch(t *testing.T) {
	t.Parallel()
	batches := testenv.Pick(300, 1000, 4000)
	log := OpenLog(newRepo(t))
	dir := log.repo.WorkTree
	upstream := filepath.Join(t.TempDir(), "upstream")
	runGit(t, dir, "commit", "-q", "--allow-empty", "-m", "first")
	runGit(t, "", "clone", "-q", dir, upstream)
	runGit(t, upstream, "commit", "-q", "--allow-empty", "-m", "second")
	for i := range batches {
		d := promptDraft(i)
		d.Time = time.Now().Add(time.Second) // newer than the commits are
		mustAppend(t, log, d)
	}
	packets := filepath.Join(t.TempDir(), "packets")
	cmd := exec.Command("git", "fetch", "-q", upstream)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_TRACE_PACKET="+packets)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatal(err, string(out))
	}
	text, err := os.ReadFile(packets)
	check(t, err)
	if haves := strings.Count(string(text), "fetch> have "); haves < 1 || haves > 32 {
		t.Errorf("%d commits were offered beside a log of %d batches", haves, batches)
	}
	if list := runGit(t, dir, "log", "--all", "--format=%s"); !strings.HasPrefix(list, "first\n"+batchSubject) {
		t.Errorf("the list of all commits begins with %.80q", list)
	}
}
