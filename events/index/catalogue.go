package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"go.etcd.io/bbolt"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/codec"
)

// A thousand logs may have been fetched, most of them small. To look into the bucket of each costs more than everything
// else. So a bucket beside them says which small logs have something of a term:
//
//	terms   kind · term · NUL · number of a log → inRow and the one row that the log has of the term, or inLog
//	traces  the key of a summary · number of a log → the summary, as the log's own bucket has it
//	logs    catalogued logs; the number of one is its place among them
//
// A number is four bytes, big-endian. Terms name a log at least where it has something. They may name it besides.
const (
	catalogueBucket = "small logs" // no ref has a space
	termsBucket     = "terms"
	logsKey         = "logs"
	numberLength    = 4
)

// What the value of a term begins with: the row follows, the number of its first event before its run; or the bucket of
// the log has several.
const (
	inRow = 'r'
	inLog = 'l'
)

// cataloguedLog says what the catalogue covers of a log; the zero value is a free place.
type cataloguedLog struct {
	ref, generation string
	indexed         int64
}

func (l *cataloguedLog) fields(f codec.Fields) {
	codec.Texts(f, &l.ref, &l.generation)
	f.Integer(&l.indexed)
}

// catalogue holds the contents of the bucket while its transaction lasts.
type catalogue struct {
	tx            *bbolt.Tx
	terms, traces *bbolt.Bucket
	logs          []cataloguedLog
	numbers       map[string]uint32 // by refs; nil until one is sought out of their order
	next          uint32            // the number that is probably sought next
	sums          [][]summaryRow    // by number; nil until they are asked for
	of            *placesOfLogs     // nil until they are asked for
}

// summaryRow is a stored summary.
type summaryRow struct{ key, value []byte }

// openCatalogue gives nil where there is none.
func openCatalogue(tx *bbolt.Tx) (*catalogue, error) {
	b := tx.Bucket([]byte(catalogueBucket))
	if b == nil {
		return nil, nil
	}
	c := &catalogue{tx: tx, terms: b.Bucket([]byte(termsBucket)), traces: b.Bucket([]byte(tracesBucket))}
	r := codec.Reader{In: string(b.Get([]byte(logsKey)))}
	version := int64(0)
	if r.Integer(&version); version != storeVersion { // of another form, or not written to its end
		return nil, nil
	}
	codec.List(&r, &c.logs, func(l *cataloguedLog) { l.fields(&r) })
	if err := r.End(); err != nil || c.terms == nil || c.traces == nil {
		return nil, fmt.Errorf("%w: catalogue", errDamaged)
	}
	return c, nil
}

// number is the number of a log. Whoever asks for many does so in the order in which they were put there.
func (c *catalogue) number(ref string) (n uint32, stands bool) {
	if int(c.next) < len(c.logs) && c.logs[c.next].ref == ref {
		c.next++
		return c.next - 1, true
	}
	if c.numbers == nil {
		c.numbers = make(map[string]uint32, len(c.logs))
		for n := range c.logs {
			if ref := c.logs[n].ref; ref != "" {
				c.numbers[ref] = uint32(n)
			}
		}
	}
	if n, stands = c.numbers[ref]; stands {
		c.next = n + 1
	}
	return n, stands
}

// shelf returns the rows of a log in the store, if the catalogue covers this very build of its copy.
func (c *catalogue) shelf(log *events.Copy) (shelf, bool) {
	if c == nil {
		return shelf{}, false
	}
	n, stands := c.number(log.Ref())
	if !stands {
		return shelf{}, false
	}
	l := &c.logs[n]
	return shelf{indexed: l.indexed, small: c, number: n, log: log},
		l.generation == log.Generation() && l.indexed >= 0 && l.indexed <= log.Stored()
}

// numbered adds the number of a log to a key.
func numbered(key []byte, number uint32) []byte {
	return binary.BigEndian.AppendUint32(slices.Clip(key), number)
}

func numberOf(key []byte) uint32 { return binary.BigEndian.Uint32(key[len(key)-numberLength:]) }

// catalogued reports whether the catalogue has the terms of a kind. It would be as large as the logs with those that
// hardly two events share.
func (k kind) catalogued() bool { return k != byNumber && !k.unique() }

// holder is a log with what the catalogue has of some rows.
type holder struct {
	*source
	at    int   // among all logs
	rows  []row // of the stored part
	whole bool  // these are all of them
}

