package index

import (
	"bytes"
	"fmt"

	"go.etcd.io/bbolt"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs/codec"
)

// packedTightly is the share of a page that rows fill: most rows of a bucket come in one go and in order, and few
// between them later.
const packedTightly = 0.9

// buildChunk is the number of rows that go into one transaction.
const buildChunk = 200_000

// writeStore brings the file up to date. Each transaction says how far it got, so that a build may be killed at any
// moment and goes on from there.
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
		return ix.storeLogs(db)
	})
}

// likelySize is the least size of the file, in bytes. It is mapped whole at once: each time it outgrows its mapping,
// the database copies all that a transaction has in hand.
func (ix *Index) likelySize() int {
	total := int64(0)
	for _, s := range ix.sources {
		total += s.copy.Stored()
	}
	const ofLog, most = 5, 1 << 30 // the part of a log's bytes that its rows need; what 32 bits can map
	return int(min(total/ofLog, most))
}

// smallLog is the size of a log up to which it shares its transaction with others: each costs a flush of the disk.
const smallLog = 1 << 20

// storeLogs indexes what the file lacks of the logs: the large ones one by one, the small ones several at once.
func (ix *Index) storeLogs(db *bbolt.DB) error {
	var done, total int64
	for _, s := range ix.sources {
		total += s.copy.Stored()
	}
	progress := func(at int64) {
		if ix.progress != nil {
			ix.progress(done+at, total)
		}
	}
	var together []*events.Copy
	size := int64(0)
	flush := func() error {
		err := storeTogether(db, together)
		done += size
		together, size = nil, 0
		progress(0)
		return err
	}
	for _, s := range ix.sources {
		var err error
		switch c := s.copy; {
		case c.Generation() == "":
		case c.Stored() <= smallLog:
			together, size = append(together, c), size+c.Stored()
			if size > 8*smallLog {
				err = flush()
			}
		default:
			err = storeLog(db, c, progress)
			done += c.Stored()
		}
		if err != nil {
			return fmt.Errorf("write index: %w", err)
		}
	}
	if err := flush(); err != nil {
		return fmt.Errorf("write index: %w", err)
	}
	return nil
}

// storeTogether indexes what the buckets of logs lack, in one transaction.
func storeTogether(db *bbolt.DB, logs []*events.Copy) error {
	if len(logs) == 0 {
		return nil
	}
	return db.Update(func(tx *bbolt.Tx) error {
		list, err := openToWrite(tx)
		if err == nil {
			err = anew(tx, list, logs)
		}
		for _, c := range logs {
			if err == nil {
				err = storeSmall(tx, list, c)
			}
		}
		if err != nil {
			return err
		}
		return list.store()
	})
}

// anew takes out what there is of small logs that the catalogue does not cover as far as their buckets go.
func anew(tx *bbolt.Tx, list *catalogue, logs []*events.Copy) error {
	gone := map[uint32]bool{}
	for _, c := range logs {
		if !small(c) || list.covers(c) {
			continue
		}
		if n, stands := list.number(c.Ref()); stands {
			gone[n] = true
		}
		if err := emptyBucket(tx, c); err != nil {
			return err
		}
	}
	return list.drop(gone)
}

// storeSmall indexes what is lacking of a log, in its bucket and, unless it is the own one, in the catalogue.
func storeSmall(tx *bbolt.Tx, list *catalogue, c *events.Copy) error {
	from, err := prepareBucket(tx, c)
	if err != nil || from >= c.Stored() {
		return err
	}
	chunk, err := indexed(c, from, c.Stored())
	if err == nil {
		err = chunk.store(tx, c, c.Stored())
	}
	if err == nil && small(c) {
		err = list.take(c, chunk, c.Stored())
	}
	return err
}

