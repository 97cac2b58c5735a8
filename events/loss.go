package events

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// The end of this clone's log is also noted outside of traces/, in <common>/trace-end: a truncated file, or a log that
// was made again from its seal, does not show which events came after its end. That file also keeps the found losses
// through all later appends, until a person confirms them (NoteLosses).
//
// The memory is valid if its check sum is right. It may be written in place, because replacing a file by rename costs a
// flush on some file systems.

// Loss describes events that this clone appended and that its log no longer holds.
type Loss struct {
	From   int64 // the first one
	To     int64 // the last one
	Last   ID    // the id of the event To
	Writer string
}

func (l Loss) String() string {
	events := fmt.Sprintf("events %d to %d", l.From, l.To)
	if l.From == l.To {
		events = fmt.Sprintf("event %d", l.To)
	}
	return "this clone has written " + events + ", which the log has lost"
}

// memory holds the content of the file with the known end of the log.
type memory struct {
	end  tip
	lost []Loss
}

// mostLosses limits the number of kept losses; the last one also covers all later ones.
const mostLosses = 16

// `with` returns the memory for a log that ends at `end`. If the log ends earlier than remembered, the missing events
// are added as a loss.
func (m memory) with(end tip) memory {
	loss := Loss{From: end.seq + 1, To: m.end.seq, Last: m.end.id, Writer: m.end.writer}
	switch {
	case m.end.seq == 0, end.writer == m.end.writer && end.seq > m.end.seq, end == m.end:
		return m
	case end.writer != m.end.writer:
		loss.From = 1
	case end.seq == m.end.seq:
		loss.From = end.seq
	}
	m.end = end
	if n := len(m.lost); n == mostLosses {
		m.lost = append(slices.Clone(m.lost[:n-1]), loss)
	} else {
		m.lost = append(slices.Clone(m.lost), loss)
	}
	return m
}

func (l *Log) tipPath() string { return filepath.Join(l.repo.CommonDir, "trace-end") }

func (l *Log) knownEnd() (tip, bool) {
	m := l.readMemory()
	return m.end, m.end.seq > 0
}

func (l *Log) readMemory() memory {
	text, err := refs.ReadFile(l.tipPath())
	if err != nil {
		return memory{}
	}
	m, _ := parseMemory(string(text))
	return m
}

func parseMemory(text string) (m memory, ok bool) {
	body, sum, _ := strings.Cut(text, "\n")
	if strings.TrimRight(sum, " ") != checkSum(body) {
		return m, false
	}
	words, ok := strings.CutPrefix(body, "end1 ")
	fields := strings.Split(words, " ")
	if !ok || len(fields)%4 != 3 {
		return m, false
	}
	if m.end, ok = parseTip(fields[:3]); !ok {
		return memory{}, false
	}
	for rest := fields[3:]; len(rest) > 0; rest = rest[4:] {
		from, err := strconv.ParseInt(rest[0], 10, 64)
		last, ok := parseTip(rest[1:4])
		if err != nil || !ok {
			return memory{}, false
		}
		m.lost = append(m.lost, Loss{From: from, To: last.seq, Last: last.id, Writer: last.writer})
	}
	return m, true
}

func parseTip(fields []string) (t tip, ok bool) {
	seq, err := strconv.ParseInt(fields[0], 10, 64)
	id, idErr := ParseID(fields[1])
	if err != nil || seq < 1 || idErr != nil || checkWriter(fields[2]) != nil {
		return tip{}, false
	}
	return tip{seq: seq, id: id, writer: fields[2]}, true
}

// memoryBlock is the length of a block in bytes. A memory without losses fits into one. A memory fills whole blocks, so
// that a shorter one overwrites all of a longer one.
const memoryBlock = 256

func (m memory) String() string {
	body := fmt.Sprintf("end1 %d %s %s", m.end.seq, m.end.id, m.end.writer)
	for _, l := range m.lost {
		body += fmt.Sprintf(" %d %d %s %s", l.From, l.To, l.Last, l.Writer)
	}
	text := body + "\n" + checkSum(body)
	return text + strings.Repeat(" ", (memoryBlock-len(text)%memoryBlock)%memoryBlock)
}

// rememberAppended notes the new end after an append. If it fails, the end is unknown.
func (l *Log) rememberAppended(was, now tip) {
	m := l.readMemory()
	if m.end != was {
		m = m.with(was)
	}
	m.end = now
	path := l.tipPath()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return
	}
	_, _ = f.WriteAt([]byte(m.String()), 0)
	_ = f.Close()
}

// rememberEnd notes that the log now ends elsewhere, and that this is not a loss.
func (l *Log) rememberEnd(now tip) error {
	m := l.readMemory()
	m.end = now
	return refs.WriteFileAtomic(l.tipPath(), []byte(m.String()), 0o666)
}

// ForgetEnd drops the memory: the user deletes the log, or another log replaces it.
func (l *Log) ForgetEnd() error {
	if err := os.Remove(l.tipPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Losses returns the events that this clone knows to have lost. It reads the memory before the log: an append writes
// the memory last.
func (l *Log) Losses() ([]Loss, error) {
	m := l.readMemory()
	if m.end.seq == 0 {
		return m.lost, nil
	}
	end, err := l.End(refs.EventsRef)
	if err != nil {
		return m.lost, err
	}
	return m.with(tip{seq: end.Seq, id: end.Event, writer: end.Writer}).lost, nil
}

// NoteLosses records in the log which events were lost, and returns the number of losses. After that they are not
// reported.
func (l *Log) NoteLosses(ctx context.Context) (int, error) {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	var lost []Loss
	err := l.inTurn(ctx, func() (err error) {
		if _, err = l.drain(ctx); err != nil {
			return fmt.Errorf("drain spool: %w", err)
		}
		j, err := l.openJournal(os.O_RDWR)
		if err == nil && j != nil {
			err = l.goOn(ctx, j)
		}
		j.close()
		if err != nil {
			return err
		}
		if lost, err = l.Losses(); err != nil || len(lost) == 0 {
			return err
		}
		drafts := make([]Draft, len(lost))
		for i, loss := range lost {
			data, err := Encode(IncompleteData{Boundary: "log", Reason: "events_lost", First: loss.From, Last: loss.To,
				Event: loss.Last})
			if err != nil {
				return err
			}
			drafts[i] = Draft{Type: CaptureIncomplete, Method: []Method{Manual}, Data: data}
		}
		if drafts, err = prepare(drafts, time.Now()); err != nil {
			return err
		}
		if _, err = l.write(ctx, drafts); err != nil {
			return err
		}
		return refs.WriteFileAtomic(l.tipPath(), []byte(memory{end: l.readMemory().end}.String()), 0o666)
	})
	if err != nil {
		return 0, fmt.Errorf("note what the log has lost: %w", err)
	}
	return len(lost), nil
}
