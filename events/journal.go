package events

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// This clone's log is a file, <common>/traces/events.log: a header line, then for each batch its events, one on each
// line, and an end line (see flatEnd). A batch counts when its end line is whole. Bytes before an end line never
// change. Only an append, under its lock, changes the bytes after the last end line. The log's ref names a sealed copy
// of it, see seal.go: git stores and sends that copy, and shows it as one commit.

// ErrJournal reports damage in this clone's log file.
var ErrJournal = errors.New("the file of the log is damaged")

// ErrNewer reports that a later version made this clone's log, in another form. This program does not change it, and
// leaves its events in the spool.
var ErrNewer = errors.New("a newer git-trace wrote the log")

// journal is the open file, with its end at the time of opening.
type journal struct {
	file *os.File
	gen  string // names this build of the file
	head int64  // length of the header line
	end  flatEnd
	last Event // zero in an empty log
	size int64 // bytes between the end and size come from a killed append
}

const journalName = "events.log"

// JournalPath returns the file of this clone's log.
func (l *Log) JournalPath() string { return filepath.Join(l.repo.TracesDir(), journalName) }

// journalHeader returns the header line up to the generation.
func journalHeader(format refs.ObjectFormat) string {
	return fmt.Sprintf("%s%d %s ", journalForm, Version, format)
}

const journalForm = "git-trace log "

// `newer` reads the version of the form from the first line of a file.
func newer(f *os.File) error {
	const enough = len(journalForm) + 12
	head := make([]byte, enough)
	n, _ := f.ReadAt(head, 0) // a shorter file is not a log
	rest, is := strings.CutPrefix(string(head[:n]), journalForm)
	number, _, _ := strings.Cut(rest, " ")
	if form, err := strconv.Atoi(number); is && err == nil && form > Version {
		return fmt.Errorf("%w: it has form %d, and this program reads %d", ErrNewer, form, Version)
	}
	return nil
}

