package snapshot

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"testing"
)

// wide is a work tree of many directories with a state of it.
func wide(t *testing.T) *watcher {
	t.Helper()
	b := newSandbox(t)
	for i := range 60 {
		b.write(fmt.Sprintf("d%02d/e/f", i), fmt.Sprint(i))
		b.write(fmt.Sprintf("d%02d/g", i), fmt.Sprint(i))
	}
	b.commit("one")
	w := b.watch("own", false)
	w.check("first", b.wantTree())
	return w
}

func TestASnapshotOfOneFileReadsTheDirectoriesAboveIt(t *testing.T) {
	t.Parallel()
	w := wide(t)
	w.write("d07/e/f", "changed")
	want := w.wantTree()
	e := w.open()
	defer e.Close()
	snap, err := e.Scoped(context.Background(), []string{"d07/e/f"})
	w.must(err)
	if snap.Tree.String() != want {
		t.Fatalf("tree %s, want %s", snap.Tree, want)
	}
	// The top, its 60 children, and d07/e.
	if n := len(e.root.known(nil)); n != 62 {
		t.Errorf("%d directories were read, want 62", n)
	}
	w.must(e.Save())
	w.checkSaved(e)
}

// damage changes the records of one directory in the state file: an entry's name is found and spoilt.
func damage(w *watcher, path string) {
	w.Helper()
	data, err := os.ReadFile(w.state)
	w.must(err)
	at := bytes.LastIndex(data, []byte(path))
	if at < 0 {
		w.Fatalf("%s is not in the state", path)
	}
	data[at] ^= 1
	w.must(os.WriteFile(w.state, data, 0o600))
}

func TestDamageToTheStateIsFoundWhereItIsRead(t *testing.T) {
	t.Parallel()
	for _, scoped := range []bool{true, false} {
		t.Run(fmt.Sprint("scoped ", scoped), func(t *testing.T) {
			t.Parallel()
			w := wide(t)
			damage(w, "d31/e")
			w.write("d07/e/f", "changed")
			want := w.wantTree()
			e := w.open()
			defer e.Close()
			if scoped { // another directory's
				snap, err := e.Scoped(context.Background(), []string{"d07/e/f"})
				w.must(err)
				if snap.Seeded || snap.Tree.String() != want {
					t.Errorf("beside the damage: seeded %v, tree %s, want %s", snap.Seeded, snap.Tree, want)
				}
				w.write("d31/e/f", "changed")
				want = w.wantTree()
				snap, err = e.Scoped(context.Background(), []string{"d31/e/f"})
				w.must(err)
				if !snap.Seeded || snap.Tree.String() != want {
					t.Errorf("at the damage: seeded %v, tree %s, want %s", snap.Seeded, snap.Tree, want)
				}
			} else {
				snap, err := e.Full(context.Background())
				w.must(err)
				if !snap.Seeded || snap.Tree.String() != want {
					t.Errorf("seeded %v, tree %s, want %s", snap.Seeded, snap.Tree, want)
				}
			}
			w.must(e.Save())
			w.checkSaved(e)
			w.last = e.Tree()
			w.check("afterwards", want)
		})
	}
}

func TestAStateThatCannotBeWrittenWholeIsGivenUp(t *testing.T) {
	t.Parallel()
	w := wide(t)
	damage(w, "d31/e")
	w.write("d07/e/f", "changed")
	e := w.open()
	defer e.Close()
	_, err := e.Scoped(context.Background(), []string{"d07/e/f"})
	w.must(err)
	w.must(os.WriteFile(journalPath(w.state), make([]byte, 1), 0o600)) // so that the state has to be written anew
	w.must(e.Save())
	again := w.open()
	defer again.Close()
	if !again.Tree().IsZero() {
		t.Error("a damaged state is still there")
	}
}
