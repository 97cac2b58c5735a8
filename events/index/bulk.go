package index

import (
	"bytes"
	"path/filepath"

	"go.etcd.io/bbolt"
)

// A log that is long and not indexed yet, or only in a small part, is indexed in one go: all rows are sorted first, and
// then put behind each other. Rows put in the order of the log would have ids and paths that lie anywhere. They would
// change nearly all pages of the file in every transaction, and the database keeps what a transaction changes in
// memory: for a million events a gigabyte, and a file half as large again.

// bulkRest is the least number of missing bytes of events for that: if fewer are missing, memory holds the changes.
const bulkRest = 16 << 20

// bulkSizes are how many bytes of events are sorted at a time, and how many sorted rows go into one transaction.
type bulkSizes struct{ part, transaction int }

// usualSizes take some 30 MB of memory.
var usualSizes = bulkSizes{part: partBytes, transaction: 100_000}

// bulkPays reports whether to begin anew with a log whose first from bytes are indexed.
func bulkPays(t *text, from int64) bool {
	rest := t.Stored() - from
	return rest > bulkRest && rest > from/4
}

// storeWhole indexes a log anew. Until the last transaction the bucket says of itself nothing, and is not believed.
func storeWhole(db *bbolt.DB, t *text, sizes bulkSizes, progress func(at int64)) error {
	rows, err := newSpill(filepath.Dir(db.Path()))
	if err != nil {
		return err
	}
	defer rows.close()
	const parts = 4 // of the work; the last is the writing
	sums := newRecent()
	err = eachPart(t.Text, 0, int64(sizes.part), indexedPart, func(part *recent, end int64) error {
		for by, one := range part.traces {
			sums.log = by.log
			sums.trace(by.id).join(*one)
		}
		progress(end / parts * (parts - 1))
		return rows.add(part.rows)
	})
	if err != nil {
		return err
	}
	if err := db.Update(func(tx *bbolt.Tx) error { return emptyBucket(tx, t) }); err != nil {
		return err
	}
	if err := putSorted(db, t, rows, sizes.transaction, func(n int64) {
		progress(t.Stored()/parts*(parts-1) + t.Stored()/parts*n/max(rows.rows, 1))
	}); err != nil {
		return err
	}
	if err := db.Update(func(tx *bbolt.Tx) error { return sums.store(tx, t, t.Stored()) }); err != nil {
		return err
	}
	progress(t.Stored())
	return nil
}

// putSorted writes the rows to their bucket.
func putSorted(db *bbolt.DB, t *text, rows *spill, transaction int, progress func(n int64)) error {
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
			bucket = tx.Bucket([]byte(t.bucket)).Bucket([]byte(rowsBucket))
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
