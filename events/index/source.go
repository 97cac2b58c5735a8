package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/fault"
)

// text has the lines of logs and their rows: stored ones, and rows in memory for lines that the store does not cover,
// made when they are first needed. This clone's log has its own text; all other logs share one.
type text struct {
	*events.Text
	bucket string    // bucket of the store
	of     []*source // logs by number; nil for a log that is not read
	shelf  shelf     // part of the store; zero if the store does not have this text
	recent *recent
}

// fetchedBucket is the bucket of the logs of others. Refs never have such a name.
const fetchedBucket = "fetched"

type source struct {
	*text
	copy      *events.Copy
	at        int           // index of the log among the logs that are read
	voice     *events.Voice // nil of this clone's log
	published bool          // the log is a digest
	ahead     map[place]events.Event
}

// gatherTexts puts the logs that are read to their texts.
func (ix *Index) gatherTexts() {
	ix.texts = nil
	for i, s := range ix.sources {
		if i < 2 {
			bucket := fetchedBucket
			if i == 0 {
				bucket = s.copy.Ref()
			}
			ix.texts = append(ix.texts, &text{Text: s.copy.Text(), bucket: bucket})
		}
		s.at, s.published, s.text = i, s.copy.Digest(), ix.texts[min(i, 1)]
		n := int(s.copy.Number())
		s.of = append(s.of, make([]*source, max(0, n+1-len(s.of)))...)
		s.of[n] = s
	}
}

// source returns the log with a number; nil if it is not read.
func (t *text) source(log uint32) *source {
	if int64(log) >= int64(len(t.of)) {
		return nil
	}
	return t.of[log]
}

// A holder is a log, with its rows of a term.
type holder struct {
	*source
	rows  []row
	among int // the number of logs with such rows; known after all were read
}

