package events

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
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
	var err error
	if j.gen, j.end, j.size, err = readEnds(f, header); err != nil {
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
	j.end, j.size = end, end.offset
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

// `last` reads the last event; the zero event of an empty journal.
func (j *journal) last() (Event, error) {
	if j.end.offset <= j.head {
		return Event{}, nil
	}
	text, _, err := j.batchBefore(j.end.offset)
	if err != nil {
		return Event{}, err
	}
	text = text[:len(text)-1]
	e, err := DecodeLine(text[bytes.LastIndexByte(text, '\n')+1:])
	if err != nil {
		return Event{}, err
	}
	return e, e.CheckID()
}

// newestFirst yields the lines of each batch, the last batch first. The caller may keep them.
func (j *journal) newestFirst(yield func(lines [][]byte) error) error {
	for at := j.end.offset; at > j.head; {
		text, begin, err := j.batchBefore(at)
		if err != nil {
			return err
		}
		if err := yield(bytes.Split(text[:len(text)-1], newline)); err != nil {
			return err
		}
		at = begin
	}
	return nil
}

// batchBefore reads the events of the batch whose end line ends at an offset, and returns the batch's beginning.
func (j *journal) batchBefore(at int64) (text []byte, begin int64, err error) {
	for window := int64(endWindow); ; window *= 16 {
		start := max(j.head, at-window)
		buf := make([]byte, at-start)
		if _, err := j.file.ReadAt(buf, start); err != nil {
			return nil, 0, fmt.Errorf("%w: %w", ErrJournal, err)
		}
		line := bytes.LastIndexByte(buf[:max(0, len(buf)-1)], '\n') + 1
		if line > 0 {
			_, length, ok := parseEnd(string(buf[line : len(buf)-1]))
			if !ok || at-int64(len(buf)-line+length) < j.head {
				return nil, 0, fmt.Errorf("%w: byte %d is not the end of a batch", ErrJournal, at)
			}
			if length <= line {
				text = buf[line-length : line]
				if text[length-1] != '\n' {
					return nil, 0, fmt.Errorf("%w: byte %d is not the end of a batch", ErrJournal, at)
				}
				return text, at - int64(len(buf)-line+length), nil
			}
		}
		if start == j.head || window > 2*maxBatch {
			return nil, 0, fmt.Errorf("%w: byte %d is not the end of a batch", ErrJournal, at)
		}
	}
}

// lines yields all lines from an offset up to the end, with end lines, each with its offset. The next line may
// overwrite it.
func (j *journal) lines(from int64, yield func(at int64, line []byte) error) error {
	in := bufio.NewReaderSize(io.NewSectionReader(j.file, from, j.end.offset-from), MaxEvent+1)
	for at := from; at < j.end.offset; {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return fmt.Errorf("%w: byte %d: %w", ErrJournal, at, err)
		}
		if err := yield(at, line[:len(line)-1]); err != nil {
			return err
		}
		at += int64(len(line))
	}
	return nil
}

// oldestFirst yields the lines of each batch after an end, the first batch first. The caller may keep them.
func (j *journal) oldestFirst(after flatEnd, yield func(lines [][]byte, end flatEnd) error) error {
	var lines [][]byte
	return j.lines(max(after.offset, j.head), func(at int64, line []byte) error {
		if len(line) > 0 && line[0] != '#' {
			lines = append(lines, bytes.Clone(line))
			return nil
		}
		end, _, ok := parseEnd(string(line))
		if !ok || len(lines) == 0 {
			return fmt.Errorf("%w: byte %d is not the end of a batch", ErrJournal, at)
		}
		end.offset = at + int64(len(line)) + 1
		err := yield(lines, end)
		lines = nil
		return err
	})
}
