package index

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"time"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"

	"github.com/git-trace/git-trace/events"
)

// The store is a bbolt file with a bucket for each log, named by its ref. In it are a bucket of rows, a bucket of
// summaries, and what build of the copy they are about and how far they go.
const (
	storeVersion = 7

	rowsBucket   = "rows"
	tracesBucket = "traces"
	metaKey      = "meta"
)

// storedMeta says what a bucket covers.
type storedMeta struct {
	Version    int    `json:"version"`
	Generation string `json:"generation"` // of the copy
	Indexed    int64  `json:"indexed"`    // offset in the copy up to which all events have their rows
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
		ix.store.close()
		ix.store = nil
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

// lacksMuch tells whether so little of the logs is indexed that storing pays.
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
		for _, s := range ix.sources {
			s.shelf = openShelf(tx.Bucket([]byte(s.copy.Ref())), s.copy)
		}
		return nil
	})
}

// asDamage tells a file that is no store from one not to be opened now.
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

// shelf is what the store has of one log.
type shelf struct {
	rows      *bbolt.Bucket
	summaries *bbolt.Bucket
	indexed   int64
}

// openShelf believes a bucket that is about this very build of the copy. The zero shelf is one that has nothing.
func openShelf(b *bbolt.Bucket, c *events.Copy) shelf {
	if b == nil {
		return shelf{}
	}
	meta, ok := readMeta(b)
	rows, summaries := b.Bucket([]byte(rowsBucket)), b.Bucket([]byte(tracesBucket))
	if !ok || rows == nil || summaries == nil || meta.Generation != c.Generation() || meta.Indexed > c.Stored() ||
		meta.Indexed < 0 {
		return shelf{}
	}
	return shelf{rows: rows, summaries: summaries, indexed: meta.Indexed}
}

func readMeta(b *bbolt.Bucket) (storedMeta, bool) {
	var meta storedMeta
	err := json.Unmarshal(b.Get([]byte(metaKey)), &meta)
	return meta, err == nil && meta.Version == storeVersion && meta.Generation != ""
}

func (s shelf) scan(prefix []byte, yield func(key []byte, at place) bool) error {
	if s.rows == nil {
		return nil
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

func (s shelf) seek(start []byte) (key []byte, at place, err error) {
	if s.rows == nil {
		return nil, place{}, nil
	}
	err = guarded(func() error {
		key, at, err = seek(&shelfCursor{c: s.rows.Cursor()}, start)
		return err
	})
	return key, at, err
}

func (s shelf) traces(yield func(Trace)) error {
	if s.summaries == nil {
		return nil
	}
	return guarded(func() error {
		return s.summaries.ForEach(func(_, v []byte) error {
			t, err := parseTrace(v)
			if err == nil {
				yield(t)
			}
			return err
		})
	})
}

// traceIDs gives the ids from the beginnings of the summaries, sorted.
func (s shelf) traceIDs(yield func(events.TraceID)) error {
	if s.summaries == nil {
		return nil
	}
	return guarded(func() error {
		return s.summaries.ForEach(func(_, v []byte) error {
			id, err := parseTraceID(v)
			if err == nil {
				yield(id)
			}
			return err
		})
	})
}

func (s shelf) trace(id events.TraceID) (t Trace, ok bool, err error) {
	if s.summaries == nil {
		return Trace{}, false, nil
	}
	err = guarded(func() error {
		v := s.summaries.Get(summaryKey(id))
		if v == nil {
			return nil
		}
		ok = true
		t, err = parseTrace(v)
		return err
	})
	return t, ok, err
}
