package index

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/git-trace/git-trace/events"
)

// source is one log: its copy, the part of it that the store covers, and the rest, indexed in memory when first needed.
type source struct {
	copy   *events.Copy
	shelf  shelf // of the store; zero when it has nothing of this log
	recent *recent
}

// recent is the index of the events behind those that the store covers.
type recent struct {
	rows   []row // sorted by key
	traces map[events.TraceID]*Trace
}

func newRecent() *recent { return &recent{traces: map[events.TraceID]*Trace{}} }

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
	for i := r.search(prefix); i < len(r.rows) && bytes.HasPrefix(r.rows[i].key, prefix); i++ {
		if !yield(r.rows[i].key, r.rows[i].at) {
			return nil
		}
	}
	return nil
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
	return yield(func(start []byte) ([]byte, place, error) {
		i := r.search(start)
		if i == len(r.rows) {
			return nil, place{}, nil
		}
		return r.rows[i].key, r.rows[i].at, nil
	})
}

func (r *recent) search(key []byte) int {
	i, _ := slices.BinarySearchFunc(r.rows, key, func(r row, k []byte) int { return bytes.Compare(r.key, k) })
	return i
}

// unstored indexes the rest of the log.
func (s *source) unstored() (*recent, error) {
	if s.recent != nil {
		return s.recent, nil
	}
	r, err := indexed(s.copy, s.shelf.indexed, s.copy.Size())
	if err != nil {
		return nil, err
	}
	sortRows(r.rows)
	s.recent = r
	return r, nil
}

// indexed is the index of what a log has from one offset to another.
func indexed(c *events.Copy, from, to int64) (*recent, error) {
	r := newRecent()
	if from == to { // of a thousand logs most have nothing new
		return r, nil
	}
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
	e, err := events.DecodeLine(line.Line)
	if err != nil {
		return fmt.Errorf("%w: %w", events.ErrCopyDamaged, err)
	}
	var n *named
	r.rows, n = rowsOf(r.rows, &e, place{line.Offset, len(line.Line)})
	if e.Trace != "" {
		r.trace(e.Trace).count(&e, n)
	}
	r.anchor(&e, &n.commit)
	return nil
}

// event reads an event and makes sure that it is the one that was written.
func (s *source) event(at place) (events.Event, error) {
	line, err := s.copy.Line(at.offset, at.length)
	if err != nil {
		return events.Event{}, err
	}
	e, err := events.DecodeChecked(line)
	if err != nil {
		return events.Event{}, fmt.Errorf("%w: %w", events.ErrCopyDamaged, err)
	}
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
			sum.join(*part)
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

// traceIDs gives the conversations of the stored and of the recent part.
func (s *source) traceIDs(yield func(events.TraceID)) error {
	if err := s.shelf.traceIDs(yield); err != nil {
		return err
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
