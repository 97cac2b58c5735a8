package events

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
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
	Line   []byte // without its line feed; the next one may overwrite it
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

// Line reads the line at an offset from Scan.
func (t *Text) Line(offset int64, length int) ([]byte, error) {
	if offset < 0 || length < 0 || length > MaxEvent || offset+int64(length) > t.Size() {
		return nil, ErrCopyDamaged
	}
	if offset >= t.stored {
		at := offset - t.stored
		return t.tail[at : at+int64(length)], nil
	}
	line := make([]byte, length)
	if _, err := t.file.ReadAt(line, offset); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCopyDamaged, err)
	}
	return line, nil
}

// Scan returns the lines of events from an offset on: 0, or an earlier value of Stored or Size with the same
// generation.
func (t *Text) Scan(from int64) iter.Seq2[CopyLine, error] { return t.between(from, t.Size()) }

// `between` returns the lines of events from one end of a batch to another.
func (t *Text) between(from, to int64) iter.Seq2[CopyLine, error] {
	return func(yield func(CopyLine, error) bool) {
		if from < 0 || from > to || to > t.Size() {
			yield(CopyLine{}, ErrCopyDamaged)
			return
		}
		var of []io.Reader
		if from < t.stored {
			of = append(of, io.NewSectionReader(t.file, from, min(to, t.stored)-from))
		}
		if to > t.stored {
			of = append(of, bytes.NewReader(t.tail[max(0, from-t.stored):to-t.stored]))
		}
		in := bufio.NewReaderSize(io.MultiReader(of...), int(min(to-from, MaxEvent)+1))
		logs := t.logsFrom(from)
		for offset := from; ; {
			line, err := in.ReadSlice('\n')
			if errors.Is(err, io.EOF) && len(line) == 0 {
				return
			}
			if err != nil {
				yield(CopyLine{}, fmt.Errorf("%w: %w", ErrCopyDamaged, err))
				return
			}
			if line[0] == '{' && !yield(CopyLine{offset, logs.at(offset), line[:len(line)-1]}, nil) {
				return
			}
			offset += int64(len(line))
		}
	}
}

// Part returns the stored lines of events between two offsets: their first bytes lie at `from` or after it, and before
// `to`. The lines are in buf, which grows if necessary. Several parts may be read at once.
func (t *Text) Part(buf *[]byte, from, to int64) iter.Seq2[CopyLine, error] {
	return func(yield func(CopyLine, error) bool) {
		text, offset, err := t.storedLines(buf, from, to)
		if err != nil {
			yield(CopyLine{}, err)
			return
		}
		logs := t.logsFrom(offset)
		for len(text) > 0 {
			line, rest, _ := bytes.Cut(text, newline)
			if len(line) > 0 && line[0] == '{' && !yield(CopyLine{offset, logs.at(offset), line}, nil) {
				return
			}
			offset, text = offset+int64(len(line)+1), rest
		}
	}
}

// storedLines reads the stored lines that begin between two offsets, as one text. It also returns the offset of the
// text. The text is in the buffer, which grows if necessary.
func (t *Text) storedLines(buf *[]byte, from, to int64) (text []byte, at int64, err error) {
	to = min(to, t.stored)
	begin := max(0, from-1) // the byte before from shows whether a line begins there
	for room := int64(4 << 10); ; room *= 8 {
		end := min(to+room, t.stored)
		if n := end - begin; int64(cap(*buf)) < n {
			*buf = make([]byte, n)
		}
		text := (*buf)[:end-begin]
		if _, err := t.file.ReadAt(text, begin); err != nil {
			return nil, 0, fmt.Errorf("%w: %w", ErrCopyDamaged, err)
		}
		last := bytes.IndexByte(text[to-1-begin:], '\n')
		if last < 0 && end < t.stored && room <= MaxEvent {
			continue
		}
		if last < 0 {
			return nil, 0, ErrCopyDamaged
		}
		text = text[:to-begin+int64(last)]
		if from > 0 {
			head, rest, _ := bytes.Cut(text, newline)
			return rest, begin + int64(len(head)+1), nil
		}
		return text, 0, nil
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
