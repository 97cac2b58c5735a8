package events

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/git-trace/git-trace/refs"
)

// copySealed does the same as copySound, for a sealed log. Each of its files is a batch of the copy. All end lines
// except the last name the file instead of the seal. A copy that ends at such a line is not complete.
func (l *Log) copySealed(ctx context.Context, of FetchedLog, tip refs.OID, end flatEnd, w io.Writer) (flatEnd, error) {
	p, err := l.readSeal(tip)
	if err != nil {
		return end, brokenBy(end.seq+1, err)
	}
	switch {
	case of.Writer != "" && p.Head.Writer != of.Writer:
		return end, &brokenError{seq: 1, why: fmt.Sprintf("written by %s, the ref names %s", p.Head.Writer, of.Writer)}
	case p.Head.ObjectFormat != l.repo.Format.String():
		return end, &brokenError{seq: 1, why: "it is of a repository with other object ids"}
	case p.Head.Events < end.seq:
		return end, errForked
	}
	begin := end.seq
	for i, f := range p.Files {
		last := i+1 == len(p.Files)
		if !last && p.Files[i+1].First <= end.seq {
			continue
		}
		if ctx.Err() != nil {
			return end, ctx.Err()
		}
		text, err := l.sealedFile(f)
		if err != nil {
			return end, brokenBy(f.First, err)
		}
		at := end
		lines, err := publishedBatch(append(text, '\n'), f.First, &at)
		if err == nil && of.Ref != "" {
			if broken := checkForeign(lines, p.Head.Writer); broken != nil {
				err = broken
			}
		}
		if errors.Is(err, errForked) && (begin == 0 || end.seq > begin) { // it cannot even continue itself
			err = &brokenError{seq: end.seq + 1, why: "the next event does not follow the one before"}
		}
		if err == nil && last && (at.seq != p.Head.Events || at.id != p.Head.Last) {
			err = &brokenError{seq: at.seq, why: "its last event is not the one that it names"}
		}
		if err != nil {
			return end, err
		}
		name := f.Blob
		if last {
			name = tip
		}
		if err := writeBatch(w, name, lines, &end); err != nil {
			return end, err
		}
	}
	return end, nil
}

// copySealedRest copies from a damaged seal every valid event after an end, from all readable files.
func (l *Log) copySealedRest(end flatEnd, tip refs.OID, w io.Writer) (flatEnd, error) {
	p, err := l.readSeal(tip)
	if err != nil {
		return end, nil //nolint:nilerr // then none of its events is sound
	}
	var lines []soundLine
	for _, f := range p.Files {
		text, err := l.sealedFile(f)
		if err != nil {
			continue
		}
		for line := range bytes.SplitSeq(text, newline) {
			if e, hash, err := readChecked(line); err == nil && hash == e.ID && e.Seq > end.seq {
				lines = append(lines, soundLine{line, e.Seq, e.ID})
			}
		}
	}
	err = writeBatch(w, tip, lines, &end)
	return end, err
}
