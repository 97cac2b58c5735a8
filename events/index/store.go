package index

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"time"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs/codec"
)

// The store is a bbolt file with a bucket for each text. It holds a bucket of rows, a bucket of summaries, the
// build of the text, and the end of the indexed part.
const (
	storeVersion = 12

	rowsBucket   = "rows"
	tracesBucket = "traces"
	metaKey      = "meta"
)

// storedMeta describes the part of a text in a bucket.
type storedMeta struct {
	version    int64
	generation string // generation of the text
	indexed    int64  // all events before this offset in the text have their rows
}

func (m *storedMeta) fields(f codec.Fields) {
	f.Integer(&m.version)
	f.Text(&m.generation)
	f.Integer(&m.indexed)
}

// store is the open file with one read transaction, which sees the state at its beginning.
type store struct {
	db *bbolt.DB
	tx *bbolt.Tx
}

// The times to wait for another process: a writer is soon done, a reader may stay for long.
const (
	waitForWriter  = 100 * time.Millisecond
	waitForReaders = time.Millisecond
)

// smallRest limits the number of bytes of events that each reader indexes in memory and nobody stores.
const smallRest = 64 << 10

// openStore opens the file. If many events are missing in it, openStore adds them first. An answer does not need the
// store: after a failure, memory does the work. Only damage is an error: then the caches are made again.
func (ix *Index) openStore(build bool) error {
	path := storePath(ix.log)
	if err := ix.readStore(path); damaged(err) {
		return err
	}
	if !ix.lacksMuch() && !build {
		return nil
	}
	if ix.store != nil {
		ix.closeStore()
	}
	for _, t := range ix.texts {
		t.shelf = shelf{}
	}
	if err := ix.writeStore(path); damaged(err) || build && err != nil {
		return err
	}
	if err := ix.readStore(path); damaged(err) {
		return err
	}
	return nil
}

// lacksMuch reports whether so little of the logs is indexed that storing pays.
func (ix *Index) lacksMuch() bool {
	var rest int64
	for _, t := range ix.texts {
		rest += t.Stored() - t.shelf.indexed
	}
	return rest > smallRest
}

func (ix *Index) readStore(path string) error {
	if _, err := os.Stat(path); err != nil {
		return err
	}
	return guarded(func() error {
		db, err := bbolt.Open(path, 0o666, &bbolt.Options{ReadOnly: true, Timeout: waitForWriter})
		if err != nil {
			return fmt.Errorf("open %w", asDamage(err))
		}
		tx, err := db.Begin(false)
		if err != nil {
			_ = db.Close()
			return fmt.Errorf("open index: %w", err)
		}
		ix.store = &store{db: db, tx: tx}
		for _, t := range ix.texts {
			t.shelf = openShelf(tx.Bucket([]byte(t.bucket)), t.Text)
		}
		return nil
	})
}

// asDamage marks the error of a file that is not a store as damage, unless the file only cannot be opened now.
func asDamage(err error) error {
	if errors.Is(err, bbolterrors.ErrTimeout) || errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		return err
	}
	return fmt.Errorf("%w: %w", errDamaged, err)
}

func (ix *Index) closeStore() {
	ix.store.close()
	ix.store = nil
}

func (s *store) close() {
	_ = guarded(func() error { return errors.Join(s.tx.Rollback(), s.db.Close()) })
}

// `guarded` runs a function, and turns bbolt's failures on a spoiled file (a panic, or a fault after the end of the
// mapped file) into an error.
func guarded(do func() error) (err error) {
	before := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(before)
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", errDamaged, r)
		}
	}()
	return do()
}

func removeStore(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// shelf holds the rows and the summaries of one text in the store.
type shelf struct {
	rows, summaries *bbolt.Bucket
	indexed         int64
}

// eachSummary yields the summaries whose keys have a prefix.
func (s *shelf) eachSummary(prefix []byte, yield func(key, summary []byte) error) error {
	if s.summaries == nil {
		return nil
	}
	return guarded(func() error {
		c := s.summaries.Cursor()
		for k, v := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, v = c.Next() {
			if err := yield(k, v); err != nil {
				return err
			}
		}
		return nil
	})
}

// openShelf returns the rows and summaries in a bucket, if the bucket was made from the present build of the text.
// Otherwise it returns the zero shelf, which is empty.
func openShelf(b *bbolt.Bucket, t *events.Text) shelf {
	if b == nil {
		return shelf{}
	}
	meta, ok := readMeta(b)
	rows, summaries := b.Bucket([]byte(rowsBucket)), b.Bucket([]byte(tracesBucket))
	if !ok || rows == nil || summaries == nil || meta.generation != t.Generation() || meta.indexed > t.Stored() ||
		meta.indexed < 0 {
		return shelf{}
	}
	return shelf{rows: rows, summaries: summaries, indexed: meta.indexed}
}

func readMeta(b *bbolt.Bucket) (storedMeta, bool) {
	var meta storedMeta
	r := codec.Reader{In: string(b.Get([]byte(metaKey)))}
	meta.fields(&r)
	return meta, r.End() == nil && meta.version == storeVersion && meta.generation != ""
}

// cursor goes through the rows.
func (s *shelf) cursor(read func(rowCursor) error) error {
	if s.rows == nil {
		return nil
	}
	return guarded(func() error { return read(&shelfCursor{c: s.rows.Cursor()}) })
}

// shelfCursor goes through the stored rows.
type shelfCursor struct{ c *bbolt.Cursor }

func (s *shelfCursor) before(key []byte) row {
	if k, _ := s.c.Seek(key); k == nil {
		return storedRow(s.c.Last())
	}
	if k, v := s.c.Prev(); k != nil {
		return row{k, v}
	}
	return storedRow(s.c.First())
}

func (s *shelfCursor) next() row { return storedRow(s.c.Next()) }

func storedRow(key, run []byte) row { return row{key, run} }
