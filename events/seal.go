package events

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// The log's ref names the newest of a chain of seals. A seal is a commit; its parent is the previous seal, and its tree
// holds the log up to an event in the form of a publication (see publication.go). So the ref only grows: plain `git
// push` and `git fetch` of it are fast-forwards, and its owner has the log up to that event. A seal stores new events
// as one more part, and keeps the existing parts. They are in a tree of trees (see parts.go), so the cost of a seal
// depends on the new events, not on the log.
//
// An append makes a seal only if it is the very first one. Background processes of hooks make the others: at the end of
// a turn or session, at a commit, and when sealEvery events wait. `git trace gc` merges small parts, under a new seal.

// sealLevel is the level in the digest.json of a seal.
const sealLevel = "log"

// sealEvery is the number of events from which a new seal is due in the middle of a turn.
const sealEvery = 256

// ErrSealDiffers reports that this clone's file does not begin with the log that the ref names. The ref stays
// unchanged.
var ErrSealDiffers = errors.New("the ref and the file hold different logs")

func (l *Log) sealMarkPath() string { return filepath.Join(l.cacheDir(), "sealed") }

// rememberSeal notes the end of the last seal in the file of a build.
func (l *Log) rememberSeal(gen string, end flatEnd) error {
	if _, err := os.Stat(l.repo.TracesDir()); err != nil { // the user removed it meanwhile
		return err
	}
	return writeMark(l.sealMarkPath(), gen, end)
}

// Unsealed counts the events at the log's end that are not sealed and that no started process will seal. It reads three
// small files.
func (l *Log) Unsealed() int64 {
	known, ok := l.knownEnd()
	if !ok {
		return 0
	}
	_, mark := readMark(l.sealMarkPath())
	asked, _ := refs.ReadFile(l.sealAskedPath())
	before, _ := strconv.ParseInt(strings.TrimSpace(string(asked)), 10, 64)
	if before > known.seq { // from an earlier log
		before = 0
	}
	return known.seq - max(mark.seq, before)
}

// sealSoon is longer than the processes at the end of a turn take until they have sealed.
const sealSoon = 10 * time.Second

// LeftUnsealed reports whether events were left without a seal: the last append was too long ago for a process that
// still seals it.
func (l *Log) LeftUnsealed() bool {
	info, err := os.Stat(l.JournalPath())
	return err == nil && time.Since(info.ModTime()) > sealSoon && l.Unsealed() > 0
}

// SealDue reports whether enough events wait for a seal: one if `now` is set, otherwise as many as in the middle of a
// turn.
func (l *Log) SealDue(now bool) bool {
	waits := l.Unsealed()
	return waits >= sealEvery || now && waits > 0
}

// SealAsked notes that a process was started to seal the present events, so that the next hook does not start another.
// If that process is killed, the next started process seals them.
func (l *Log) SealAsked() error {
	known, _ := l.knownEnd()
	return refs.WriteFileAtomic(l.sealAskedPath(), fmt.Appendln(nil, known.seq), 0o666)
}

func (l *Log) sealAskedPath() string { return filepath.Join(l.cacheDir(), "seal-asked") }

// Seal makes the log's ref name the whole present log, and returns the number of added events. It does not take the
// log's lock: appends continue. While a gc of git runs, it does nothing.
func (l *Log) Seal(ctx context.Context) (int64, error) {
	if l.gcRuns() {
		return 0, nil
	}
	ctx, cancel := context.WithTimeout(ctx, sealPatience)
	defer cancel()
	added, err := l.sealAll(ctx)
	if err != nil {
		return 0, fmt.Errorf("seal log: %w", err)
	}
	return added, nil
}

// sealAll seals the whole file; without a file it does nothing.
func (l *Log) sealAll(ctx context.Context) (added int64, err error) {
	err = l.underRef(ctx, func(j *journal, lock *refs.RefLock) (err error) {
		added, err = l.seal(ctx, j, lock)
		return err
	})
	return added, err
}

// underRef calls the function `do` with the open file under the lock of the log's ref. Without a file it does not call
// do.
func (l *Log) underRef(ctx context.Context, do func(*journal, *refs.RefLock) error) error {
	if _, err := os.Stat(l.JournalPath()); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if _, err := l.Tip(refs.EventsRef); err != nil { // wait for a slow disk before taking the lock
		return err
	}
	lock, err := l.lockRef(ctx)
	if err != nil {
		return err
	}
	defer lock.Abort()
	j, err := l.openJournal(os.O_RDONLY) // under the lock: another process may have sealed later events
	defer j.close()
	if err != nil || j == nil {
		return err
	}
	return do(j, lock)
}

// sealPatience limits the time of a seal: the first one reads the whole log.
const sealPatience = 10 * time.Minute

// sealBase is the base of a new seal.
type sealBase struct {
	parts   []refs.TreeEntry // parts that stay unchanged
	parents []refs.OID
	end     flatEnd // the end of these parts in the file
	had     int64   // the last event in the ref before
}

// seal makes the locked ref name a seal of the whole file.
func (l *Log) seal(ctx context.Context, j *journal, lock *refs.RefLock) (int64, error) {
	base, err := l.sealBase(j, lock.Current())
	if err != nil {
		return 0, err
	}
	if base.end.seq == j.end.seq && base.parents[0] == lock.Current() {
		return 0, l.rememberSeal(j.gen, base.end.in(lock.Current()))
	}
	return j.end.seq - base.had, l.setSeal(ctx, j, base, lock)
}

