package events

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/refs"
)

// This clone's log needs no copy: its file already has the form of a copy. A copy holds only events that were checked.
// So readers check the file once, and note in the cache how far they checked it.

// checkedPath returns the file in which readers note how far they have checked the log.
func (l *Log) checkedPath() string { return filepath.Join(l.cacheDir(), "checked") }

// checkedEnd returns the end of the checked part of this build of the file; without such a note, the end of an empty
// log.
func (l *Log) checkedEnd(j *journal) flatEnd {
	none := flatEnd{offset: j.head}
	text, err := refs.ReadFile(l.checkedPath())
	if err != nil {
		return none
	}
	body, sum, _ := strings.Cut(strings.TrimSuffix(string(text), "\n"), "\n")
	if checkSum(body) != sum {
		return none
	}
	var gen, id string
	var end flatEnd
	n, err := fmt.Sscanf(body, "checked1 %s %d %d %s", &gen, &end.offset, &end.seq, &id)
	if end.id = ID(id); n != 4 || err != nil || gen != j.gen || end.offset > j.end.offset || end.offset < j.head {
		return none
	}
	return end
}

// noteChecked writes the note. It may fail: then the file is checked again.
func (l *Log) noteChecked(gen string, end flatEnd) {
	body := fmt.Sprintf("checked1 %s %d %d %s", gen, end.offset, end.seq, end.id)
	_ = refs.WriteFileAtomic(l.checkedPath(), []byte(body+"\n"+checkSum(body)+"\n"), 0o666)
}

// copyOwn opens the file of this clone's log as a copy. If the file is damaged, it returns the valid part with a note.
// Without a file it returns nil.
func (l *Log) copyOwn(ctx context.Context) (*Copy, error) {
	j, broken := l.openJournal(os.O_RDONLY)
	if j == nil {
		return nil, broken
	}
	c := &Copy{ref: refs.EventsRef, text: &Text{gen: j.gen, file: j.file, users: 1}}
	if broken != nil {
		j.end.offset = j.size
	}
	if j.gen == "" { // even its first line has changed
		j.head = 0
	}
	known := l.checkedEnd(j)
	end, err := j.check(ctx, known)
	if ctx.Err() != nil {
		c.Close()
		return nil, ctx.Err()
	}
	if c.end, c.text.stored = end, end.offset; end != known && j.gen != "" {
		l.noteChecked(j.gen, end)
	}
	if broken == nil {
		broken = err
	} else if !isBroken(err) {
		broken = brokenBy(end.seq+1, broken)
	}
	if broken != nil {
		c.Notes = append(c.Notes, broken.Error())
		c.text.tail, c.end, err = j.whatIsLeft(end)
	}
	return c, err
}

// `check` checks the chain of the batches after an end, and returns the end of the last sound one. At the first unsound
// batch it stops with a brokenError. Reading the lines takes longest, so all processors do it.
func (j *journal) check(ctx context.Context, from flatEnd) (flatEnd, error) {
	var pending, free []*batchGroup // the oldest first
	var err error
	chain := func(left int) {
		for ; err == nil && len(pending) > left; pending = pending[1:] {
			if from, err = pending[0].chain(from); err == nil {
				err = ctx.Err()
			}
			free = append(free, pending[0])
		}
	}
	for at := max(from.offset, j.head); err == nil && at < j.end.offset; chain(runtime.GOMAXPROCS(0)) {
		g := &batchGroup{}
		if last := len(free) - 1; last >= 0 {
			g, free = free[last], free[:last]
		}
		at = g.load(j, at)
		fault.Go(g.read)
		pending = append(pending, g)
	}
	chain(0)
	if err != nil && !isBroken(err) && ctx.Err() == nil {
		err = brokenBy(from.seq+1, err)
	}
	return from, err
}

// groupBytes is the size of the part that one processor reads at a time.
const groupBytes = 1 << 20

// batchGroup is some consecutive batches of the file. It is reused.
type batchGroup struct {
	buf    []byte
	at     int64 // offset of the beginning
	reader checkedReader

	done    chan struct{} // closed once they are read
	lines   [][]byte      // lines of all batches
	batches [][][]byte    // parts of lines
	ends    []flatEnd
	checked []checkedPart
	err     error // the fault after the batches
}

