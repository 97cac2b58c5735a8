package snapshot

import (
	"os"
	"slices"
	"testing"
	"time"
)

// What a file system says of times is taken for what it is: a later moment, or one so near that nobody can tell.
func TestWhatHadChangedBeforeAMoment(t *testing.T) {
	t.Parallel()
	if !ownEngine {
		t.Skip("this system tells no change times")
	}
	b := newSandbox(t)
	if remoteFileSystem(b.dir) {
		t.Skip("the clock of this file system may be another machine's")
	}
	for _, name := range []string{"kept", "dir/kept", "gone", "gone-dir/x", "other/x", "moved/x", "late", "late-gone", "dir2/a"} {
		b.write(name, "old "+name)
	}
	e := b.engine()
	b.full(e)
	b.write("kept", "new")
	b.write("dir/kept", "new")
	b.write("created/deep/in", "new")
	b.write("dir2/b", "new")
	b.remove("gone")
	b.must(os.RemoveAll(b.path("gone-dir")))
	b.write("late", "new")
	b.write("late-gone", "changed, then gone")
	b.write("other/x", "in a directory that takes another place")
	b.write("forged", "new")
	wait := 3 * Slack
	time.Sleep(wait)
	b.write("moment", "")
	moment, known := Stamp(b.path("moment"))
	if !known || time.Since(moment) > time.Minute || time.Since(moment) < -Slack {
		t.Fatalf("stamped %v, %v", moment, known)
	}
	time.Sleep(wait)
	b.write("late", "newer")
	b.remove("late-gone")
	b.write("dir2/c", "newer")
	b.must(os.Rename(b.path("other"), b.path("took")))
	b.write("forged", "newer")
	b.must(os.Chtimes(b.path("forged"), moment.Add(-time.Hour), moment.Add(-time.Hour)))
	var got []string
	snap := b.full(e)
	before, after := Before(e.repo.WorkTree, snap.Changes, moment)
	for _, c := range before {
		got = append(got, c.Path)
	}
	want := []string{"created/deep/in", "dir/kept", "kept"} // what is gone may have gone with late-gone
	if !slices.Equal(got, want) {
		t.Errorf("before: %q, want %q", got, want)
	}
	if len(before)+len(after) != len(snap.Changes) {
		t.Errorf("%d and %d of %d", len(before), len(after), len(snap.Changes))
	}
	time.Sleep(wait)
	if before, _ := Before(e.repo.WorkTree, snap.Changes, time.Now()); len(before) != len(snap.Changes) {
		t.Errorf("long after: %d of %d", len(before), len(snap.Changes))
	}
}
