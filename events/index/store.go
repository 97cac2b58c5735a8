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

// The store is a bbolt file with a bucket for each log, named by its ref. In it are a bucket of rows, a bucket of
// summaries, and what build of the copy they are about and how far they go. Beside them is the catalogue of small logs.
const (
	storeVersion = 9

	rowsBucket   = "rows"
	tracesBucket = "traces"
	metaKey      = "meta"
)

// storedMeta says what a bucket covers.
type storedMeta struct {
	version    int64
	generation string // of the copy
	indexed    int64  // offset in the copy up to which all events have their rows
}

func (m *storedMeta) fields(f codec.Fields) {
	f.Integer(&m.version)
	f.Text(&m.generation)
	f.Integer(&m.indexed)
}

// store is the open file and one reading transaction, which sees it as it was when it was begun.
type store struct {
	db *bbolt.DB
	tx *bbolt.Tx
}

// How long one waits for another process: a writer is soon done, a reader may stay for long.
const (
	waitForWriter  = 100 * time.Millisecond
	waitForReaders = time.Millisecond
)

// smallRest is how many bytes of events are rather indexed in memory by each reader than stored by one.
const smallRest = 64 << 10

// openStore opens the file and, if it lacks much, brings it up to date first. Nothing here is needed for an answer, so
// what goes wrong leaves the work to memory; only damage is an error, for the caches to be made anew.
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
	for _, s := range ix.sources {
		s.shelf = shelf{}
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
	for _, s := range ix.sources {
		rest += s.copy.Stored() - s.shelf.indexed
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
		if ix.small, err = openCatalogue(tx); err != nil {
			return err
		}
		for _, s := range ix.sources {
			covered, known := ix.small.shelf(s.copy)
			if !known {
				covered = openShelf(tx.Bucket([]byte(s.copy.Ref())), s.copy)
			}
			s.shelf = covered
		}
		return nil
	})
}

// asDamage tells a file that is not a store from one not to be opened now.
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
	ix.store, ix.small = nil, nil
}

func (s *store) close() {
	_ = guarded(func() error { return errors.Join(s.tx.Rollback(), s.db.Close()) })
}

// guarded turns what a spoiled file makes bbolt do (a panic, or a fault behind the end of the mapped file) into an
// error.
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

// shelf holds the rows of one log in the store.
type shelf struct {
	rows      *bbolt.Bucket // of a small log they are opened when something is sought in them
	summaries *bbolt.Bucket // nil for a small log: the catalogue has them
	indexed   int64
	small     *catalogue // nil for a log that does not stand in it
	number    uint32     // there
	log       *events.Copy
}

// open opens the rows of a small log.
func (s *shelf) open() error {
	if s.small == nil || s.rows != nil {
		return nil
	}
	return guarded(func() error {
		own := openShelf(s.small.tx.Bucket([]byte(s.log.Ref())), s.log)
		if own.rows == nil || own.indexed != s.indexed {
			return fmt.Errorf("%w: catalogue", errDamaged)
		}
		s.rows = own.rows
		return nil
	})
}

// eachSummary gives those whose keys begin so.
func (s *shelf) eachSummary(prefix []byte, yield func(summary []byte) error) error {
	if s.small != nil {
		list, err := s.small.summaries(s.number)
		if err != nil {
			return err
		}
		return guarded(func() error {
			for _, r := range list {
				if !bytes.HasPrefix(r.key, prefix) {
					continue
				}
				if err := yield(r.value); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if s.summaries == nil {
		return nil
	}
	return guarded(func() error {
		c := s.summaries.Cursor()
		for k, v := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, v = c.Next() {
			if err := yield(v); err != nil {
				return err
			}
		}
		return nil
	})
}

// openShelf believes a bucket that is about this very build of the copy. The zero shelf is one that has nothing.
func openShelf(b *bbolt.Bucket, c *events.Copy) shelf {
	if b == nil {
		return shelf{}
	}
	meta, ok := readMeta(b)
	rows, summaries := b.Bucket([]byte(rowsBucket)), b.Bucket([]byte(tracesBucket))
	if !ok || rows == nil || summaries == nil || meta.generation != c.Generation() || meta.indexed > c.Stored() ||
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

func (s *shelf) scan(prefix []byte, yield func(key []byte, at place) bool) error {
	if err := s.open(); err != nil || s.rows == nil {
		return err
	}
	return guarded(func() error {
		return scan(&shelfCursor{c: s.rows.Cursor()}, prefix, yield)
	})
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

func (s *shelf) seek(start []byte) (key []byte, at place, err error) {
	if err := s.open(); err != nil || s.rows == nil {
		return nil, place{}, err
	}
	err = guarded(func() error {
		key, at, err = seek(&shelfCursor{c: s.rows.Cursor()}, start)
		return err
	})
	return key, at, err
}

func (s *shelf) traces(yield func(Trace)) error {
	return s.eachSummary(nil, func(v []byte) error {
		t, err := parseTrace(v)
		if err == nil {
			yield(t)
		}
		return err
	})
}

// traceIDs gives the ids from the beginnings of the summaries, sorted.
func (s *shelf) traceIDs(yield func(events.TraceID)) error {
	return s.eachSummary(nil, func(v []byte) error {
		id, err := parseTraceID(v)
		if err == nil {
			yield(id)
		}
		return err
	})
}

func (s *shelf) trace(id events.TraceID) (t Trace, ok bool, err error) {
	if s.summaries == nil && s.small == nil {
		return Trace{}, false, nil
	}
	err = guarded(func() error {
		var v []byte
		if s.small != nil {
			v = s.small.traces.Get(numbered(summaryKey(id), s.number))
		} else {
			v = s.summaries.Get(summaryKey(id))
		}
		if v == nil {
			return nil
		}
		ok = true
		t, err = parseTrace(v)
		return err
	})
	return t, ok, err
}
