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
		if openErr != nil {
			return End{}, fmt.Errorf("read end of the log: %w", openErr)
		}
		if j != nil {
			return endOf(at, &j.last), nil
		}
	}
	if err != nil || at.IsZero() {
		return End{}, err
	}
	return l.endAt(at)
}

// endAt reads the last event of the log that a commit seals.
func (l *Log) endAt(commit refs.OID) (End, error) {
	line, err := l.lastSealed(commit)
	var last Event
	if err == nil {
		last, err = DecodeChecked(line)
	}
	if err != nil {
		return End{}, fmt.Errorf("read end of the log: commit %s: %w", commit, err)
	}
	return endOf(commit, &last), nil
}

func endOf(tip refs.OID, last *Event) End {
	return End{Tip: tip, Seq: last.Seq, Event: last.ID, Time: last.Time, Writer: last.Writer}
}

// checkSumLength is the length of check sums.
const checkSumLength = 16

func checkSum(text string) string {
	sum := blake3.Sum256([]byte(text))
	return hex.EncodeToString(sum[:checkSumLength/2])
}
