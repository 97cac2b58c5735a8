package events

import (
	"fmt"
	"strconv"
)

// A mark holds the facts of an event that the chain check needs.
type mark struct {
	seq    int64  // according to the event; 0 if it cannot be read
	writer uint64 // the id's 64 bits
	flags  markFlags
}

type markFlags uint8

const (
	markBad     markFlags = 1 << iota // the bytes do not match the hash, so their content does not count
	markSame                          // the same event as the previous one
	markCut                           // no event: the log before the next one could not be read
	markOpening                       // the event has the type log_started
)

func (m mark) is(f markFlags) bool { return m.flags&f != 0 }

// finding is a fault inside one part; the field `at` is the event's index there.
type finding struct {
	at     int
	kind   FaultKind
	detail string
}

// checkedPart is the outcome of one part, without its neighbours.
type checkedPart struct {
	marks    []mark
	findings []finding
	dropped  int
	// Both ends, to link the part with its neighbours.
	firstPrev, firstID, lastID, lastHash ID
	hits                                 []Anchor // the events that an anchor names, with their present ids
	claim                                *claim   // claim of the last checkpoint_signed
}

// maxFindings limits the number of findings that are kept for one part; the rest is only counted.
const maxFindings = 1000

func (c *checkedPart) fault(at int, kind FaultKind, format string, args ...any) {
	if len(c.findings) == maxFindings {
		c.dropped++
		return
	}
	c.findings = append(c.findings, finding{at, kind, fmt.Sprintf(format, args...)})
}

// part is a sequence of events with one container: a batch of the file of this clone's log, or a file of a seal.
type part struct {
	size   int // bytes
	lines  [][]byte
	wrong  string // the fault of its end line
	seq    int64  // number of the last event, according to the part's end line; 0 without one
	id     ID
	length int // number of lines, according to the end line
}

// checkPart hashes the events of a part and compares them with its end.
func checkPart(r *checkedReader, p part, watched map[int64]bool) checkedPart {
	var out checkedPart
	last, sound := out.lines(r, p.lines, watched)
	length := 0
	for _, line := range p.lines {
		length += len(line) + 1
	}
	if p.wrong == "" && p.seq != 0 && sound && (last.Seq != p.seq || last.ID != p.id || length != p.length) {
		p.wrong = "the end line of the batch is not what its events make it"
	}
	if p.wrong != "" {
		out.fault(len(p.lines)-1, FaultFile, "%s", p.wrong)
	}
	return out
}

// lines checks events in a row and returns the last one; the result `sound` is true if each is readable and hashes to
// its id.
func (c *checkedPart) lines(r *checkedReader, lines [][]byte, watched map[int64]bool) (last Event, sound bool) {
	c.marks = make([]mark, len(lines))
	sound = true
	var before Event
	var beforeHash ID
	for i, line := range lines {
		e, hash, err := r.read(line)
		if err != nil {
			c.fault(i, FaultShape, "%v", err)
			c.marks[i], before, beforeHash, sound = mark{flags: markBad}, Event{}, "", false
			continue
		}
		m := mark{seq: e.Seq}
		m.writer, _ = strconv.ParseUint(e.Writer, 16, 64) // the shape was checked
		if hash != e.ID {
			c.fault(i, FaultHash, "bytes hash to %s, the event says %s", hash, e.ID)
			m.flags |= markBad
			sound = false
		}
		if e.Type == LogStarted {
			m.flags |= markOpening
		}
		if signed := claimOf(e); signed != nil {
			c.claim = signed
		}
		if i == 0 {
			c.firstPrev, c.firstID = e.Prev, e.ID
		} else if before.ID != "" {
			if e.Prev != before.ID && e.Prev != beforeHash {
				c.fault(i, FaultChain, "names %s as the previous event, which is %s", orNone(e.Prev), before.ID)
			}
			if e.ID == before.ID {
				m.flags |= markSame
			}
		}
		if watched[e.Seq] {
			c.hits = append(c.hits, Anchor{Seq: e.Seq, ID: e.ID})
		}
		c.marks[i] = m
		before, beforeHash = e, hash
	}
	c.lastID, c.lastHash = before.ID, beforeHash
	return before, sound
}

func orNone(id ID) string {
	if id == "" {
		return "no event"
	}
	return string(id)
}
