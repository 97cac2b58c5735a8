package events

import (
	"fmt"
	"slices"
)

// summary gathers the parts, newest first, and at the end lists the faults oldest first: a fault names the place of its
// event, and places count from the oldest event.
type summary struct {
	marks   []mark // newest event first
	pending []pendingFault
	early   []Fault // faults of lines that are not events, before all other faults
	dropped int
	count   int // events
	last    int64
	sealed  int64 // the last event that the seal names, if a file of the seal cannot be read
	unread  int64 // the last event that cannot be read

	newerPrev ID // the previous event according to the oldest event read so far
	newerID   ID
	linked    bool // newerPrev is known

	owner   string // the writer in the ref's name; empty if the name has none
	watched map[int64]bool
	hits    map[Anchor]bool // events that were found, with Source empty
	claim   *claim          // claim of the newest checkpoint_signed
}

// pendingFault is a fault of the event at an index of marks.
type pendingFault struct {
	at     int
	kind   FaultKind
	detail string
}

func (s *summary) watch(anchors []Anchor) {
	s.watched, s.hits = map[int64]bool{}, map[Anchor]bool{}
	for _, a := range anchors {
		s.watched[a.Seq] = true
	}
}

func (s *summary) fault(at int, kind FaultKind, detail string) {
	if len(s.pending) == maxFaults {
		s.dropped++
		return
	}
	s.pending = append(s.pending, pendingFault{at, kind, detail})
}

// add adds the part before the present ones.
func (s *summary) add(c checkedPart) {
	s.dropped += c.dropped
	base, n := len(s.marks), len(c.marks)
	for _, f := range c.findings {
		s.fault(base+n-1-f.at, f.kind, f.detail)
	}
	s.link(c)
	for i := n - 1; i >= 0; i-- {
		m := c.marks[i]
		s.marks = append(s.marks, m)
		s.count++
		s.last = max(s.last, m.seq)
	}
	for _, hit := range c.hits {
		s.hits[hit] = true
	}
	if s.claim == nil {
		s.claim = c.claim
	}
}

// link compares the part's last event with the reference in the next event.
func (s *summary) link(c checkedPart) {
	if s.linked && c.lastID != "" {
		newer := len(s.marks) - 1
		if s.newerPrev != c.lastID && s.newerPrev != c.lastHash {
			s.fault(newer, FaultChain, fmt.Sprintf("names %s as the previous event, which is %s", orNone(s.newerPrev), c.lastID))
		}
		if s.newerID == c.lastID {
			s.marks[newer].flags |= markSame
		}
	}
	s.newerPrev, s.newerID, s.linked = c.firstPrev, c.firstID, c.firstID != ""
}

// `cut` notes that the log before the present parts cannot be read.
func (s *summary) cut(why string) {
	s.fault(len(s.marks), FaultObject, describeCut(why))
	s.marks = append(s.marks, mark{flags: markCut})
}

// faults names every fault by the place of its event, oldest first.
func (s *summary) faults() []Fault {
	slices.SortStableFunc(s.pending, func(a, b pendingFault) int { return b.at - a.at })
	out := s.early
	n := namer{s: s, expected: 1}
	rest := s.pending
	for i := len(s.marks) - 1; i >= 0; i-- {
		seq, found := n.next(i)
		for _, f := range found {
			if len(out) < maxFaults {
				out = append(out, f)
			} else {
				s.dropped++
			}
		}
		for len(rest) > 0 && rest[0].at == i {
			out = append(out, Fault{Seq: seq, Kind: rest[0].kind, Detail: rest[0].detail})
			rest = rest[1:]
		}
	}
	return out
}

// namer follows the numbers from the oldest event on.
type namer struct {
	s        *summary
	expected int64
	afterCut bool
	writer   uint64
	begun    bool
}