// load reads one processor's part from an offset, up to the end line of a batch, and returns the offset after it.
func (g *batchGroup) load(j *journal, at int64) int64 {
	*g = batchGroup{buf: g.buf, at: at, reader: g.reader, done: make(chan struct{}), lines: g.lines[:0],
		batches: g.batches[:0], ends: g.ends[:0], checked: g.checked[:0]}
	for size := int64(groupBytes); ; size *= 4 {
		rest := j.end.offset - at
		size = min(size, rest)
		g.buf = slices.Grow(g.buf[:0], int(size))[:size]
		if _, err := j.file.ReadAt(g.buf, at); err != nil {
			g.buf, g.err = g.buf[:0], fmt.Errorf("%w: byte %d: %w", ErrJournal, at, err)
			return j.end.offset
		}
		whole := bytes.LastIndexByte(g.buf, '\n') + 1
		if end := bytes.LastIndex(g.buf[:whole], []byte("\n#")) + 1; end > 0 {
			g.buf = g.buf[:end+bytes.IndexByte(g.buf[end:], '\n')+1]
		} else if size < min(rest, lastEndWindow) {
			continue
		}
		return at + int64(len(g.buf))
	}
}

// read reads the lines of each batch separately.
func (g *batchGroup) read() {
	defer close(g.done)
	if g.err == nil {
		g.err = g.cut()
	}
	for _, lines := range g.batches {
		var checked checkedPart
		checked.lines(&g.reader, lines, nil)
		g.checked = append(g.checked, checked)
	}
}

// cut finds the batches in the text of the group.
func (g *batchGroup) cut() error {
	first := 0 // index of the first line that is not in a batch yet
	for at := 0; at < len(g.buf); {
		line, _, whole := bytes.Cut(g.buf[at:], newline)
		if !whole || len(line) > MaxEvent {
			return fmt.Errorf("%w: byte %d is not the beginning of a line", ErrJournal, g.at+int64(at))
		}
		if len(line) > 0 && line[0] != '#' {
			g.lines = append(g.lines, line)
			at += len(line) + 1
			continue
		}
		end, _, ok := parseEnd(string(line))
		if !ok || len(g.lines) == first {
			return fmt.Errorf("%w: byte %d is not the end of a batch", ErrJournal, g.at+int64(at))
		}
		at += len(line) + 1
		end.offset = g.at + int64(at)
		g.batches, g.ends = append(g.batches, g.lines[first:len(g.lines):len(g.lines)]), append(g.ends, end)
		first = len(g.lines)
	}
	return nil
}

// chain waits until the lines are read, and returns the end of the sound ones, starting from an end.
func (g *batchGroup) chain(end flatEnd) (flatEnd, error) {
	<-g.done
	for i, lines := range g.batches {
		sound, broken := soundLines(g.checked[i], lines, end)
		if broken != nil {
			return end, broken
		}
		next := g.ends[i]
		if last := sound[len(sound)-1]; last.seq != next.seq || last.id != next.id {
			return end, &brokenError{seq: last.seq, why: "the end line of its batch names another event"}
		}
		end = next
	}
	return end, g.err
}

// whatIsLeft returns the events after an end that are valid by themselves.
func (j *journal) whatIsLeft(end flatEnd) (tail []byte, last flatEnd, err error) {
	var text bytes.Buffer
	var lines []soundLine
	last = end
	rest := *j
	rest.end.offset = j.size
	err = rest.lines(end.offset, func(_ int64, line []byte) error {
		if e, hash, err := readChecked(line); err == nil && hash == e.ID {
			lines = append(lines, soundLine{bytes.Clone(line), e.Seq, e.ID})
		}
		return nil
	})
	if errors.Is(err, ErrJournal) { // a line that is cut off, or none: the readable part ends here
		err = nil
	}
	if err == nil {
		err = writeBatch(&text, refs.OID{}, lines, &last)
	}
	return text.Bytes(), last, err
}
