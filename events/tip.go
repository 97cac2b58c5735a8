package events

import (
	"encoding/hex"
	"fmt"
	"os"
	"time"

	"github.com/git-trace/git-trace/refs"
	"github.com/zeebo/blake3"
)

// tip is the end of a log: the place of the next event.
type tip struct {
	seq    int64 // 0 for a log that does not exist yet
	id     ID
	writer string
}

// End is the end of a log: the commit that its ref names, and the last event. It is zero for a missing log. This
// clone's ref names a seal, which may end earlier.
type End struct {
	Tip    refs.OID
	Seq    int64
	Event  ID
	Time   time.Time
	Writer string
}

// End reads the last event of the log on a ref, refs.EventsRef for this clone's.
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

// whereItEnds returns the end of the file, for a log with a seal.
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

// tip returns the place of the next event.
func (j *journal) tip() (tip, error) {
	last, err := j.last()
	return tip{seq: last.Seq, id: last.ID, writer: last.Writer}, err
}

// endAt reads the last event of the log that a commit seals.
func (l *Log) endAt(commit refs.OID) (End, error) {
	last, err := l.lastOf(commit)
	if err != nil {
		return End{}, fmt.Errorf("read end of the log: commit %s: %w", commit, err)
	}
	return End{Tip: commit, Seq: last.Seq, Event: last.ID, Time: last.Time, Writer: last.Writer}, nil
}

// lastOf reads the last event that a seal holds.
func (l *Log) lastOf(commit refs.OID) (Event, error) {
	line, err := l.lastSealed(commit)
	if err != nil {
		return Event{}, err
	}
	last, err := DecodeLine(line)
	if err != nil {
		return Event{}, err
	}
	return last, last.CheckID()
}

// checkSumLength is the length of check sums.
const checkSumLength = 16

func checkSum(text string) string {
	sum := blake3.Sum256([]byte(text))
	return hex.EncodeToString(sum[:checkSumLength/2])
}
