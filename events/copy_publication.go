package events

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/git-trace/git-trace/refs"
)

// copyPublished does the same as copySound, for a digest: it writes the events of a publication after `end`, which must
// be the end of an earlier publication of that writer.
func (l *Log) copyPublished(of FetchedLog, end flatEnd, tip refs.OID, w io.Writer) (flatEnd, error) {
	p, err := l.ReadPublication(tip)
	if err != nil {
		return end, brokenBy(end.seq+1, err)
	}
	switch {
	case p.Head.Writer != of.Writer:
		return end, &brokenError{seq: 1, why: fmt.Sprintf("written by %s, the ref names %s", p.Head.Writer, of.Writer)}
	case p.Head.ObjectFormat != l.repo.Format.String():
		return end, &brokenError{seq: 1, why: "it is of a repository with other object ids"}
	case p.Head.Events < end.seq:
		return end, errForked
	}
	lines, err := l.publishedLines(p, &end)
	if err == nil {
		if broken := checkForeign(lines, of.Writer); broken != nil {
			err = broken
		}
	}
	if err != nil {
		return end, err
	}
	last, id := end.seq, end.id
	if len(lines) > 0 {
		last, id = lines[len(lines)-1].seq, lines[len(lines)-1].id
	}
	if last != p.Head.Events || id != p.Head.Last {
		return end, &brokenError{seq: last, why: "its last event is not the one that it names"}
	}
	return end, writeBatch(w, tip, lines, &end)
}

// PublishedEvents reads the events of a publication and checks them, like a copy.
func (l *Log) PublishedEvents(p Publication) ([]Event, error) {
	lines, err := l.publishedLines(p, &flatEnd{})
	if err != nil {
		return nil, err
	}
	if broken := checkForeign(lines, p.Head.Writer); broken != nil {
		return nil, broken
	}
	if n := len(lines); n == 0 || lines[n-1].seq != p.Head.Events || lines[n-1].id != p.Head.Last {
		return nil, &brokenError{seq: int64(n), why: "its last event is not the one that it names"}
	}
	out := make([]Event, len(lines))
	for i := range lines {
		if out[i], err = DecodeLine(lines[i].text); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// publishedLines reads the files that hold events after `end`. If the event at `end` differs, the digest is a new one.
func (l *Log) publishedLines(p Publication, end *flatEnd) (out []soundLine, err error) {
	objects := l.repo.Objects()
	objects.Max = maxBatch
	defer func() { err = errors.Join(err, objects.Close()) }()
	at := *end
	size := 0
	for i, f := range p.Files {
		next := p.Head.Events + 1
		if i+1 < len(p.Files) {
			next = p.Files[i+1].First
		}
		if next <= at.seq || next == at.seq+1 && i+1 < len(p.Files) {
			continue
		}
		raw, err := objects.Blob(f.Blob)
		if err != nil {
			return nil, brokenBy(f.First, err)
		}
		if size += len(raw); size > maxPublished {
			return nil, &brokenError{seq: f.First, why: fmt.Sprintf("more than %d bytes", maxPublished)}
		}
		lines, broken := publishedBatch(raw, f.First, &at)
		if broken != nil {
			return nil, broken
		}
		out = append(out, lines...)
	}
	return out, nil
}

// maxPublished limits the bytes of a digest that are read at once.
const maxPublished = 128 << 20

// publishedBatch checks the events of one file, and returns the events after the end `at`. It also moves `at` to the
// new end.
func publishedBatch(raw []byte, first int64, at *flatEnd) ([]soundLine, error) {
	text, err := eventsIn(raw)
	if err != nil {
		return nil, brokenBy(first, err)
	}
	all := bytes.Split(text, newline)
	if known := at.seq + 1 - first; known > 0 && known <= int64(len(all)) {
		e, hash, err := readChecked(all[known-1])
		if err != nil || hash != e.ID || e.ID != at.id || e.Seq != at.seq {
			return nil, errForked
		}
		all = all[known:]
	} else if known != 0 {
		return nil, &brokenError{seq: first, why: "a file of events begins elsewhere than its name says"}
	}
	if len(all) == 0 {
		return nil, nil
	}
	var checked checkedPart
	checked.lines(new(checkedReader), all, nil)
	lines, broken := soundLines(checked, all, *at)
	if broken != nil {
		if checked.firstPrev != at.id && at.seq > 0 {
			return nil, errForked
		}
		return nil, broken
	}
	at.seq, at.id = lines[len(lines)-1].seq, lines[len(lines)-1].id
	return lines, nil
}