// holding gives the logs that may have rows with this beginning of their keys.
func (ix *Index) holding(prefix []byte) ([]holder, error) {
	if ix.small == nil || !kind(prefix[0]).catalogued() {
		out := make([]holder, len(ix.sources))
		for i, s := range ix.sources {
			out[i] = holder{source: s, at: i}
		}
		return out, nil
	}
	of := ix.small.places(ix.sources)
	var out []holder
	for _, at := range of.always {
		s := ix.sources[at]
		out = append(out, holder{source: s, at: at, whole: s.shelf.small != nil})
	}
	err := ix.small.each(prefix, func(n uint32, r row, whole bool) {
		at := of.small[n]
		if at == 0 { // of a log that is not read
			return
		}
		i, known := slices.BinarySearchFunc(out, at, func(h holder, at int) int { return cmp.Compare(h.at, at) })
		if !known {
			out = slices.Insert(out, i, holder{source: ix.sources[at], at: at, whole: true})
		}
		h := &out[i]
		if h.whole = h.whole && whole; whole {
			h.rows = append(h.rows, r)
		}
	})
	return out, err
}

// placesOfLogs maps logs to their places among the logs that are read.
type placesOfLogs struct {
	small  []int // by number; 0, where the own log stands, for one that is not read
	always []int // those that are asked in any case: they are not in the catalogue, or have more than it covers
}

func (c *catalogue) places(sources []*source) *placesOfLogs {
	if c.of == nil {
		c.of = &placesOfLogs{small: make([]int, len(c.logs))}
		for at, s := range sources {
			if s.shelf.small != nil {
				c.of.small[s.shelf.number] = at
			}
			if s.shelf.small == nil || s.copy.Size() > s.shelf.indexed {
				c.of.always = append(c.of.always, at)
			}
		}
	}
	return c.of
}

// each gives what the catalogue has of the terms that begin so: the row of a log, or that the log has several.
func (c *catalogue) each(prefix []byte, yield func(number uint32, r row, whole bool)) error {
	return guarded(func() error {
		at := c.terms.Cursor()
		for k, v := at.Seek(prefix); bytes.HasPrefix(k, prefix); k, v = at.Next() {
			n := numberOf(k)
			switch {
			case int(n) >= len(c.logs) || len(v) == 0:
				return fmt.Errorf("%w: catalogue", errDamaged)
			case v[0] == inLog:
				yield(n, row{}, false)
			case v[0] == inRow && len(v) > 9:
				key := make([]byte, 0, len(k)-numberLength+8)
				yield(n, row{append(append(key, k[:len(k)-numberLength]...), v[1:9]...), v[9:]}, true)
			default:
				return fmt.Errorf("%w: catalogue", errDamaged)
			}
		}
		return nil
	})
}

// scan gives the rows whose keys begin so, as scan of the log does. It is the beginning that the holder was asked for.
func (h *holder) scan(prefix []byte, yield func(key []byte, at place) bool) error {
	if !h.whole {
		return h.source.scan(prefix, yield)
	}
	err := guarded(func() error {
		for _, r := range h.rows {
			if goOn, err := r.expand(yield); !goOn || err != nil {
				return cmp.Or(err, errStopped)
			}
		}
		return nil
	})
	if errors.Is(err, errStopped) {
		return nil
	}
	if err != nil {
		return err
	}
	r, err := h.unstored()
	if err != nil {
		return err
	}
	return scan(&rowList{rows: r.rows}, prefix, yield)
}

// errStopped ends a scan that is not needed any more.
var errStopped = errors.New("stopped")

// summaries returns the summaries of a log.
func (c *catalogue) summaries(number uint32) ([]summaryRow, error) {
	if c.sums == nil {
		sums := make([][]summaryRow, len(c.logs))
		err := guarded(func() error {
			return c.traces.ForEach(func(k, v []byte) error {
				n := numberOf(k)
				if int(n) >= len(sums) {
					return fmt.Errorf("%w: catalogue", errDamaged)
				}
				sums[n] = append(sums[n], summaryRow{k, v})
				return nil
			})
		})
		if err != nil {
			return nil, err
		}
		c.sums = sums
	}
	return c.sums[number], nil
}

// traceIDs gives the conversations of the small logs that are read, in the order of their ids, and of each log again.
func (c *catalogue) traceIDs(sources []*source, yield func(events.TraceID)) error {
	of := c.places(sources)
	return guarded(func() error {
		return c.traces.ForEach(func(k, v []byte) error {
			n := numberOf(k)
			if int(n) >= len(of.small) {
				return fmt.Errorf("%w: catalogue", errDamaged)
			}
			if of.small[n] == 0 {
				return nil
			}
			id, err := parseTraceID(v)
			if err == nil {
				yield(id)
			}
			return err
		})
	})
}

