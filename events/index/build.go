package index

import (
	"bytes"
	"fmt"
	"slices"

	"go.etcd.io/bbolt"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/refs/codec"
)

// packedTightly is the share of a page that rows fill: most rows of a bucket come at once and in order, and later few
// come between them.
const packedTightly = 0.9

// buildChunk is the number of rows in one transaction. Rows in order fill the pages, and the database keeps the changes
// of a transaction in memory.
const buildChunk = 400_000

// partBytes is the number of bytes of a log that one processor reads at a time.
const partBytes = 8 << 20

// writeStore brings the file up to date. Each transaction notes its progress. So a build may be killed at any moment,
// and the next one continues.
func (ix *Index) writeStore(path string) error {
	return guarded(func() error {
		db, err := bbolt.Open(path, 0o666, &bbolt.Options{Timeout: waitForReaders, NoFreelistSync: true,
			FreelistType: bbolt.FreelistMapType, InitialMmapSize: ix.likelySize()})
		if err != nil {
			return fmt.Errorf("open %w", asDamage(err))
		}
		defer func() { _ = db.Close() }()
		if err := db.Update(ix.dropStrangers); err != nil {
			return fmt.Errorf("write index: %w", err)
		}
		return ix.storeTexts(db)
	})
}

// likelySize returns the likely size of the file, in bytes. That much is mapped at once: whenever the file outgrows the
// mapping, the database copies all data of the transaction.
func (ix *Index) likelySize() int {
	total := int64(0)
	for _, t := range ix.texts {
		total += t.Stored()
	}
	const ofLog, most = 5, 1 << 30 // share of a log's bytes that its rows need; bytes that 32 bits can map
	return int(min(total/ofLog, most))
}

// storeTexts indexes the events that are missing in the file.
func (ix *Index) storeTexts(db *bbolt.DB) error {
	var done, total int64
	for _, t := range ix.texts {
		total += t.Stored()
	}
	for _, t := range ix.texts {
		if t.Generation() == "" {
			continue
		}
		if err := storeText(db, t, func(at int64) {
			if ix.progress != nil {
				ix.progress(done+at, total)
			}
		}); err != nil {
			return fmt.Errorf("write index: %w", err)
		}
		done += t.Stored()
	}
	return nil
}

// dropStrangers removes the texts that no longer exist. A reader of only some logs keeps the others.
func (ix *Index) dropStrangers(tx *bbolt.Tx) error {
	if ix.alone || ix.signed {
		return nil
	}
	var gone [][]byte
	err := tx.ForEach(func(name []byte, _ *bbolt.Bucket) error {
		if !slices.ContainsFunc(ix.texts, func(t *text) bool { return t.bucket == string(name) }) {
			gone = append(gone, bytes.Clone(name))
		}
		return nil
	})
	for _, name := range gone {
		if err == nil {
			err = tx.DeleteBucket(name)
		}
	}
	return err
}

// storeText indexes the part of a text that is missing in its bucket.
func storeText(db *bbolt.DB, t *text, progress func(at int64)) error {
	from := int64(-1)
	err := db.Update(func(tx *bbolt.Tx) error {
		var err error
		from, err = prepareBucket(tx, t)
		return err
	})
	if err != nil || from >= t.Stored() {
		return err
	}
	chunk := newRecent()
	return fault.InOrder(t.Parts(from, t.Stored(), partBytes), indexedPart, func(part *recent) error {
		chunk.join(part)
		if len(chunk.rows) < buildChunk && part.end < t.Stored() {
			progress(part.end * 3 / 4) // the last quarter is for writing
			return nil
		}
		rows := chunk
		chunk = newRecent()
		if err := db.Update(func(tx *bbolt.Tx) error { return rows.store(tx, t, part.end) }); err != nil {
			return err
		}
		progress(part.end)
		return nil
	})
}

// prepareBucket returns the offset from which a text must be indexed. It replaces a bucket of another build of the
// text.
func prepareBucket(tx *bbolt.Tx, t *text) (int64, error) {
	if b := tx.Bucket([]byte(t.bucket)); b != nil {
		if s := openShelf(b, t.Text); s.rows != nil {
			return s.indexed, nil
		}
	}
	if err := emptyBucket(tx, t); err != nil {
		return 0, err
	}
	return 0, writeMeta(tx.Bucket([]byte(t.bucket)), t, 0)
}

// emptyBucket makes an empty bucket for a text, and replaces an old one. The caller writes its head.
func emptyBucket(tx *bbolt.Tx, t *text) error {
	name := []byte(t.bucket)
	if tx.Bucket(name) != nil {
		if err := tx.DeleteBucket(name); err != nil {
			return err
		}
	}
	b, err := tx.CreateBucket(name)
	if err != nil {
		return err
	}
	for _, child := range []string{rowsBucket, tracesBucket} {
		if _, err := b.CreateBucket([]byte(child)); err != nil {
			return err
		}
	}
	return nil
}

func writeMeta(b *bbolt.Bucket, t *text, indexed int64) error {
	w := codec.Writer{}
	meta := storedMeta{storeVersion, t.Generation(), indexed}
	meta.fields(&w)
	return b.Put([]byte(metaKey), w.Out)
}

// store writes the rows and adds the summaries to the stored ones.
func (r *recent) store(tx *bbolt.Tx, t *text, indexed int64) error {
	b := tx.Bucket([]byte(t.bucket))
	rows, summaries := b.Bucket([]byte(rowsBucket)), b.Bucket([]byte(tracesBucket))
	rows.FillPercent = packedTightly
	for _, row := range r.close() {
		if err := rows.Put(row.key, row.run); err != nil {
			return err
		}
	}
	for by, one := range r.traces {
		var sum Trace
		if v := summaries.Get(by.key()); v != nil {
			var err error
			if sum, err = parseTrace(v); err != nil {
				return err
			}
		}
		sum.join(*one)
		if err := summaries.Put(by.key(), appendTrace(nil, &sum)); err != nil {
			return err
		}
	}
	return writeMeta(b, t, indexed)
}

func summaryKey(id events.TraceID) []byte { return exact(byTrace, string(id)) }