// dropStrangers removes the logs that are no longer there, and makes room for those that are. Whoever reads the own log
// alone leaves the others where they are.
func (ix *Index) dropStrangers(tx *bbolt.Tx) error {
	if ix.alone {
		return nil
	}
	var gone [][]byte
	here := make(map[string]*events.Copy, len(ix.sources))
	for _, s := range ix.sources {
		here[s.copy.Ref()] = s.copy
	}
	err := tx.ForEach(func(name []byte, _ *bbolt.Bucket) error {
		if here[string(name)] == nil && string(name) != catalogueBucket {
			gone = append(gone, bytes.Clone(name))
		}
		return nil
	})
	for _, name := range gone {
		if err == nil {
			err = tx.DeleteBucket(name)
		}
	}
	if err != nil {
		return err
	}
	list, err := openToWrite(tx)
	if err != nil {
		return err
	}
	if err := list.keep(func(ref string) bool { return here[ref] != nil && small(here[ref]) }); err != nil {
		return err
	}
	return list.store()
}

// storeLog indexes what a bucket lacks of its log.
func storeLog(db *bbolt.DB, c *events.Copy, progress func(at int64)) error {
	from := int64(-1)
	err := db.Update(func(tx *bbolt.Tx) error {
		var err error
		from, err = prepareBucket(tx, c)
		return err
	})
	if err != nil || from >= c.Stored() {
		return err
	}
	if bulkPays(c, from) {
		return storeWhole(db, c, usualSizes, progress)
	}
	chunk := newRecent()
	flush := func(indexed int64) error {
		if err := db.Update(func(tx *bbolt.Tx) error { return chunk.store(tx, c, indexed) }); err != nil {
			return err
		}
		chunk = newRecent()
		progress(indexed)
		return nil
	}
	for line, err := range c.Scan(from) {
		if err != nil {
			return err
		}
		if line.Offset >= c.Stored() {
			break
		}
		if chunk.size() >= buildChunk {
			if err := flush(line.Offset); err != nil {
				return err
			}
		}
		if err := chunk.take(line); err != nil {
			return err
		}
	}
	return flush(c.Stored())
}

// prepareBucket tells from where a log has to be indexed. A bucket about another build of the copy starts anew.
func prepareBucket(tx *bbolt.Tx, c *events.Copy) (int64, error) {
	if b := tx.Bucket([]byte(c.Ref())); b != nil {
		if s := openShelf(b, c); s.rows != nil {
			return s.indexed, nil
		}
	}
	if err := emptyBucket(tx, c); err != nil {
		return 0, err
	}
	return 0, writeMeta(tx.Bucket([]byte(c.Ref())), c, 0)
}

// emptyBucket makes the bucket of a log, in the place of one that is there. It says nothing of itself yet.
func emptyBucket(tx *bbolt.Tx, c *events.Copy) error {
	name := []byte(c.Ref())
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

func writeMeta(b *bbolt.Bucket, c *events.Copy, indexed int64) error {
	w := codec.Writer{}
	meta := storedMeta{storeVersion, c.Generation(), indexed}
	meta.fields(&w)
	return b.Put([]byte(metaKey), w.Out)
}

// store writes the rows and adds the summaries to those that are there.
func (r *recent) store(tx *bbolt.Tx, c *events.Copy, indexed int64) error {
	b := tx.Bucket([]byte(c.Ref()))
	rows, summaries := b.Bucket([]byte(rowsBucket)), b.Bucket([]byte(tracesBucket))
	rows.FillPercent = packedTightly
	for _, row := range r.close() {
		if err := rows.Put(row.key, row.run); err != nil {
			return err
		}
	}
	for id, t := range r.traces {
		var sum Trace
		if v := summaries.Get(summaryKey(id)); v != nil {
			var err error
			if sum, err = parseTrace(v); err != nil {
				return err
			}
		}
		sum.join(*t)
		if err := summaries.Put(summaryKey(id), appendTrace(nil, &sum)); err != nil {
			return err
		}
	}
	return writeMeta(b, c, indexed)
}

func summaryKey(id events.TraceID) []byte { return exact(byTrace, string(id)) }