// openToWrite opens the catalogue, or begins one.
func openToWrite(tx *bbolt.Tx) (*catalogue, error) {
	c, err := openCatalogue(tx)
	if err != nil || c != nil {
		return c, err
	}
	name := []byte(catalogueBucket)
	if tx.Bucket(name) != nil {
		if err := tx.DeleteBucket(name); err != nil {
			return nil, err
		}
	}
	b, err := tx.CreateBucket(name)
	if err != nil {
		return nil, err
	}
	c = &catalogue{tx: tx}
	if c.terms, err = b.CreateBucket([]byte(termsBucket)); err == nil {
		c.traces, err = b.CreateBucket([]byte(tracesBucket))
	}
	return c, err
}

// keep takes out the logs that are not wanted.
func (c *catalogue) keep(wanted func(ref string) bool) error {
	gone := map[uint32]bool{}
	for n := range c.logs {
		if l := &c.logs[n]; l.ref != "" && !wanted(l.ref) {
			gone[uint32(n)] = true
		}
	}
	return c.drop(gone)
}

// drop makes places free, and takes out what is said of the logs there.
func (c *catalogue) drop(gone map[uint32]bool) error {
	if len(gone) == 0 {
		return nil
	}
	for n := range gone {
		c.logs[n] = cataloguedLog{}
	}
	c.numbers = nil
	for _, b := range []*bbolt.Bucket{c.terms, c.traces} {
		var keys [][]byte
		err := b.ForEach(func(k, _ []byte) error {
			if gone[numberOf(k)] {
				keys = append(keys, bytes.Clone(k))
			}
			return nil
		})
		for _, k := range keys {
			if err == nil {
				err = b.Delete(k)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// covers reports whether the catalogue has what the bucket of a log has.
func (c *catalogue) covers(log *events.Copy) bool {
	own := openShelf(c.tx.Bucket([]byte(log.Ref())), log)
	known, covered := c.shelf(log)
	return covered && known.indexed == own.indexed
}

// place is the number of a log; one that is not covered gets a free one.
func (c *catalogue) place(ref string) uint32 {
	if n, stands := c.number(ref); stands {
		return n
	}
	n := uint32(slices.IndexFunc(c.logs, func(l cataloguedLog) bool { return l.ref == "" }))
	if int32(n) < 0 {
		n = uint32(len(c.logs))
		c.logs = append(c.logs, cataloguedLog{})
	}
	c.logs[n].ref, c.numbers[ref] = ref, n // the map is there, for ref was sought in it
	return n
}

// take adds what the next part of a log says. The bucket of the log has it already.
func (c *catalogue) take(log *events.Copy, part *recent, indexed int64) error {
	n := c.place(log.Ref())
	for at := 0; at < len(part.rows); { // which are closed and sorted
		term, next := termOf(part.rows[at]), at+1
		for next < len(part.rows) && bytes.Equal(termOf(part.rows[next]), term) {
			next++
		}
		if kind(term[0]).catalogued() {
			if err := c.term(numbered(term, n), part.rows[at:next]); err != nil {
				return err
			}
		}
		at = next
	}
	summaries := c.tx.Bucket([]byte(log.Ref())).Bucket([]byte(tracesBucket))
	for id := range part.traces {
		key := summaryKey(id)
		if c.terms.Get(numbered(key, n)) == nil { // anchors alone speak of it
			if err := c.terms.Put(numbered(key, n), []byte{inLog}); err != nil {
				return err
			}
		}
		if err := c.traces.Put(numbered(key, n), bytes.Clone(summaries.Get(key))); err != nil {
			return err
		}
	}
	c.logs[n].generation, c.logs[n].indexed = log.Generation(), indexed
	return nil
}

// termOf is a key without the number of its first event.
func termOf(r row) []byte { return r.key[:len(r.key)-8] }

// term notes more rows that a log has of a term.
func (c *catalogue) term(key []byte, rows []row) error {
	value := []byte{inLog}
	if len(rows) == 1 && c.terms.Get(key) == nil {
		value = append(append([]byte{inRow}, rows[0].key[len(rows[0].key)-8:]...), rows[0].run...)
	}
	return c.terms.Put(key, value)
}

// store writes which logs there are.
func (c *catalogue) store() error {
	w := codec.Writer{}
	version := int64(storeVersion)
	w.Integer(&version)
	codec.List(&w, &c.logs, func(l *cataloguedLog) { l.fields(&w) })
	return c.tx.Bucket([]byte(catalogueBucket)).Put([]byte(logsKey), w.Out)
}

// small tells a log that stands in the catalogue.
func small(c *events.Copy) bool { return c.Stored() <= smallLog && c.Ref() != refs.EventsRef }
