package events

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

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

// End is the last event of a log.
type End struct {
	Commit refs.OID // of its batch
	Seq    int64
	Event  ID
	Writer string
}

// EndAt reads the last event of the batch commit named.
func (l *Log) EndAt(commit refs.OID) (End, error) {
	t, err := l.decodeTip(commit)
	if err != nil {
		return End{}, fmt.Errorf("read end of the log: %w", err)
	}
	return End{Commit: t.commit, Seq: t.seq, Event: t.id, Writer: t.writer}, nil
}

// readTip finds the last event of the batch commit named; the zero id gives the empty log's tip.
func (l *Log) readTip(commit refs.OID) (tip, error) {
	if commit.IsZero() {
		return tip{}, nil
	}
	if t, ok := l.cachedTip(); ok && t.commit == commit {
		return t, nil
	}
	t, err := l.decodeTip(commit)
	if err != nil {
		return tip{}, fmt.Errorf("read end of the log: %w", err)
	}
	return t, nil
}

func (l *Log) decodeTip(commit refs.OID) (tip, error) {
	raw, err := l.readCommit(commit)
	if err != nil {
		return tip{}, err
	}
	b, err := parseBatch(raw)
	if err != nil {
		return tip{}, fmt.Errorf("commit %s: %w", commit, err)
	}
	last, err := DecodeLine(b.lines[len(b.lines)-1])
	if err == nil {
		err = last.CheckID()
	}
	if err != nil {
		return tip{}, fmt.Errorf("commit %s: %w", commit, err)
	}
	return tip{commit: commit, seq: last.Seq, id: last.ID, writer: last.Writer}, nil
}

// The tip is remembered, because the commit that holds it may lie in a pack, which takes a git process to read. The
// file is believed only for the very commit that the ref names, and only when its check sum holds; so it may be written
// in place, which spares the flush that some file systems put behind replacing a file by rename.
func (l *Log) tipPath() string { return filepath.Join(l.cacheDir(), "tip") }

func (l *Log) cachedTip() (tip, bool) {
	text, err := os.ReadFile(l.tipPath())
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
