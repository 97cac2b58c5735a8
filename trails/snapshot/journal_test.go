package snapshot

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"testing"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// journalled is a work tree with a state file and a journal behind it, and the trees after each snapshot.
func journalled(t *testing.T, snapshots int) (w *watcher, trees []string, ends []int64) {
	t.Helper()
	b := newSandbox(t)
	for i := range 40 {
		b.write(fmt.Sprintf("d%d/e/f", i), fmt.Sprint(i))
	}
	b.commit("one")
	w = b.watch("own", false)
	w.check("first", b.wantTree())
	trees, ends = []string{w.last.String()}, []int64{0}
	for i := range snapshots {
		switch i % 4 {
		case 0:
			b.write("d1/e/f", fmt.Sprint("again ", i))
		case 1:
			b.write(fmt.Sprintf("new%d/x/y", i), "new")
		case 2:
			b.must(os.RemoveAll(b.path(fmt.Sprintf("d%d", i))))
		case 3:
			b.write(".gitignore", fmt.Sprintf("d3%d\n", i%10))
		}
		w.check(fmt.Sprint("snapshot ", i), b.wantTree())
		info, err := os.Stat(journalPath(w.state))
		b.must(err)
		trees, ends = append(trees, w.last.String()), append(ends, info.Size())
	}
	return w, trees, ends
}

func TestSmallChangesGoBehindTheJournal(t *testing.T) {
	t.Parallel()
	w, _, ends := journalled(t, 8)
	before, err := os.Stat(w.state)
	w.must(err)
	for i := 1; i < len(ends); i++ {
		if ends[i] <= ends[i-1] {
			t.Errorf("the journal has %d bytes after snapshot %d, %d before", ends[i], i, ends[i-1])
		}
	}
	time.Sleep(30 * time.Millisecond)
	w.check("nothing", w.wantTree())
	w.check("nothing at all", w.wantTree())
	after, err := os.Stat(w.state)
	w.must(err)
	if !os.SameFile(before, after) {
		t.Error("the state file was replaced for nothing")
	}
	long := minJournal / 200
	for i := range long { // names enough to fill a journal
		w.write(fmt.Sprintf("many/a file with a long name, so that the journal fills, number %d", i), "x")
	}
	w.check("many", w.wantTree())
	w.write("d1/e/f", "beyond the limit")
	for i := range 40 {
		w.write(fmt.Sprintf("many/a file with a long name, so that the journal fills, number %d", i), "y")
		w.check("more", w.wantTree())
		if now, err := os.Stat(w.state); err == nil && !os.SameFile(after, now) {
			if _, err := os.Stat(journalPath(w.state)); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the old journal is still there: %v", err)
			}
			return
		}
	}
	t.Error("the state file was never written anew")
}

// Whatever a killed process or a machine that lost its power leaves of a journal, the state is that of one of the
// snapshots, and the next one is right.
func TestACutJournalIsAnEarlierState(t *testing.T) {
	t.Parallel()
	w, trees, ends := journalled(t, 5)
	whole, err := os.ReadFile(journalPath(w.state))
	w.must(err)
	state, err := os.ReadFile(w.state)
	w.must(err)
	now := w.wantTree()
	for n := 0; n <= len(whole); n += 1 + len(whole)/60 {
		w.must(os.WriteFile(w.state, state, 0o600))
		w.must(os.WriteFile(journalPath(w.state), whole[:n], 0o600))
		want := trees[0]
		for i, end := range ends {
			if int64(n) >= end {
				want = trees[i]
			}
		}
		e := w.open()
		if e.Tree().String() != want {
			t.Fatalf("cut to %d bytes: tree %s, want %s", n, e.Tree(), want)
		}
		last, err := LastTree(w.state, w.repo.Format)
		w.must(err)
		if last != e.Tree() {
			t.Fatalf("cut to %d bytes: the last tree is said to be %s", n, last)
		}
		e.Close()
		w.last, err = refs.ParseOID(want)
		w.must(err)
		w.check(fmt.Sprint("cut to ", n), now)
	}
}

func TestAJournalOfAnotherStateIsLeftAlone(t *testing.T) {
	t.Parallel()
	w, _, _ := journalled(t, 3)
	old, err := os.ReadFile(journalPath(w.state))
	w.must(err)
	w.write("later", "x")
	e := w.open()
	_, err = e.Full(t.Context())
	w.must(err)
	w.must(e.writeAll())
	w.must(os.WriteFile(journalPath(w.state), old, 0o600))
	again := w.open()
	if again.Tree() != e.Tree() || again.store.journal != 0 {
		t.Errorf("tree %s, want %s; %d bytes of the journal counted", again.Tree(), e.Tree(), again.store.journal)
	}
	w.last = e.Tree()
	w.write("d1/e/f", "behind a foreign journal")
	w.check("then", w.wantTree())
	w.check("and then", w.wantTree())
}

func FuzzReplay(f *testing.F) {
	m, root := sampleState()
	state := encodeState(m, root, refs.SHA1)
	e := &Engine{repo: &refs.Repo{Format: refs.SHA1}, meta: m, root: root}
	e.store.dropped = []string{"sub"}
	root.flags, root.subs[0].saved.head = 0, nil
	record, _ := e.record(meta{Env: "x"}.other())
	f.Add(record)
	f.Fuzz(func(t *testing.T, record []byte) {
		if len(record) >= 8 { // what has no good check sum is not looked at
			binary.LittleEndian.PutUint32(record, uint32(len(record)-8))
			end := len(record) - 4
			binary.LittleEndian.PutUint32(record[end:], crc32.ChecksumIEEE(record[4:end]))
		}
		h, m, root, err := decodeState(state, refs.SHA1)
		if err != nil {
			t.Fatal(err)
		}
		st := &store{sum: 7, file: h.file}
		if replay(append(journalHeader(7), record...), refs.SHA1, st, &m, root) != nil {
			return
		}
		encodeState(m, root, refs.SHA1)
	})
}
