package events

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"os"
	"slices"
)

// Text has consecutive lines of events, addressed by offset: the file of this clone's log, or the file of all copied
// logs. Lines that cannot be stored, because the directory is read-only or another process works on it, follow in
// memory.
type Text struct {
	gen    string     // names the build of the stored part; offsets are valid only for this build
	file   *os.File   // nil if everything is in memory
	stored int64      // the end of the stored part
	tail   []byte     // the lines after it, in memory
	parts  []textPart // parts in their order; none if all lines belong to log 0
	users  int        // number of open copies
}

// textPart is the offset from which lines belong to a log.
type textPart struct {
	at  int64
	log uint32
}

// CopyLine is an event in a text.
type CopyLine struct {
	Offset int64
	Log    uint32 // the number of its log
	Line   []byte // without its line feed
}

// Generation names the build of the stored part. It is empty when nothing is stored.
func (t *Text) Generation() string { return t.gen }

// Stored returns the offset at which the part on disk ends and the part in memory begins.
func (t *Text) Stored() int64 { return t.stored }

// Size returns the offset after the last line.
func (t *Text) Size() int64 { return t.stored + int64(len(t.tail)) }

func (t *Text) release() {
	if t == nil {
		return
	}
	if t.users--; t.users == 0 {
		t.close()
	}
}

func (t *Text) close() {
	if t.file != nil {
		_ = t.file.Close()
	}
}

// ReadAt reads bytes of the text, on disk or in memory.
func (t *Text) ReadAt(p []byte, at int64) (n int, err error) {
	if at < t.stored {
		n, err = t.file.ReadAt(p[:min(int64(len(p)), t.stored-at)], at)
	}
	if n < len(p) && err == nil {
		n += copy(p[n:], t.tail[at+int64(n)-t.stored:])
	}
	return n, err
}

// Line reads a line by its offset and length.
func (t *Text) Line(offset int64, length int) ([]byte, error) {
	if offset < 0 || length < 0 || length > MaxEvent || offset+int64(length) > t.Size() {
		return nil, ErrCopyDamaged
	}
	line := make([]byte, length)
	if _, err := t.ReadAt(line, offset); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCopyDamaged, err)
	}
	return line, nil
}

// TextPart is some consecutive lines of a text.
type TextPart struct {
	End int64 // the offset after them

	at   int64
	text []byte
	logs textLogs
}

// Parts returns the lines between two offsets, in parts of a size or larger. The offsets are 0, ends of parts, or
// earlier values of Stored or Size with the same generation.
func (t *Text) Parts(from, to, size int64) iter.Seq2[TextPart, error] {
	return func(yield func(TextPart, error) bool) {
		if from < 0 || from > to || to > t.Size() {
			yield(TextPart{}, ErrCopyDamaged)
			return
		}
		end := func(text []byte) int { return bytes.LastIndexByte(text, '\n') + 1 }
		for at, text := range wholeParts(t, from, to, size, end) {
			if len(text) == 0 || text[len(text)-1] != '\n' {
				yield(TextPart{}, ErrCopyDamaged)
				return
			}
			if !yield(TextPart{at + int64(len(text)), at, text, t.logsFrom(at)}, nil) {
				return
			}
		}
	}
}

// Lines returns the lines of events.
func (p TextPart) Lines() iter.Seq[CopyLine] {
	return func(yield func(CopyLine) bool) {
		at, logs := p.at, p.logs
		for line := range bytes.Lines(p.text) {
			if line[0] == '{' && !yield(CopyLine{at, logs.at(at), line[:len(line)-1]}) {
				return
			}
			at += int64(len(line))
		}
	}
}

// textLogs has the log of each part of the text, by offset.
type textLogs struct {
	log  uint32
	rest []textPart
}

func (t *Text) logsFrom(offset int64) textLogs {
	at, _ := slices.BinarySearchFunc(t.parts, offset, func(p textPart, at int64) int { return cmp.Compare(p.at, at) })
	l := textLogs{rest: t.parts[at:]}
	if at > 0 {
		l.log = t.parts[at-1].log
	}
	return l
}

func (l *textLogs) at(offset int64) uint32 {
	for len(l.rest) > 0 && l.rest[0].at <= offset {
		l.log, l.rest = l.rest[0].log, l.rest[1:]
	}
	return l.log
}
