package events

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/refs"
	"github.com/zeebo/blake3"
)

// tip is the end of a log: where the next event goes.
type tip struct {
	commit refs.OID // zero for a log that does not exist yet
	seq    int64
	id     ID
	writer string
}

// End is where a log ends: what its ref names, and what the last event says. It is zero for a log that does not exist.
type End struct {
	Tip    refs.OID
	Seq    int64
	Event  ID
	Time   time.Time
	Writer string
}

// End reads the last event of the log on a ref, refs.EventsRef for the own one.
func (l *Log) End(ref string) (End, error) {
	at, err := l.Tip(ref)
	if err != nil || at.IsZero() {
		return End{}, err
	}
	return l.endAt(at)
}

// endAt reads the last event of the batch commit named.
func (l *Log) endAt(commit refs.OID) (End, error) {
	last, err := l.lastOf(commit)
	if err != nil {
		return End{}, fmt.Errorf("read end of the log: commit %s: %w", commit, err)
	}
	return End{Tip: commit, Seq: last.Seq, Event: last.ID, Time: last.Time, Writer: last.Writer}, nil
}

// readTip finds the last event of the batch commit named; the zero id gives the empty log's tip.
func (l *Log) readTip(commit refs.OID) (tip, error) {
	if commit.IsZero() {
		return tip{}, nil
	}
	if t, ok := l.cachedTip(); ok && t.commit == commit {
		return t, nil
	}
	end, err := l.endAt(commit)
	return tip{commit: end.Tip, seq: end.Seq, id: end.Event, writer: end.Writer}, err
}

// lastOf reads the last event of a batch.
func (l *Log) lastOf(commit refs.OID) (Event, error) {
	raw, err := l.readCommit(commit)
	if err != nil {
		return Event{}, err
	}
	b, err := parseBatch(raw)
	if err != nil {
		return Event{}, err
	}
	last, err := DecodeLine(b.lines[len(b.lines)-1])
	if err != nil {
		return Event{}, err
	}
	return last, last.CheckID()
}

// The tip is remembered, because the commit that holds it may lie in a pack, which takes a git process to read. The
// file is believed only for the very commit that the ref names, and only when its check sum holds; so it may be written
// in place, which spares the flush that some file systems put behind replacing a file by rename.
func (l *Log) tipPath() string { return filepath.Join(l.cacheDir(), "tip") }

func (l *Log) cachedTip() (tip, bool) {
	text, err := refs.ReadFile(l.tipPath())
	if err != nil {
		return tip{}, false
	}
	return parseTip(string(text))
}

func parseTip(text string) (tip, bool) {
	body, sum, ok := strings.Cut(text, "\n")
	if !ok || strings.TrimRight(sum, " ") != checkSum(body) {
		return tip{}, false
	}
	fields := strings.Split(body, " ")
	if len(fields) != 5 || fields[0] != "tip1" {
		return tip{}, false
	}
	commit, err := refs.ParseOID(fields[1])
	if err != nil {
		return tip{}, false
	}
	seq, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil || seq < 1 {
		return tip{}, false
	}
	id, err := ParseID(fields[3])
	if err != nil || checkWriter(fields[4]) != nil {
		return tip{}, false
	}
	return tip{commit: commit, seq: seq, id: id, writer: fields[4]}, true
}

func (t tip) String() string {
	body := fmt.Sprintf("tip1 %s %d %s %s", t.commit, t.seq, t.id, t.writer)
	return fmt.Sprintf("%-*s", tipSize, body+"\n"+checkSum(body))
}

// tipSize is longer than any tip, so that a shorter one covers a longer one.
const tipSize = 256

// rememberTip may fail: the next append then reads the commit.
func (l *Log) rememberTip(t tip) {
	path := l.tipPath()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666)
	if errors.Is(err, fs.ErrNotExist) {
		_ = refs.WriteFileAtomic(path, []byte(t.String()), 0o666) // makes the directory
		return
	}
	if err != nil {
		return
	}
	_, _ = f.WriteAt([]byte(t.String()), 0)
	_ = f.Close()
}

func checkSum(text string) string {
	sum := blake3.Sum256([]byte(text))
	return fmt.Sprintf("%x", sum[:8])
}
