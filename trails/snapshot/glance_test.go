package snapshot

import (
	"maps"
	"slices"
	"testing"
	"time"
)

// A glance lists what differs from the snapshot that was saved, and only that; the sight of each is kept until it
// changes again.
func TestWhatAGlanceTells(t *testing.T) {
	t.Parallel()
	if !ownEngine {
		t.Skip("this system tells no change times")
	}
	b := newSandbox(t)
	for _, name := range []string{"same", "changed", "gone", "dir/same"} {
		b.write(name, "old "+name)
	}
	b.write(".gitignore", "*.log\n")
	e := b.engine()
	if _, err := Glance(t.Context(), b.repo, e.path); err == nil {
		t.Error("something is told where nothing was saved")
	}
	time.Sleep(2 * Slack) // what changes just before a snapshot is listed too
	b.full(e)
	b.must(e.Save())
	glance := func() map[string]Sight {
		t.Helper()
		got, err := Glance(t.Context(), b.repo, e.path)
		b.must(err)
		return got
	}
	b.write("changed", "new")
	b.write("dir/new", "new")
	b.write("ignored.log", "new")
	b.remove("gone")
	first := glance()
	if got := slices.Sorted(maps.Keys(first)); !slices.Equal(got, []string{"changed", "dir/new", "gone"}) || first["gone"] != "" {
		t.Fatalf("%v", first)
	}
	b.write("dir/new", "newer")
	second := glance()
	if !second["changed"].Same(first["changed"]) || !second["gone"].Same(first["gone"]) || second["dir/new"].Same(first["dir/new"]) {
		t.Errorf("%v, then %v", first, second)
	}
	time.Sleep(2 * Slack)
	b.full(e)
	if !e.Sight("changed").Same(first["changed"]) || !e.Sight("gone").Same(first["gone"]) || e.Sight("dir/new").Same(first["dir/new"]) {
		t.Errorf("%v, and the snapshot %v %v %v", first, e.Sight("changed"), e.Sight("gone"), e.Sight("dir/new"))
	}
	if Unsure.Same(Unsure) {
		t.Error("what is not sure is the same")
	}
}
