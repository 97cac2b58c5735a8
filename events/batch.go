package events

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// newline ends an event's line.
var newline = []byte{'\n'}

// A batch is the events of one append. Earlier versions stored it as one commit, and what is fetched of their logs is
// read as it is: the empty tree, the commit of the batch before as
// its only parent, and the events as JSON lines in the message. Every byte of the commit follows from its parent and
// its events, so that whoever knows the events can tell whether the commit was touched.
//
// The commit's date is that of 1970, for git offers and shows the newest commits first: a fetch would send the name of
// every batch before the first one that the other side may know. Batches of earlier versions have the time of their
// last event instead.

// maxBatch is the size of a batch commit beyond which it is neither written nor read.
const maxBatch = 32 << 20

// An event takes more bytes than shortestLine. A commit of more lines than its bytes can hold events would cost many
// times its size to take apart; with someLines at most it is, so that each damaged line can be named.
const (
	shortestLine = 64
	someLines    = 10_000
)

// Who a batch commit names as its author and committer: the program, so that ids depend on events alone.
const (
	batchName  = "git-trace"
	batchEmail = "git-trace@localhost"

	batchSubject = "traces: "
)

// ErrNotBatch reports a commit that is not one of a log.
var ErrNotBatch = errors.New("not a commit of an event log")

// undated is the date of a batch commit.
var undated = time.Unix(0, 0)

// isContent tells whether a commit is what the lines make it, given the first and the last event.
func (b batch) isContent(raw []byte, first int64, last Event) bool {
	return bytes.Equal(b.content(first, last.Seq, undated), raw) ||
		bytes.Equal(b.content(first, last.Seq, last.Time), raw)
}

// batch is a commit of a log, taken apart but not believed yet. The lines point into the commit's content.
type batch struct {
	tree    refs.OID
	parents []refs.OID
	lines   [][]byte
}

// parseBatch takes the content of a batch commit apart. Only what is needed to go on is checked: header, subject line,
// blank line, lines. A damaged header gives an error, and the lines all the same.
func parseBatch(raw []byte) (batch, error) {
	header, message, ok := bytes.Cut(raw, []byte("\n\n"))
	if !ok {
		return batch{}, fmt.Errorf("%w: no message", ErrNotBatch)
	}
	b, headerErr := parseHeader(header)
	_, body, ok := bytes.Cut(message, []byte("\n\n"))
	if !ok || !bytes.HasPrefix(message, []byte(batchSubject)) {
		return b, fmt.Errorf("%w: message has another form", ErrNotBatch)
	}
	body, ok = bytes.CutSuffix(body, []byte("\n"))
	if !ok || len(body) == 0 {
		return b, fmt.Errorf("%w: message is cut off", ErrNotBatch)
	}
	if n := bytes.Count(body, []byte("\n")); n > someLines && n > len(body)/shortestLine {
		return b, fmt.Errorf("%w: %d lines in %d bytes", ErrNotBatch, n+1, len(body))
	}
	b.lines = bytes.Split(body, []byte("\n"))
	return b, headerErr
}

func parseHeader(header []byte) (batch, error) {
	var b batch
	for line := range bytes.SplitSeq(header, []byte("\n")) {
		key, value, _ := bytes.Cut(line, []byte(" "))
		isTree, isParent := string(key) == "tree", string(key) == "parent"
		if !isTree && !isParent {
			break
		}
		oid, err := refs.ParseOID(string(value))
		if err != nil {
			return b, fmt.Errorf("%w: %s: %w", ErrNotBatch, key, err)
		}
		if isTree {
			b.tree = oid
		} else {
			b.parents = append(b.parents, oid)
		}
	}
	return b, nil
}

// content is the commit that must hold the lines, given the numbers of the first and the last one and its date.
func (b batch) content(first, last int64, date time.Time) []byte {
	size := 0
	for _, line := range b.lines {
		size += len(line) + 1
	}
	message := bytes.NewBuffer(make([]byte, 0, size+64))
	fmt.Fprintf(message, batchSubject+"%d events %d..%d\n\n", len(b.lines), first, last)
	for _, line := range b.lines {
		message.Write(line)
		message.WriteByte('\n')
	}
	who := refs.Signature{Name: batchName, Email: batchEmail, When: date.UTC()}
	return refs.EncodeCommit(refs.Commit{Tree: b.tree, Parents: b.parents, Author: who, Committer: who,
		Message: message.String()})
}

// parent is the commit of the batch before; zero at the root.
func (b batch) parent() refs.OID {
	if len(b.parents) == 0 {
		return refs.OID{}
	}
	return b.parents[0]
}

// decode decodes the lines. What it returns points into the commit's content.
func (b batch) decode() ([]Event, error) {
	events := make([]Event, 0, len(b.lines))
	for _, line := range b.lines {
		e, err := DecodeLine(line)
		if err != nil {
			return events, err
		}
		events = append(events, e)
	}
	return events, nil
}
