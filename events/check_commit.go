package events

import (
	"fmt"
	"strconv"

	"github.com/git-trace/git-trace/refs"
)

// mark is what the chain check keeps of an event.
type mark struct {
	seq    int64  // as the event says; 0 when it cannot be read
	writer uint64 // the id's 64 bits
	commit int32  // index into summary.commitIDs
	flags  markFlags
}

type markFlags uint8

const (
	markBad     markFlags = 1 << iota // the bytes are not what was hashed, so what they say counts for nothing
	markSame                          // the same event as the one before
	markHole                          // no event: stands for a commit whose events cannot be told
	markCut                           // a hole behind which nothing could be read
	markRooted                        // the commit has no parent
	markOpening                       // of type log_started
	markDamaged                       // the commit does not hash to its name, so its parent counts for nothing
)

func (m mark) is(f markFlags) bool { return m.flags&f != 0 }

// finding is a fault inside one commit; at is the event's index there, -1 for the commit as a whole.
type finding struct {
	at     int
	kind   FaultKind
	detail string
}

// checkedCommit is the outcome of one commit, without its neighbours.
type checkedCommit struct {
	oid      refs.OID
	marks    []mark
	findings []finding
	dropped  int
	// The ends, for the links to the commits before and after.
	firstPrev, firstID, lastID, lastHash ID
	hits                                 []Anchor // events that an anchor speaks of, as they are
	claim                                *claim   // of the last checkpoint_signed
}

// maxFindings are kept of one commit; the rest is counted.
const maxFindings = 1000

func (c *checkedCommit) fault(at int, kind FaultKind, format string, args ...any) {
	if len(c.findings) == maxFindings {
		c.dropped++
		return
	}
	c.findings = append(c.findings, finding{at, kind, fmt.Sprintf(format, args...)})
}

// checkCommit hashes a commit and its events and compares every byte with what it must be.
func checkCommit(r *checkedReader, format refs.ObjectFormat, c rawCommit, watched map[int64]bool) checkedCommit {
	out := checkedCommit{oid: c.oid}
	var flags markFlags
	if got := format.Hash(refs.CommitObject, c.raw); got != c.oid {
		out.fault(-1, FaultObject, "bytes hash to %s", got)
		flags |= markDamaged
	}
	b, err := parseBatch(c.raw)
	if err != nil {
		out.fault(-1, FaultShape, "%v", err)
	}
	if b.lines == nil {
		out.marks = []mark{{flags: flags | markHole}}
		return out
	}
	if len(b.parents) > 1 {
		out.fault(-1, FaultParent, "%d parents", len(b.parents))
	}
	if b.tree != format.EmptyTree() {
		out.fault(-1, FaultTree, "tree %s is not the empty one", b.tree)
	}
	last, sound := out.lines(r, b, watched)
	if sound && err == nil && !b.isContent(c.raw, out.marks[0].seq, last) {
		out.fault(-1, FaultCommit, "header or subject is not what the events make it")
	}
	if len(b.parents) == 0 {
		flags |= markRooted
	}
	for i := range out.marks {
		out.marks[i].flags |= flags
	}
	return out
}

// lines checks the events of a batch and returns the last one; sound says that each could be read and hashes to its id.
func (c *checkedCommit) lines(r *checkedReader, b batch, watched map[int64]bool) (last Event, sound bool) {
	c.marks = make([]mark, len(b.lines))
	sound = true
	var before Event
	var beforeHash ID
	for i, line := range b.lines {
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
				c.fault(i, FaultChain, "names %s as the event before, which is %s", orNone(e.Prev), before.ID)
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