// `next` names the event at index i and returns the faults that only the sequence shows.
func (n *namer) next(i int) (seq int64, found []Fault) {
	m := n.s.marks[i]
	if m.is(markCut) {
		n.s.unread = n.cut(i)
		return n.s.unread, nil
	}
	fault := func(seq int64, kind FaultKind, format string, args ...any) {
		found = append(found, Fault{Seq: seq, Kind: kind, Detail: fmt.Sprintf(format, args...)})
	}
	seq = n.number(i, m, fault)
	n.opening(i, seq, m, fault)
	if n.begun && m.writer != n.writer && !m.is(markBad) {
		fault(seq, FaultWriter, "written by %016x, the log is of %016x", m.writer, n.writer)
	}
	if !n.begun && !m.is(markBad) {
		n.writer, n.begun = m.writer, true
		if written := fmt.Sprintf("%016x", m.writer); n.s.owner != "" && written != n.s.owner {
			fault(seq, FaultWriter, "written by %s, the ref names %s", written, n.s.owner)
		}
	}
	n.afterCut = false
	return seq, found
}

// opening checks the very first event, and no other.
func (n *namer) opening(i int, seq int64, m mark, fault func(int64, FaultKind, string, ...any)) {
	if m.is(markBad) || i != len(n.s.marks)-1 {
		return
	}
	if n.s.linked && n.s.newerPrev != "" {
		fault(seq, FaultChain, "names %s as the previous event, but there is none", n.s.newerPrev)
	}
	if m.seq == 1 && !m.is(markOpening) {
		fault(seq, FaultShape, "the log does not begin with log_started")
	}
}

// `cut` names the unreadable place before the readable events.
func (n *namer) cut(i int) int64 {
	n.afterCut = true
	n.expected = max(1, n.s.sealed+1-int64(i))
	for k := i - 1; k >= 0; k-- {
		if m := n.s.marks[k]; !m.is(markBad) {
			n.expected = max(1, m.seq-int64(i-1-k))
			break
		}
	}
	return max(1, n.expected-1)
}

// number decides the place of the event. A number that breaks the order counts if the next numbers continue from it.
func (n *namer) number(i int, m mark, fault func(int64, FaultKind, string, ...any)) int64 {
	seq := n.expected
	switch {
	case m.seq == n.expected || m.is(markBad):
		n.expected++
	case m.is(markSame):
		seq = m.seq
		fault(seq, FaultNumber, "the event is there twice")
	case n.afterCut && m.seq > n.expected:
		seq = m.seq
		n.expected = seq + 1
	case n.goesOn(i):
		fault(seq, FaultNumber, "number %d instead of %d", m.seq, seq)
		n.expected++
	case m.seq > n.expected:
		fault(seq, FaultNumber, "number %d follows %d", m.seq, seq-1)
		seq = m.seq
		n.expected = seq + 1
	default:
		fault(seq, FaultNumber, "number %d instead of %d", m.seq, seq)
	}
	return seq
}

// goesOn reports whether the number of the event after i is the next number after the right number of the event at i.
func (n *namer) goesOn(i int) bool {
	return i > 0 && n.s.marks[i-1].seq == n.expected+1
}

// judge compares the log with the anchors, once the faults are known. It returns the highest event that an anchor
// confirms, and the faults of anchors that disagree. An anchor for an unreadable event decides nothing.
func (s *summary) judge(anchors []Anchor) (reached int64, source string, wrong []Fault) {
	for _, a := range anchors {
		switch {
		case a.Void != "":
		case s.hits[Anchor{Seq: a.Seq, ID: a.ID}]:
			if a.Seq > reached {
				reached, source = a.Seq, a.Source
			}
		case a.Seq <= s.unread:
		case a.Seq > s.last:
			wrong = append(wrong, Fault{Seq: s.last + 1, Kind: FaultAnchor,
				Detail: fmt.Sprintf("the log ends at %d; %s holds event %d", s.last, a.Source, a.Seq)})
		default:
			wrong = append(wrong, Fault{Seq: a.Seq, Kind: FaultAnchor,
				Detail: fmt.Sprintf("%s holds another event: %s", a.Source, a.ID)})
		}
	}
	return reached, source, wrong
}