// setSeal makes the locked ref name the file's seal, on top of a base.
func (l *Log) setSeal(ctx context.Context, j *journal, base sealBase, lock *refs.RefLock) error {
	commit, err := l.writeSeal(j, base)
	if err != nil {
		return err
	}
	if err := lock.Commit(ctx, commit); err != nil {
		return err
	}
	if l.AwaitGC(ctx) { // a seal depends only on the log and the previous seal, so it gets the same id again
		if _, err := l.writeSeal(j, base); err != nil {
			return err
		}
	}
	// Without the mark the next seal reads the file to find the place.
	_ = l.rememberSeal(j.gen, j.end.in(commit))
	return nil
}

// sealBase finds the part of the file that the ref already has. An unreadable seal is replaced; a log that differs from
// the file stays unchanged. A lost file of events is written again, so that git finds the whole history. If that is
// impossible, the next seal begins a new history, because git fails at a history with missing objects.
func (l *Log) sealBase(j *journal, current refs.OID) (base sealBase, err error) {
	var none sealBase
	if current.IsZero() {
		return none, nil
	}
	p, err := l.readHead(current)
	gen, m := readMark(l.sealMarkPath())
	if err != nil && gen == j.gen { // a gc took the seal of a killed process; the mark names the seal before it
		current = m.commit
		p, err = l.readHead(current)
	}
	if err != nil {
		return none, nil
	}
	was := p.Head.Source
	var at flatEnd
	if gen == j.gen && m.commit == current && m.offset <= j.end.offset {
		at = m
	} else if at, err = j.find(was.Seq); err != nil {
		return base, err
	}
	if at.id != was.Event {
		return base, fmt.Errorf("%w: event %d", ErrSealDiffers, was.Seq)
	}
	none.had = at.seq
	objects := l.repo.Objects()
	defer func() { err = errors.Join(err, objects.Close()) }()
	for _, e := range p.parts {
		if !objects.MayBeStored(e.OID) {
			if !l.restoreParts(j, current) {
				return none, nil
			}
			break
		}
	}
	return sealBase{parts: p.parts, parents: []refs.OID{current}, end: at, had: at.seq}, nil
}

// BeginsWith returns ErrSealDiffers unless this clone's log begins with the log that a commit seals.
func (l *Log) BeginsWith(commit refs.OID) error {
	was, err := l.endAt(commit)
	if err != nil {
		return err
	}
	j, err := l.openJournal(os.O_RDONLY)
	defer j.close()
	if err != nil {
		return err
	}
	if j == nil {
		return fmt.Errorf("%w: the log has no file", ErrSealDiffers)
	}
	at, err := j.find(was.Seq)
	if err == nil && at.id != was.Event {
		err = fmt.Errorf("%w: event %d", ErrSealDiffers, was.Seq)
	}
	return err
}

// writeSeal stores the objects of a seal of the whole file.
func (l *Log) writeSeal(j *journal, base sealBase) (refs.OID, error) {
	files, err := l.writeSealed(j, base.end)
	if err != nil {
		return refs.OID{}, err
	}
	parts, err := addParts(base.parts, files, l.writeMain)
	if err != nil {
		return refs.OID{}, err
	}
	last := j.last
	here := Witness{Writer: last.Writer, Seq: last.Seq, Event: last.ID}
	tree, err := writeTree(Publication{parts: parts, Head: PublicationHead{Format: Version, Writer: last.Writer,
		Level: sealLevel, ObjectFormat: l.repo.Format.String(), Events: last.Seq, Last: last.ID, Source: here}}, l.writeMain)
	if err != nil {
		return refs.OID{}, err
	}
	return l.writeMain(refs.CommitObject, sealCommit(tree, base.parents, last.Seq))
}

// sealSubject begins the message of a seal.
const sealSubject = "git-trace: the log up to event "

// sealCommit returns the content of a seal. Its date is in 1970: git handles the newest commits first, and a fetch
// would list all seals before the first commit that the other side may know.
func sealCommit(tree refs.OID, parents []refs.OID, last int64) []byte {
	who := refs.Signature{Name: sealerName, Email: sealerEmail, When: undated.UTC()}
	return refs.EncodeCommit(refs.Commit{Tree: tree, Parents: parents, Author: who, Committer: who,
		Message: fmt.Sprintf("%s%d\n", sealSubject, last)})
}

// writeSealed stores the events after an end as files of a publication.
func (l *Log) writeSealed(j *journal, from flatEnd) (files []PublishedFile, err error) {
	var text []byte
	first := int64(0)
	flush := func() error {
		if len(text) == 0 {
			return nil
		}
		f, err := l.writePublished(first, text)
		files, text = append(files, f), text[:0]
		return err
	}
	err = j.batches(from.offset, func(b *batch) error {
		for _, line := range b.lines {
			if len(text)+len(line) >= joinedPublished {
				if err := flush(); err != nil {
					return err
				}
			}
			if len(text) == 0 {
				e, err := DecodeLine(line)
				if err != nil {
					return fmt.Errorf("%w: %w", ErrJournal, err)
				}
				first = e.Seq
			}
			text = append(append(text, line...), '\n')
		}
		return nil
	})
	if err == nil {
		err = flush()
	}
	return files, err
}
