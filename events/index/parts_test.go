package index

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/git-trace/git-trace/internal/fault"
)

// Wherever a log is cut into parts, the digest of the parts is that of the log.
func TestALogReadInPartsIsTheSameLog(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	story(t, repo, "one", 30)
	for n := range 5 {
		wrote(t, repo, n, "alpha", fmt.Sprint("line of ", n))
	}
	c := open(t, repo).texts[0].Text
	var whole *digester
	for _, size := range []int64{c.Size() + 1, 1, 97, 5000} {
		joined := newDigester()
		check(t, fault.InOrder(c.Parts(0, c.Size(), size), digestedPart, func(part *digester) error {
			joined.join(part)
			return nil
		}))
		if whole == nil {
			whole = joined
		}
		if len(joined.rows) == 0 || len(joined.heads) == 0 {
			t.Fatal("a log that says nothing")
		}
		if !bytes.Equal(sortedRows(joined.rows), sortedRows(whole.rows)) || !slices.Equal(joined.heads[0], whole.heads[0]) {
			t.Errorf("parts of %d bytes give another digest", size)
		}
	}
}

// A run holds what its events would have alone, and a reader finds each of them, also in the middle of it.
func TestEachEventOfARunIsFound(t *testing.T) {
	t.Parallel()
	const count = 3*mostInRun + 5
	r := newRecent()
	for n := range int64(count) {
		r.put(byType, "a", 2*n+1, place{100 * n, int(n)})
		r.put(byType, "b", 2*n+2, place{100*n + 50, 7})
	}
	rows := r.close()
	if len(rows) != 8 {
		t.Errorf("%d rows", len(rows))
	}
	found := 0
	number := func(term string, seq int64) []byte {
		key := binary.BigEndian.AppendUint32(exact(byType, term), 0)
		return binary.BigEndian.AppendUint64(key, uint64(seq))
	}
	check(t, from(&rowList{rows: rows}, exact(byType, "a"), func(k []byte, at place) bool {
		if !bytes.HasPrefix(k, exact(byType, "a")) {
			return false
		}
		if want := (place{int64(100 * found), found}); at != want || !bytes.Equal(k, number("a", int64(2*found+1))) {
			t.Errorf("event %d of a: %q at %v, want %v", found, k, at, want)
		}
		found++
		return true
	}))
	if found != count {
		t.Errorf("%d events of a, want %d", found, count)
	}
	seek := func(start []byte) (key []byte, at place, err error) {
		err = from(&rowList{rows: rows}, start, func(k []byte, a place) bool {
			key, at = bytes.Clone(k), a
			return false
		})
		return key, at, err
	}
	for n := range int64(count) {
		if k, at, err := seek(number("b", 2*n+1)); err != nil || at.offset != 100*n+50 ||
			!bytes.Equal(k, number("b", 2*n+2)) {
			t.Errorf("behind %d: %q at %v, %v", 2*n+1, k, at, err)
		}
	}
	if k, _, err := seek(append(exact(byType, "b")[:2], 1)); k != nil || err != nil {
		t.Errorf("behind the last: %q, %v", k, err)
	}
}

// Events that do not stand in the order of their numbers, as of a log that lost some, begin runs of their own.
func TestARunHasNoStepBack(t *testing.T) {
	t.Parallel()
	r := newRecent()
	for i, seq := range []int64{5, 6, 3, 4, 4} {
		r.put(byType, "a", seq, place{int64(10 * i), 1})
	}
	var seen []string
	for _, row := range r.close() {
		_, err := row.expand(func(k []byte, at place) bool {
			seen = append(seen, fmt.Sprintf("%d@%d", k[len(k)-1], at.offset))
			return true
		})
		check(t, err)
	}
	slices.Sort(seen)
	if want := []string{"3@20", "4@30", "4@40", "5@0", "6@10"}; !slices.Equal(seen, want) {
		t.Errorf("%q, want %q", seen, want)
	}
}

// The store may hold anything.
func FuzzRun(f *testing.F) {
	r := newRun(append(exact(byType, "a"), 0, 0, 0, 0), 3, place{10, 20})
	r.take(5, place{40, 2})
	f.Add(r.key, r.run)
	f.Add([]byte("short"), []byte{})
	f.Fuzz(func(t *testing.T, key, run []byte) {
		n := 0
		_, err := row{key, run}.expand(func(k []byte, at place) bool {
			if n++; len(k) != len(key) || at.offset < 0 {
				t.Errorf("%q at %v", k, at)
			}
			return true
		})
		if err != nil && !damaged(err) {
			t.Errorf("another error: %v", err)
		}
	})
}
