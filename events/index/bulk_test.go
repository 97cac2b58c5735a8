package index

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"
)

// contents are the keys and values of all buckets. Of rows they are what each event of a run would have alone: how many
// events come into one run depends on where the parts of a log end.
func contents(t *testing.T, db *bbolt.DB) map[string]string {
	t.Helper()
	out := map[string]string{}
	var list func(path string, b *bbolt.Bucket) error
	list = func(path string, b *bbolt.Bucket) error {
		return b.ForEach(func(k, v []byte) error {
			if v == nil {
				return list(path+"/"+string(k), b.Bucket(k))
			}
			if !strings.HasSuffix(path, "/"+rowsBucket) {
				out[path+"/"+string(k)] = string(v)
				return nil
			}
			_, err := row{k, v}.expand(func(key []byte, at place) bool {
				out[path+"/"+string(key)] = fmt.Sprint(at)
				return true
			})
			return err
		})
	}
	check(t, db.View(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(name []byte, b *bbolt.Bucket) error { return list(string(name), b) })
	}))
	return out
}

func TestALogStoredWholeIsAsOneStoredInParts(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	story(t, repo, "one", 60)
	story(t, repo, "another", 40)
	copied := open(t, repo).texts[0]
	store := func(do func(db *bbolt.DB, progress func(int64)) error) map[string]string {
		t.Helper()
		dir := t.TempDir()
		db, err := bbolt.Open(filepath.Join(dir, "index.db"), 0o600, nil)
		check(t, err)
		last := int64(0)
		check(t, do(db, func(at int64) {
			if at < last || at > copied.Stored() {
				t.Errorf("progress %d after %d, of %d", at, last, copied.Stored())
			}
			last = at
		}))
		if last != copied.Stored() {
			t.Errorf("progress ends at %d of %d", last, copied.Stored())
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*.tmp")); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
		out := contents(t, db)
		check(t, db.Close())
		return out
	}
	want := store(func(db *bbolt.DB, progress func(int64)) error { return storeText(db, copied, progress) })
	if len(want) < 1000 {
		t.Fatalf("only %d rows", len(want))
	}
	got := store(func(db *bbolt.DB, progress func(int64)) error {
		check(t, storeText(db, copied, func(int64) {})) // what is there is done anew
		return storeWhole(db, copied, bulkSizes{part: 7000, transaction: 90}, progress)
	})
	for key, value := range want {
		if got[key] != value {
			t.Errorf("%q: %q, want %q", key, got[key], value)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d rows, want %d", len(got), len(want))
	}
}

// A build that ends half way, killed or for want of room, has written rows of which no reader must know.
func TestAHalfWrittenBucketIsNotBelieved(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	story(t, repo, "one", 60)
	ix := open(t, repo)
	want := answers(t, ix, []string{"one"}, 3)
	copied := ix.texts[0]
	check(t, removeStore(storePath(ix.log)))
	db, err := bbolt.Open(storePath(ix.log), 0o600, nil)
	check(t, err)
	rows, err := newSpill(t.TempDir())
	check(t, err)
	defer rows.close()
	r := newRecent()
	for line, err := range copied.Scan(0) {
		check(t, err)
		check(t, r.take(line))
	}
	check(t, rows.add(r.close()[:len(r.rows)/2]))
	check(t, db.Update(func(tx *bbolt.Tx) error { return emptyBucket(tx, copied) }))
	check(t, putSorted(db, copied, rows, 100, func(int64) {}))
	check(t, db.Close())
	if got := answers(t, open(t, repo), []string{"one"}, 3); got != want {
		t.Error("other answers after half a build")
	}
}