// openJournal opens the file of this clone's log; nil without one. If nothing can be appended to the file, it returns
// ErrJournal and the sound part of the journal.
func (l *Log) openJournal(flag int) (*journal, error) {
	f, err := os.OpenFile(l.JournalPath(), flag, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	j, err := readJournal(f, l.repo.Format)
	if err == nil {
		return j, nil
	}
	if later := newer(f); later != nil {
		return nil, errors.Join(later, f.Close())
	}
	return j, fmt.Errorf("%w: %w", ErrJournal, err)
}

func readJournal(f *os.File, format refs.ObjectFormat) (*journal, error) {
	header := journalHeader(format)
	j := &journal{file: f, head: int64(len(header) + writerDigits + 1)}
	gen, b, size, err := readEnds(f, header)
	if j.gen, j.end, j.last, j.size = gen, b.end, b.last, size; err != nil {
		return j, err
	}
	return j, j.checkRest()
}

// checkRest checks the bytes after the end. A write that was cut off leaves events without a whole end line. A power
// failure leaves zeros of a batch, which may have been acknowledged. Any other content comes from another program.
func (j *journal) checkRest() error {
	for rest := bufio.NewReaderSize(io.NewSectionReader(j.file, j.end.offset, j.size-j.end.offset), 64<<10); ; {
		line, err := rest.ReadSlice('\n')
		switch {
		case bytes.IndexByte(line, 0) >= 0:
			return errors.New("zeros follow its end, and an append writes none")
		case errors.Is(err, bufio.ErrBufferFull):
			_, err = rest.ReadBytes('\n')
		case err == nil && line[0] != '{':
			return errors.New("lines that are not events follow its end")
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (j *journal) close() {
	if j != nil {
		_ = j.file.Close()
	}
}

// append writes one batch after the end. If it fails, the file is unchanged, or has the whole batch; then a spooled
// copy of the batch is recognised later.
func (j *journal) append(events []Event, flush bool) error {
	if j.size > j.end.offset {
		if err := j.file.Truncate(j.end.offset); err != nil {
			return fmt.Errorf("append to log: %w", err)
		}
	}
	text, end := batchText(events, j.end)
	if _, err := j.file.WriteAt(text, j.end.offset); err != nil {
		return fmt.Errorf("append to log: %w", errors.Join(err, j.file.Truncate(j.end.offset)))
	}
	if flush {
		if err := j.file.Sync(); err != nil {
			return fmt.Errorf("append to log: %w", err)
		}
	}
	j.end, j.last, j.size = end, events[len(events)-1], end.offset
	return nil
}

// batchText returns the text of a batch that follows an end, and the new end.
func batchText(events []Event, end flatEnd) ([]byte, flatEnd) {
	var text bytes.Buffer
	for i := range events {
		text.Write(events[i].raw)
		text.WriteByte('\n')
	}
	last := events[len(events)-1]
	end = flatEnd{seq: last.Seq, id: last.ID, offset: end.offset}
	text.WriteString(end.line(text.Len()))
	end.offset += int64(text.Len())
	return text.Bytes(), end
}

// tip returns the place of the next event.
func (j *journal) tip() tip { return tip{seq: j.last.Seq, id: j.last.ID, writer: j.last.Writer} }

// newestFirst yields the lines of each batch, the last batch first. The caller may keep them.
func (j *journal) newestFirst(yield func(lines [][]byte) error) error {
	for at := j.end.offset; at > j.head; {
		b, err := batchBefore(j.file, j.head, at)
		if err != nil || b.end.offset != at {
			return fmt.Errorf("%w: byte %d is not the end of a batch", ErrJournal, at)
		}
		if err := yield(bytes.Split(b.text[:len(b.text)-1], newline)); err != nil {
			return err
		}
		at = b.begin
	}
	return nil
}

// batch is some consecutive events of the file: a batch, or the rest of one.
type batch struct {
	at     int64 // offset of the first event
	lines  [][]byte
	end    flatEnd // according to its end line, with the offset after it
	length int     // bytes of the events, according to the end line
	ended  bool    // a sound end line follows the events
	lost   error   // why the events cannot be read
}

// groupBytes is the size of the part that one processor checks at a time.
const groupBytes = 1 << 20

// groups yields the batches from an offset to the end, some at a time.
func (j *journal) groups(from int64) iter.Seq2[[]batch, error] {
	return func(yield func([]batch, error) bool) {
		end := func(text []byte) int { // the end of the last end line
			whole := bytes.LastIndexByte(text, '\n') + 1
			sign := bytes.LastIndex(text[:whole], []byte("\n#")) + 1
			if sign == 0 {
				return 0
			}
			return sign + bytes.IndexByte(text[sign:], '\n') + 1
		}
		for at, text := range wholeParts(j.file, max(from, j.head), j.end.offset, groupBytes, end) {
			if text == nil {
				yield(nil, fmt.Errorf("%w: byte %d cannot be read", ErrJournal, at))
			} else if !yield(cutBatches(text, at), nil) {
				return
			}
		}
	}
}

// wholeParts yields the bytes of a file between two offsets, in parts of a size or larger. Each part ends where the
// function `end` finds the last end in a text; 0 means that there is none. A part that cannot be read is nil, and the
// last one.
func wholeParts(f io.ReaderAt, at, to, size int64, end func(text []byte) int) iter.Seq2[int64, []byte] {
	return func(yield func(int64, []byte) bool) {
		for more := size; at < to; {
			text := make([]byte, min(more, to-at))
			if n, _ := f.ReadAt(text, at); n < len(text) {
				yield(at, nil)
				return
			}
			if at+int64(len(text)) < to {
				text = text[:end(text)]
			}
			if len(text) == 0 {
				more *= 4
				continue
			}
			if !yield(at, text) {
				return
			}
			at, more = at+int64(len(text)), size
		}
	}
}

func cutBatches(text []byte, at int64) (group []batch) {
	for len(text) > 0 {
		length := len(text)
		if text[0] == '#' {
			length = 0
		} else if end := bytes.Index(text, []byte("\n#")); end >= 0 {
			length = end + 1
		}
		b := batch{at: at}
		if length > 0 {
			b.lines = bytes.Split(bytes.TrimSuffix(text[:length], newline), newline)
		}
		line, rest, _ := bytes.Cut(text[length:], newline)
		b.end, b.length, b.ended = parseEnd(string(line))
		at += int64(len(text) - len(rest))
		b.end.offset = at
		group, text = append(group, b), rest
	}
	return group
}

// unsound returns an error unless the batch has events and a sound end line.
func (b *batch) unsound() error {
	if b.ended && len(b.lines) > 0 {
		return nil
	}
	return fmt.Errorf("%w: byte %d is not the end of a batch", ErrJournal, b.end.offset)
}

// batches yields the batches from an offset to the end. The function `yield` may return errStopped.
func (j *journal) batches(at int64, yield func(b *batch) error) error {
	for group, err := range j.groups(at) {
		for i := 0; i < len(group) && err == nil; i++ {
			err = yield(&group[i])
		}
		if errors.Is(err, errStopped) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// `find` returns the end after the event with the given number. If there is no such event, the end has no id.
func (j *journal) find(seq int64) (found flatEnd, err error) {
	err = j.batches(j.head, func(b *batch) error {
		if b.ended && b.end.seq < seq {
			return nil
		}
		at := b.at
		for _, line := range b.lines {
			at += int64(len(line)) + 1
			if e, err := DecodeLine(line); err == nil && e.Seq == seq {
				found = flatEnd{seq: seq, id: e.ID, offset: at}
				return errStopped
			}
		}
		return nil
	})
	return found, err
}
