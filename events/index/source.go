package index

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/git-trace/git-trace/events"
)

// source is one log: its copy, the part of it that the store covers, and the rest, indexed in memory when first needed.
type source struct {
	copy   *events.Copy
	voice  *events.Voice // nil of the own log
	shelf  shelf         // of the store; zero when it has nothing of this log
	recent *recent
	ahead  map[place]events.Event // those that were read before somebody asks for them; see Anchoring
}

// recent is the index of some events that follow each other.
type recent struct {
	rows   []row               // whose runs do not grow; all of them, and sorted by key, once they are closed
	open   map[string]*openRun // by term
	traces map[events.TraceID]*Trace
	prefix []byte // room for a term
	room   []byte // for rows that stay as they are
	lines  events.LineReader
	named  named // of the event that is taken
}

func newRecent() *recent {
	return &recent{open: map[string]*openRun{}, traces: map[events.TraceID]*Trace{}}
}

// put adds an event to a term.
func (r *recent) put(k kind, term string, seq int64, at place) {
	r.prefix = appendExact(r.prefix[:0], k, term)
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

// alone is the row of an event that is the only one of its term.
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

// size is how many rows there are.
func (r *recent) size() int { return len(r.rows) + len(r.open) }

// close ends all runs.
func (r *recent) close() []row {
	for _, run := range r.open {
		r.rows = append(r.rows, run.row)
	}
	r.open = map[string]*openRun{}
	sortRows(r.rows)
	return r.rows
}

// scan gives the rows whose keys begin with prefix, in order, until yield returns false.
func (s *source) scan(prefix []byte, yield func(key []byte, at place) bool) error {
	goOn := true
	err := s.shelf.scan(prefix, func(key []byte, at place) bool {
		goOn = yield(key, at)
		return goOn
	})
	if err != nil || !goOn {
		return err
	}
	r, err := s.unstored()
	if err != nil {
		return err
	}
	return scan(&rowList{rows: r.rows}, prefix, yield)
}

func scan(rows rowCursor, prefix []byte, yield func(key []byte, at place) bool) error {
	return from(rows, prefix, func(key []byte, at place) bool {
		return bytes.HasPrefix(key, prefix) && yield(key, at)
	})
}

// seeker gives the first row at or behind a key; a nil key when there is none.
type seeker func(start []byte) (key []byte, at place, err error)

// parts gives a seeker for each part of the log.
func (s *source) parts(yield func(seeker) error) error {
	if err := yield(s.shelf.seek); err != nil {
		return err
	}
	r, err := s.unstored()
	if err != nil {
		return err
	}
	return yield(func(start []byte) ([]byte, place, error) { return seek(&rowList{rows: r.rows}, start) })
}

func seek(rows rowCursor, start []byte) (key []byte, at place, err error) {
	err = from(rows, start, func(k []byte, a place) bool {
		key, at = bytes.Clone(k), a
		return false
	})
	return key, at, err
}

// nothing is the index of no events.
var nothing recent

// unstored indexes the rest of the log.
func (s *source) unstored() (*recent, error) {
	if s.shelf.indexed == s.copy.Size() { // of a thousand logs most have nothing new
		return &nothing, nil
	}
	if s.recent != nil {
		return s.recent, nil
	}
	r, err := indexed(s.copy, s.shelf.indexed, s.copy.Size())
	if err != nil {
		return nil, err
	}
	r.close()
	s.recent = r
	return r, nil
}

// indexed is the index of what a log has from one offset to another.
func indexed(c *events.Copy, from, to int64) (*recent, error) {
	r := newRecent()
	for line, err := range c.Scan(from) {
		if err != nil {
			return nil, err
		}
		if line.Offset >= to {
			break
		}
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
	at := place{line.Offset, len(line.Line)}
	r.named.terms(&r.lines, &e, func(k kind, term string) { r.put(k, term, e.Seq, at) })
	if e.Trace != "" {
		r.trace(e.Trace).count(&e, &r.named)
	}
	r.anchor(&e, &r.named.commit)
	return nil
}

// event reads an event and makes sure that it is the one that was written.
func (s *source) event(at place) (events.Event, error) {
	if e, read := s.ahead[at]; read {
		return e, nil
	}
	line, err := s.copy.Line(at.offset, at.length)
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

// sums gives what the log tells of each conversation, in its stored and its recent part.
func (s *source) sums(own bool) ([]*Trace, error) {
	r, err := s.unstored()
	if err != nil {
		return nil, err
	}
	var out []*Trace
	put := func(parts ...*Trace) {
		sum := &Trace{Own: own, Published: s.copy.Digest()}
		for _, part := range parts {
			sum.join(s.heard(*part))
		}
		out = append(out, sum)
	}
	joined := 0
	err = s.shelf.traces(func(t Trace) {
		if more := r.traces[t.ID]; more != nil {
			put(&t, more)
			joined++
		} else {
			put(&t)
		}
	})
	if err != nil || joined == len(r.traces) {
		return out, err
	}
	stored := make(map[events.TraceID]bool, len(out))
	for _, t := range out {
		stored[t.ID] = true
	}
	for id, t := range r.traces {
		if !stored[id] {
			put(t)
		}
	}
	return out, nil
}

// traceIDs gives the conversations of the stored and of the recent part, but for those that the catalogue has.
func (s *source) traceIDs(yield func(events.TraceID)) error {
	if s.shelf.small == nil {
		if err := s.shelf.traceIDs(yield); err != nil {
			return err
		}
	}
	r, err := s.unstored()
	if err != nil {
		return err
	}
	for id := range r.traces {
		yield(id)
	}
	return nil
}

func (s *source) trace(id events.TraceID, yield func(Trace)) error {
	t, ok, err := s.shelf.trace(id)
	if err != nil {
		return err
	}
	if ok {
		yield(t)
	}
	r, err := s.unstored()
	if err != nil {
		return err
	}
	if t := r.traces[id]; t != nil {
		yield(*t)
	}
	return nil
}
