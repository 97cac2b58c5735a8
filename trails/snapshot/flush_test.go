package snapshot

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestTreesWrittenBehindAreThereAfterFlush(t *testing.T) {
	t.Parallel()
	w := wide(t)
	for i := range 20 { // the top, twenty directories and what is in them: within behindLimit
		w.write(fmt.Sprintf("d%02d/e/f", i), "changed")
	}
	want := w.wantTree()
	e := w.open()
	defer e.Close()
	e.WriteBehind = true
	snap, err := e.Full(context.Background())
	w.must(err)
	if snap.Tree.String() != want {
		t.Fatalf("tree %s, want %s", snap.Tree, want)
	}
	w.must(e.Flush())

	w.sideGit("ls-tree", "-r", "-t", snap.Tree.String())
	w.must(e.Save())
	w.checkSaved(e)
}

func TestATreeThatCannotBeWrittenEndsTheSnapshot(t *testing.T) {
	t.Parallel()
	for _, behind := range []bool{false, true} {
		t.Run(fmt.Sprint("behind ", behind), func(t *testing.T) {
			t.Parallel()
			w := wide(t)
			last := w.last
			w.must(os.Remove(w.path("d07/e/f"))) // no content to store, but trees
			want := w.wantTree()
			side := w.repo.SideObjects()
			w.must(os.Rename(side, side+".away"))
			w.must(os.WriteFile(side, nil, 0o600))
			e := w.open()
			defer e.Close()
			e.WriteBehind = behind
			_, err := e.Full(context.Background())
			if behind {
				w.must(err)
				err = e.Flush()
			}
			if err == nil {
				t.Fatal("no error")
			}
			w.must(os.Remove(side))
			w.must(os.Rename(side+".away", side))
			w.must(e.Save())
			again := w.open()
			defer again.Close()
			if again.Tree() != last {
				t.Errorf("the state has tree %s, want that of the last snapshot, %s", again.Tree(), last)
			}
			w.check("afterwards", want)
		})
	}
}

func TestPartsOfATree(t *testing.T) {
	t.Parallel()
	b := newSandbox(t)
	for i := range 3 {
		for j := range 40 { // one directory has nearly all
			b.write(filepath.Join("big", fmt.Sprint(i), fmt.Sprint(j), "f"), "x")
		}
	}
	b.write("small/f", "x")
	b.commit("one")
	w := b.watch("own", false)
	w.check("first", b.wantTree())
	for _, limit := range []int{0, 1, 39, 40, 41, 1000} {
		e := w.open()
		upper, parts := e.root.cut(limit)
		seen := map[string]int{}
		for _, d := range upper {
			seen[d.path]++
		}
		for _, p := range parts {
			list := p.all(nil)
			if len(list) > limit+1 {
				t.Errorf("limit %d: the part %s has %d directories", limit, p.path, len(list))
			}
			for _, d := range list {
				seen[d.path]++
			}
		}
		if len(seen) != 1+2+3+3*40 {
			t.Errorf("limit %d: %d directories", limit, len(seen))
		}
		for path, n := range seen {
			if n != 1 {
				t.Errorf("limit %d: %q is there %d times", limit, path, n)
			}
		}
		e.Close()
	}
}
