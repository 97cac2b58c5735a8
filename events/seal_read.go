package events

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/git-trace/git-trace/refs"
)

var errOtherForm = errors.New("a file of events has an unknown form")

// readSeal reads the head of a seal, and rejects a digest.
func (l *Log) readSeal(commit refs.OID) (Publication, error) {
	p, err := l.ReadPublication(commit)
	if errors.Is(err, ErrNotPublication) {
		return p, fmt.Errorf("%w: %w", ErrNotLog, err)
	}
	if here := (Witness{p.Head.Writer, p.Head.Events, p.Head.Last}); err == nil && p.Head.Source != here {
		err = fmt.Errorf("%w: it is a digest of a log", ErrNotLog)
	}
	return p, err
}

// lastSealed reads the last line of a seal.
func (l *Log) lastSealed(commit refs.OID) ([]byte, error) {
	p, err := l.readSeal(commit)
	if err != nil {
		return nil, err
	}
	text, err := l.sealedFile(p.Files[len(p.Files)-1])
	if err != nil {
		return nil, err
	}
	return text[bytes.LastIndexByte(text, '\n')+1:], nil
}

// sealedFile reads the events of a file, without the last line feed.
func (l *Log) sealedFile(f PublishedFile) (text []byte, err error) {
	objects := l.repo.Objects()
	objects.Max = maxBatch
	defer func() { err = errors.Join(err, objects.Close()) }()
	raw, err := objects.Blob(f.Blob)
	if err != nil {
		return nil, err
	}
	return eventsIn(raw)
}

// eventsIn returns the lines of an events file, without the last line feed.
func eventsIn(raw []byte) (text []byte, err error) {
	text, ok := bytes.CutSuffix(raw, newline)
	if n := bytes.Count(text, newline); !ok || n > someLines && n > len(text)/shortestLine {
		return nil, errOtherForm
	}
	return text, nil
}

// sealedLines gives the events of a seal, a file at a time. The parameter `order` is the order of the files; within a
// file the oldest event is always the first.
func (l *Log) sealedLines(commit refs.OID, order Order, yield func(f PublishedFile, lines [][]byte) error) error {
	p, err := l.readSeal(commit)
	if err != nil {
		return fmt.Errorf("commit %s: %w", commit, err)
	}
	for i := range p.Files {
		f := p.Files[i]
		if order == NewestFirst {
			f = p.Files[len(p.Files)-1-i]
		}
		text, err := l.sealedFile(f)
		if err != nil {
			return fmt.Errorf("events from %d: %w", f.First, err)
		}
		if err := yield(f, bytes.Split(text, newline)); err != nil {
			return err
		}
	}
	return nil
}
