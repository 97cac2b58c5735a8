package events

import "fmt"

// chainCheck checks events in the order of the log and lists the faults: a fault names the place of its event.
type chainCheck struct {
	owner   string // the writer in the ref's name; empty if the name has none
	watched map[int64]bool
	hits    map[Anchor]bool // events that were found, with Source empty
	claim   *claim          // claim of the newest checkpoint_signed

	faults  []Fault
	dropped int
	count   int   // events
	last    int64 // the largest number
	unread  int64 // the last event that cannot be read

	before   checkedLine // without an id if it is not an event
	held     *checkedLine
	wrong    string // the fault of the end line after the held event
	expected int64
	writer   string
}

func newChain(anchors []Anchor) chainCheck {
	c := chainCheck{watched: map[int64]bool{}, hits: map[Anchor]bool{}, expected: 1}
	for _, a := range anchors {
		c.watched[a.Seq] = true
	}
	return c
}

func (c *chainCheck) fault(seq int64, kind FaultKind, format string, args ...any) {
	if len(c.faults) == maxFaults {
		c.dropped++
		return
	}
	c.faults = append(c.faults, Fault{Seq: seq, Kind: kind, Detail: fmt.Sprintf(format, args...)})
}

// `cut` notes that the events up to a number cannot be read. Nothing before it counts.
func (c *chainCheck) cut(last int64, why error) {
	*c = chainCheck{owner: c.owner, watched: c.watched, hits: map[Anchor]bool{}, expected: last + 1, unread: max(1, last)}
	c.fault(c.unread, FaultObject, "%v: nothing before it can be checked", why)
}

// `add` takes the events of a batch.
func (c *chainCheck) add(b *checkedBatch) {
	if b.lost != nil {
		c.cut(b.end.seq, b.lost)
		return
	}
	for i := range b.events {
		c.settle(b.events[i].Seq)
		c.held = &b.events[i]
	}
	c.wrong = b.wrong()
}

// wrong returns the fault of the end line; "" for a sound one, and for a file of a seal, which has none.
func (b *checkedBatch) wrong() string {
	if b.end.offset == 0 {
		return ""
	}
	if !b.ended {
		return "no sound line ends the batch"
	}
	length := 0
	for i := range b.events {
		if b.events[i].bad() {
			return ""
		}
		length += len(b.lines[i]) + 1
	}
	if last := &b.events[len(b.events)-1]; last.Seq != b.end.seq || last.ID != b.end.id || length != b.length {
		return "the end line of the batch is not what its events make it"
	}
	return ""
}

// `settle` judges the held event, once the number of the next one is known: 0 for none.
func (c *chainCheck) settle(next int64) {
	e := c.held
	if e == nil {
		return
	}
	seq := c.place(e, next)
	if !e.bad() {
		c.origin(seq, e)
	}
	switch {
	case e.err != nil:
		c.fault(seq, FaultShape, "%v", e.err)
	case e.hash != e.ID:
		c.fault(seq, FaultHash, "%v", mismatch(e.hash, e.ID))
	}
	if e.err == nil && c.before.ID != "" && e.Prev != c.before.ID && e.Prev != c.before.hash {
		c.fault(seq, FaultChain, "%s", notPrevious(e.Prev, c.before.ID))
	}
	if c.wrong != "" {
		c.fault(seq, FaultFile, "%s", c.wrong)
	}
	if signed := claimOf(e.Event); signed != nil {
		c.claim = signed
	}
	if c.watched[e.Seq] {
		c.hits[Anchor{Seq: e.Seq, ID: e.ID}] = true
	}
	c.count++
	c.last = max(c.last, e.Seq)
	c.before, c.held, c.wrong = *e, nil, ""
}

// origin checks the writer of an event, and the very first event.
func (c *chainCheck) origin(seq int64, e *checkedLine) {
	if c.count == 0 && c.unread == 0 {
		if e.Prev != "" {
			c.fault(seq, FaultChain, "names %s as the previous event, but there is none", e.Prev)
		}
		if e.Seq == 1 && e.Type != LogStarted {
			c.fault(seq, FaultShape, "the log does not begin with log_started")
		}
	}
	switch {
	case c.writer == "":
		if c.writer = e.Writer; c.owner != "" && e.Writer != c.owner {
			c.fault(seq, FaultWriter, "written by %s, the ref names %s", e.Writer, c.owner)
		}
	case e.Writer != c.writer:
		c.fault(seq, FaultWriter, "written by %s, the log is of %s", e.Writer, c.writer)
	}
}

// `place` decides the place of an event. A number that breaks the order counts if the next numbers continue from it.
func (c *chainCheck) place(e *checkedLine, next int64) int64 {
	seq := c.expected
	switch {
	case e.Seq == seq || e.bad():
		c.expected++
	case c.before.ID != "" && e.ID == c.before.ID:
		seq = e.Seq
		c.fault(seq, FaultNumber, "the event is there twice")
	case next == seq+1:
		c.fault(seq, FaultNumber, "number %d instead of %d", e.Seq, seq)
		c.expected++
	case e.Seq > seq:
		c.fault(seq, FaultNumber, "number %d follows %d", e.Seq, seq-1)
		seq = e.Seq
		c.expected = seq + 1
	default:
		c.fault(seq, FaultNumber, "number %d instead of %d", e.Seq, seq)
	}
	return seq
}

// `judge` compares the log with the anchors, once the faults are known. It returns the highest event that an anchor
// confirms, and the faults of anchors that disagree. An anchor for an unreadable event decides nothing.
func (c *chainCheck) judge(anchors []Anchor) (reached int64, source string, wrong []Fault) {
	for _, a := range anchors {
		switch {
		case a.Void != "":
		case c.hits[Anchor{Seq: a.Seq, ID: a.ID}]:
			if a.Seq > reached {
				reached, source = a.Seq, a.Source
			}
		case a.Seq <= c.unread:
		case a.Seq > c.last:
			wrong = append(wrong, Fault{Seq: c.last + 1, Kind: FaultAnchor,
				Detail: fmt.Sprintf("the log ends at %d; %s holds event %d", c.last, a.Source, a.Seq)})
		default:
			wrong = append(wrong, Fault{Seq: a.Seq, Kind: FaultAnchor,
				Detail: fmt.Sprintf("%s holds another event: %s", a.Source, a.ID)})
		}
	}
	return reached, source, wrong
}
