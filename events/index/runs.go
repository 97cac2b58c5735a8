package index

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
)

// A run holds the places of some events of one term. It begins with the place of the first, whose number is in the key.
// For each further event it has the differences of number and offset to the previous event, and the length. A long log
// has millions of events and few types, conversations and paths; a row for each event of each would be most of the
// index.

// mostInRun limits the number of events that a reader decodes for one event.
const mostInRun = 128

// openRun is a run that may still grow.
type openRun struct {
	row
	seq int64 // number of the last event
	at  place
	n   int
}

func newRun(prefix []byte, seq int64, at place) openRun {
	key := make([]byte, 0, len(prefix)+8)
	key = binary.BigEndian.AppendUint64(append(key, prefix...), uint64(seq))
	return openRun{row{key, appendPlace(nil, at.offset, at.length)}, seq, at, 1}
}

// take adds an event; false if it has to begin another run.
func (r *openRun) take(seq int64, at place) bool {
	if r.n == mostInRun || seq <= r.seq || at.offset <= r.at.offset {
		return false
	}
	r.run = appendPlace(binary.AppendUvarint(r.run, uint64(seq-r.seq)), at.offset-r.at.offset, at.length)
	r.seq, r.at, r.n = seq, at, r.n+1
	return true
}

func appendPlace(b []byte, offset int64, length int) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(b, uint64(offset)), uint64(length))
}

// expand passes on, for each event of a row, the key that the event would have alone, and its place. A key is valid
// until the next one.
func (r row) expand(yield func(key []byte, at place) bool) (goOn bool, err error) {
	if len(r.key) <= behindTerm {
		return false, fmt.Errorf("%w: key of %d bytes", errDamaged, len(r.key))
	}
	number := r.key[len(r.key)-8:]
	seq, at, key := binary.BigEndian.Uint64(number), place{}, r.key
	for rest := runReader(r.run); ; {
		offset, length := rest.number(), rest.number()
		if rest == nil || at.offset+int64(offset) < 0 {
			return false, fmt.Errorf("%w: run of %d bytes", errDamaged, len(r.run))
		}
		at = place{at.offset + int64(offset), int(length)}
		if !yield(key, at) {
			return false, nil
		}
		if len(rest) == 0 {
			return true, nil
		}
		if seq += rest.number(); &key[0] == &r.key[0] {
			key = bytes.Clone(r.key)
		}
		binary.BigEndian.PutUint64(key[len(key)-8:], seq)
	}
}

// runReader is the rest of a run; nil once it has been cut short.
type runReader []byte

func (r *runReader) number() uint64 {
	n, size := binary.Uvarint(*r)
	if size <= 0 {
		*r = nil
		return 0
	}
	*r = (*r)[size:]
	return n
}

// `from` yields the events of rows in order, beginning at a key, until the function `yield` returns false.
func from(rows rowCursor, start []byte, yield func(key []byte, at place) bool) error {
	behind := func(key []byte, at place) bool { return bytes.Compare(key, start) < 0 || yield(key, at) }
	for r := rows.before(start); r.key != nil; r = rows.next() { // an earlier run may hold the key
		if goOn, err := r.expand(behind); !goOn || err != nil {
			return err
		}
	}
	return nil
}

// rowCursor goes through sorted rows. A row without a key marks the end.
type rowCursor interface {
	before(key []byte) row // the last row with a lower key, or the first of all
	next() row
}

// rowList are sorted rows in memory.
type rowList struct {
	rows []row
	at   int
}

func (l *rowList) before(key []byte) row {
	i, _ := slices.BinarySearchFunc(l.rows, key, func(r row, k []byte) int { return bytes.Compare(r.key, k) })
	l.at = max(i-1, 0)
	return l.row()
}

func (l *rowList) next() row {
	l.at++
	return l.row()
}

func (l *rowList) row() row {
	if l.at >= len(l.rows) {
		return row{}
	}
	return l.rows[l.at]
}
