package events

import (
	"encoding/hex"
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
	seq    int64 // 0 for a log that does not exist yet
	id     ID
	writer string
}

// End is where a log ends: what its ref names, and what the last event says. It is zero for a log that does not exist.
// What the ref of the own log names is a seal, which may end earlier.
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
	if ref == refs.EventsRef {
		j, openErr := l.openJournal(os.O_RDONLY)
		defer j.close()
		if j != nil || openErr != nil {
			return j.whereItEnds(at, openErr)
		}
	}
	if err != nil || at.IsZero() {
		return End{}, err
	}
	return l.endAt(at)
}

// whereItEnds is the end of the file, whose log has a seal.
func (j *journal) whereItEnds(seal refs.OID, err error) (End, error) {
	var last Event
	if err == nil {
		last, err = j.last()
	}
	if err != nil {
		return End{}, fmt.Errorf("read end of the log: %w", err)
	}
	return End{Tip: seal, Seq: last.Seq, Event: last.ID, Time: last.Time, Writer: last.Writer}, nil
}

// tip is where the next event goes.
func (j *journal) tip() (tip, error) {
	last, err := j.last()
	return tip{seq: last.Seq, id: last.ID, writer: last.Writer}, err
}

// endAt reads the last event of the log that a commit ends, a batch or a seal.
func (l *Log) endAt(commit refs.OID) (End, error) {
	last, err := l.lastOf(commit)
	if err != nil {
		return End{}, fmt.Errorf("read end of the log: commit %s: %w", commit, err)
	}
	return End{Tip: commit, Seq: last.Seq, Event: last.ID, Time: last.Time, Writer: last.Writer}, nil
}

// lastOf reads the last event that a commit of a log holds.
func (l *Log) lastOf(commit refs.OID) (Event, error) {
	raw, err := l.readCommit(commit)
	if err != nil {
		return Event{}, err
	}
	var line []byte
	if l.holdsFiles(raw) {
		line, err = l.lastSealed(commit)
	} else {
		var b batch
		if b, err = parseBatch(raw); err == nil {
			line = b.lines[len(b.lines)-1]
		}
	}
	if err != nil {
		return Event{}, err
	}
	last, err := DecodeLine(line)
	if err != nil {
		return Event{}, err
	}
	return last, last.CheckID()
}

// The end of what this clone has written is remembered, for a file that was cut off does not show it. The memory is
// believed when its check sum holds; it may be written in place, which spares the flush that some file systems put
// behind replacing a file by rename.
func (l *Log) tipPath() string { return filepath.Join(l.cacheDir(), "tip") }

func (l *Log) knownEnd() (tip, bool) {
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
	if len(fields) != 4 || fields[0] != "tip2" {
		return tip{}, false
	}
	seq, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil || seq < 1 {
		return tip{}, false
	}
	id, err := ParseID(fields[2])
	if err != nil || checkWriter(fields[3]) != nil {
		return tip{}, false
	}
	return tip{seq: seq, id: id, writer: fields[3]}, true
}

func (t tip) String() string {
	body := fmt.Sprintf("tip2 %d %s %s", t.seq, t.id, t.writer)
	return fmt.Sprintf("%-*s", tipSize, body+"\n"+checkSum(body))
}

// tipSize is longer than any tip, so that a shorter one covers a longer one.
const tipSize = 256

// rememberEnd may fail: then nothing is known.
func (l *Log) rememberEnd(t tip) {
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

// checkSumLength is how long check sums are.
const checkSumLength = 16

func checkSum(text string) string {
	sum := blake3.Sum256([]byte(text))
	return hex.EncodeToString(sum[:checkSumLength/2])
}
