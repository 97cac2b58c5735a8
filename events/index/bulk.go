package index

import (
	"bytes"
	"path/filepath"

	"go.etcd.io/bbolt"

	"github.com/git-trace/git-trace/events"
)

// A log that is long and not indexed yet, or only in a small part, is indexed in one go: all rows are sorted first, and
// then put behind each other. Rows put in the order of the log would have ids and paths that lie anywhere. They would
// change nearly all pages of the file in every transaction, and the database keeps what a transaction changes in
// memory: for a million events a gigabyte, and a file half as large again.

// bulkRest is how many bytes of events have to be missing; of less, memory holds what changes.
const bulkRest = 16 << 20

// bulkSizes are how many bytes of events are sorted at a time, and how many sorted rows go into one transaction.
type bulkSizes struct{ part, transaction int }

// usualSizes take some 30 MB of memory.
var usualSizes = bulkSizes{part: partBytes, transaction: 100_000}

// bulkPays reports whether to begin anew with a log whose first from bytes are indexed.
func bulkPays(c *events.Copy, from int64) bool {
	rest := c.Stored() - from
	return rest > bulkRest && rest > from/4
}

// storeWhole indexes a log anew. Until the last transaction the bucket says of itself nothing, and is not believed.
func storeWhole(db *bbolt.DB, c *events.Copy, sizes bulkSizes, progress func(at int64)) error {
	rows, err := newSpill(filepath.Dir(db.Path()))
	if err != nil {
		return err
	}
	defer rows.close()
	const parts = 4 // of the work; the last is the writing
	sums := newRecent()
	err = eachPart(c, 0, int64(sizes.part), indexedPart, func(part *recent, end int64) error {
		for id, t := range part.traces {
			sums.trace(id).join(*t)
		}
		progress(end / parts * (parts - 1))
		return rows.add(part.rows)
	})
	if err != nil {
		return err
	}
	if err := db.Update(func(tx *bbolt.Tx) error { return emptyBucket(tx, c) }); err != nil {
		return err
	}
	if err := putSorted(db, c, rows, sizes.transaction, func(n int64) {
		progress(c.Stored()/parts*(parts-1) + c.Stored()/parts*n/max(rows.rows, 1))
	}); err != nil {
		return err
	}
	if err := db.Update(func(tx *bbolt.Tx) error { return sums.store(tx, c, c.Stored()) }); err != nil {
		return err
	}
	progress(c.Stored())
	return nil
}

// putSorted writes the rows to their bucket.
func putSorted(db *bbolt.DB, c *events.Copy, rows *spill, transaction int, progress func(n int64)) error {
	var tx *bbolt.Tx
	var bucket *bbolt.Bucket
	defer func() {
		if tx != nil {
			_ = tx.Rollback()
		}
	}()
	commit := func() error {
		if tx == nil {
			return nil
		}
		err := tx.Commit()
		tx = nil
		return err
	}
	n := int64(0)
	err := rows.sorted(func(r row) error {
		if tx == nil {
			var err error
			if tx, err = db.Begin(true); err != nil {
				return err
			}
			bucket = tx.Bucket([]byte(c.Ref())).Bucket([]byte(rowsBucket))
			bucket.FillPercent = packedTightly
		}
		if err := bucket.Put(r.key, bytes.Clone(r.run)); err != nil { // which the bucket keeps until it is committed
			return err
		}
		if n++; n%int64(transaction) > 0 {
			return nil
		}
		progress(n)
		return commit()
	})
	if err != nil {
		return err
	}
	return commit()
}