// holding returns the logs that have rows with this beginning of their keys, and this clone's log.
func (ix *Index) holding(prefix []byte) ([]holder, error) {
	out := []holder{{source: ix.sources[0]}}
	place := map[*source]int{ix.sources[0]: 0}
	take := func(r row, s *source) {
		at, known := place[s]
		if !known {
			at = len(out)
			place[s], out = at, append(out, holder{source: s})
		}
		out[at].rows = append(out[at].rows, r)
	}
	for _, t := range ix.texts {
		err := t.halves(func(rows rowCursor) error {
			under(rows, prefix, func(r row) bool {
				if s := t.source(logOf(r.key)); s != nil {
					take(r, s)
				}
				return true
			})
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out, func(a, b holder) int { return cmp.Compare(a.at, b.at) })
	return out, nil
}

// `halves` reads the stored rows, and then the rest.
func (t *text) halves(read func(rows rowCursor) error) error {
	if err := t.shelf.cursor(read); err != nil {
		return err
	}
	r, err := t.unstored()
	if err != nil {
		return err
	}
	return read(&rowList{rows: r.rows})
}

// `under` gives the rows whose keys have a prefix, until the function `yield` returns false.
func under(rows rowCursor, prefix []byte, yield func(row) bool) {
	r := rows.before(prefix)
	for r.key != nil && bytes.Compare(r.key, prefix) < 0 {
		r = rows.next()
	}
	for r.key != nil && bytes.HasPrefix(r.key, prefix) && yield(r) {
		r = rows.next()
	}
}

// errStopped ends a scan that is no longer needed.
var errStopped = errors.New("stopped")

// scan gives the events of the rows in order, until the function `yield` returns false.
func (h *holder) scan(yield func(key []byte, at place) bool) error {
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
	return err
}

// recent is the index of some events that follow each other.
type recent struct {
	rows   []row               // rows whose runs do not grow; after closing, all rows, sorted by key
	open   map[string]*openRun // open runs by term and log
	traces map[tracedBy]*Trace
	end    int64  // offset after the events
	log    uint32 // log of the event that is taken
	prefix []byte // room for a term
	room   []byte // memory for rows that do not change
	lines  events.LineReader
	named  named // names in the event that is taken
}

// tracedBy is a conversation in one log.
type tracedBy struct {
	log uint32
	id  events.TraceID
}

func (b tracedBy) key() []byte { return binary.BigEndian.AppendUint32(summaryKey(b.id), b.log) }

func newRecent() *recent {
	return &recent{open: map[string]*openRun{}, traces: map[tracedBy]*Trace{}}
}

// put adds an event to a term.
func (r *recent) put(k kind, term string, seq int64, at place) {
	r.prefix = binary.BigEndian.AppendUint32(appendExact(r.prefix[:0], k, term), r.log)
	if k.unique() {
		r.rows = append(r.rows, r.alone(seq, at))
		return
	}
	run := r.open[string(r.prefix)]
	if run == nil {
		fresh := newRun(r.prefix, seq, at)
		r.open[string(r.prefix)] = &fresh
	} else if !run.take(seq, at) {
		r.rows = append(r.rows, run.row)
		*run = newRun(r.prefix, seq, at)
	}
}

// `alone` returns the row of an event that is the only one of its term.
func (r *recent) alone(seq int64, at place) row {
	const few, many = 1 << 10, 64 << 10
	if need := len(r.prefix) + 8 + 2*binary.MaxVarintLen64; cap(r.room)-len(r.room) < need {
		r.room = make([]byte, 0, max(min(2*cap(r.room), many), few, need))
	}
	from := len(r.room)
	r.room = binary.BigEndian.AppendUint64(append(r.room, r.prefix...), uint64(seq))
	run := len(r.room)
	r.room = appendPlace(r.room, at.offset, at.length)
	return row{r.room[from:run:run], r.room[run:len(r.room):len(r.room)]}
}

// join adds the rows of later events.
func (r *recent) join(later *recent) {
	r.rows = append(r.rows, later.rows...)
	for _, run := range later.open {
		r.rows = append(r.rows, run.row)
	}
	for by, one := range later.traces {
		r.log = by.log
		r.trace(by.id).join(*one)
	}
}

// `close` ends all runs.
func (r *recent) close() []row {
	for _, run := range r.open {
		r.rows = append(r.rows, run.row)
	}
	r.open = map[string]*openRun{}
	slices.SortFunc(r.rows, func(a, b row) int { return bytes.Compare(a.key, b.key) })
	return r.rows
}

// scan gives the rows of the log whose keys begin with prefix, in order, until the function `yield` returns false.
func (s *source) scan(prefix []byte, yield func(key []byte, at place) bool) error {
	goOn := true
	return s.halves(func(rows rowCursor) error {
		if !goOn {
			return nil
		}
		return from(rows, prefix, func(key []byte, at place) bool {
			if !bytes.HasPrefix(key, prefix) {
				return false
			}
			goOn = logOf(key) != s.copy.Number() || yield(key, at)
			return goOn
		})
	})
}

// `nothing` is an empty index.
var nothing recent

// `unstored` returns the index of the text's lines that the store does not cover.
func (t *text) unstored() (*recent, error) {
	if t.shelf.indexed == t.Size() {
		return &nothing, nil
	}
	if t.recent != nil {
		return t.recent, nil
	}
	r := newRecent()
	err := fault.InOrder(t.Parts(t.shelf.indexed, t.Size(), partBytes), indexedPart, func(part *recent) error {
		r.join(part)
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.close()
	t.recent = r
	return r, nil
}

// indexedPart indexes some events that follow each other.
func indexedPart(part events.TextPart) (*recent, error) {
	r := newRecent()
	r.end = part.End
	for line := range part.Lines() {
		if err := r.take(line); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (r *recent) take(line events.CopyLine) error {
	e, err := r.lines.Read(line.Line)
	if err != nil {
		return fmt.Errorf("%w: %w", events.ErrCopyDamaged, err)
	}
	r.log = line.Log
	at := place{line.Offset, len(line.Line)}
	r.named.terms(&r.lines, &e, func(k kind, term string) { r.put(k, term, e.Seq, at) })
	if e.Trace != "" {
		r.trace(e.Trace).count(&e, &r.named)
	}
	r.anchor(&e, &r.named.commit)
	return nil
}

// event reads an event and verifies that it is unchanged.
func (s *source) event(at place) (events.Event, error) {
	if e, read := s.ahead[at]; read {
		return e, nil
	}
	line, err := s.Line(at.offset, at.length)
	if err != nil {
		return events.Event{}, err
	}
	e, err := events.DecodeChecked(line)
	if err != nil {
		return events.Event{}, fmt.Errorf("%w: %w", events.ErrCopyDamaged, err)
	}
	e.From = s.voice
	return e, nil
}

// sums yields each log's summaries of the conversations whose keys have a prefix, from its stored and its recent part.
func (t *text) sums(prefix []byte, yield func(s *source, sum *Trace)) error {
	r, err := t.unstored()
	if err != nil {
		return err
	}
	sum := func(s *source, parts ...*Trace) {
		all := &Trace{Own: s.own(), Published: s.published}
		for _, part := range parts {
			all.join(s.heard(*part))
		}
		yield(s, all)
	}
	stored := map[tracedBy]bool{} // of the recent ones
	err = t.shelf.eachSummary(prefix, func(key, v []byte) error {
		s := t.source(logAt(key))
		if s == nil {
			return nil
		}
		one, err := parseTrace(v)
		by := tracedBy{logAt(key), one.ID}
		if more := r.traces[by]; err == nil && more != nil {
			stored[by] = true
			sum(s, &one, more)
		} else if err == nil {
			sum(s, &one)
		}
		return err
	})
	if err != nil {
		return err
	}
	for by, one := range r.traces {
		if s := t.source(by.log); s != nil && !stored[by] && bytes.HasPrefix(by.key(), prefix) {
			sum(s, one)
		}
	}
	return nil
}
