package events

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// asideRefs is the prefix of refs of logs that this clone wrote under an id that it gave up.
const asideRefs = "refs/traces/aside/"

// IsAside reports whether a ref holds a log that this clone wrote under an id that it gave up.
func IsAside(ref string) bool { return strings.HasPrefix(ref, asideRefs) }

// newWriter makes the id of a writer.
func newWriter() string {
	var raw [writerDigits / 2]byte
	_, _ = rand.Read(raw[:]) // never fails: crypto/rand
	return hex.EncodeToString(raw[:])
}

// SetAside gives this clone a new id, because another clone has the same one: it is a copy of this clone, or its
// original. Readers then treat the former log as another writer's. The next append begins a new log. The change is
// atomic, even if the process is killed.
func (l *Log) SetAside(ctx context.Context) (old, now string, err error) {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	err = l.inTurn(ctx, func() error {
		if _, err := l.drain(ctx); err != nil {
			return fmt.Errorf("drain spool: %w", err)
		}
		end, err := l.End(refs.EventsRef)
		if err != nil || end.Seq == 0 {
			return err
		}
		old, now = end.Writer, newWriter()
		// While the log exists, its writer counts, not the writer in the file (settleWriter).
		if err := refs.WriteFileAtomic(l.writerPath(), []byte(now+"\n"), 0o666); err != nil {
			return err
		}
		return l.moveAside(ctx, old)
	})
	if err != nil {
		return "", "", fmt.Errorf("set the log aside: %w", err)
	}
	return old, now, nil
}

// moveAside moves the refs of this clone's log, all or none. It seals the whole log before it removes the file. So if
// it is killed in between, the log is complete in its seal.
func (l *Log) moveAside(ctx context.Context, writer string) error {
	if _, err := l.sealAll(ctx); err != nil {
		return err
	}
	tip, err := l.Tip(refs.EventsRef)
	if err == nil {
		err = l.ForgetEnd()
	}
	if err == nil {
		err = os.Remove(l.JournalPath())
	}
	if err != nil {
		return err
	}
	if err := l.noteAside(writer, tip); err != nil {
		return err
	}
	lines := fmt.Sprintf("update %s%s/events %s\ndelete %s %s\n", asideRefs, writer, tip, refs.EventsRef, tip)
	checkpoints, err := l.Tip(refs.CheckpointsRef)
	if err != nil {
		return err
	}
	if !checkpoints.IsZero() {
		lines += fmt.Sprintf("update %s%s/checkpoints %s\ndelete %s %s\n", asideRefs, writer, checkpoints,
			refs.CheckpointsRef, checkpoints)
	}
	_, err = l.repo.Git(ctx, strings.NewReader(lines), "update-ref", "--stdin")
	return err
}

// asidePath returns the file that lists the logs that were set aside: a writer and a commit on each line. A fetch can
// write any ref, and logs below asideRefs rank as this clone's. So the ref alone is not enough.
func (l *Log) asidePath() string { return filepath.Join(l.repo.TracesDir(), "aside") }

func (l *Log) noteAside(writer string, tip refs.OID) error {
	noted, err := os.ReadFile(l.asidePath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("note the log that is set aside: %w", err)
	}
	return refs.WriteFileAtomic(l.asidePath(), fmt.Appendf(noted, "%s %s\n", writer, tip), 0o600)
}

// wasAside reports whether this clone wrote the log on a ref of asideRefs.
func (l *Log) wasAside(writer string, tip refs.OID) bool {
	noted, err := os.ReadFile(l.asidePath())
	return err == nil && bytes.Contains(noted, fmt.Appendf(nil, "%s %s\n", writer, tip))
}
