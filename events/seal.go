package events

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// The log's ref names a seal: one commit, whose tree holds the log up to an event in the form of a publication (see
// publication.go). Git sees one commit where the log may have a hundred thousand batches: it keeps it, sends it and
// shows it. The first append makes one, so that earlier versions see that the log is not theirs to write; later ones
// come when enough was appended, with `git trace gc`, and before the log is pushed.
//
// A seal has no parent, for git would show that one, too. One exception: a log of commits that was damaged when it was
// taken over stays behind the seal as it was.

// sealLevel is what digest.json of a seal says of it.
const sealLevel = "log"

// sealEvery is how many events make a new seal due.
const sealEvery = 1000

// sealedFiles is how many files of events a seal may have before they are joined.
const sealedFiles = 256

// ErrSealDiffers reports that the log's ref names a log which the own file does not begin with. It is left as it is.
var ErrSealDiffers = errors.New("the ref holds another log than the file")

// sealMark is the cached memory of where the last seal ended.
type sealMark struct {
	commit refs.OID
	gen    string
	flatEnd
}

func (l *Log) sealMarkPath() string { return filepath.Join(l.cacheDir(), "sealed") }

func (l *Log) readSealMark() (m sealMark, ok bool) {
	text, err := refs.ReadFile(l.sealMarkPath())
	if err != nil {
		return m, false
	}
	var commit, id string
	n, err := fmt.Sscanf(string(text), "sealed1 %s %s %d %d %s\n", &commit, &m.gen, &m.offset, &m.seq, &id)
	if n != 5 || err != nil {
		return m, false
	}
	m.id = ID(id)
	m.commit, err = refs.ParseOID(commit)
	return m, err == nil
}

func (l *Log) rememberSeal(m sealMark) error {
	text := fmt.Sprintf("sealed1 %s %s %d %d %s\n", m.commit, m.gen, m.offset, m.seq, m.id)
	return refs.WriteFileAtomic(l.sealMarkPath(), []byte(text), 0o666)
}

// SealDue tells whether enough was appended since the last seal. It reads two small files.
func (l *Log) SealDue() bool {
	if _, err := os.Lstat(l.JournalPath()); errors.Is(err, fs.ErrNotExist) {
		tip, err := l.Tip(refs.EventsRef) // a log that no append has had the time to take over
		return err == nil && !tip.IsZero()
	}
	known, ok := l.knownEnd()
	m, _ := l.readSealMark()
	return ok && known.seq-m.seq >= sealEvery
}

// Seal makes the log's ref name all that the log holds now, and returns how many events that added. It takes no lock of
// the log's: appends go on. While a gc of git's runs it does nothing.
func (l *Log) Seal(ctx context.Context) (int64, error) {
	if l.gcRuns() || l.guards() {
		return 0, nil
	}
	ctx, cancel := context.WithTimeout(ctx, sealPatience)
	defer cancel()
	if _, err := os.Stat(l.JournalPath()); errors.Is(err, fs.ErrNotExist) {
		if err := l.inTurn(ctx, func() error { return l.takeOver(ctx) }); err != nil {
			return 0, fmt.Errorf("seal log: %w", err)
		}
	}
	added, err := l.sealAll(ctx)
	if err != nil {
		return 0, fmt.Errorf("seal log: %w", err)
	}
	return added, nil
}

// sealAll seals what the file holds; nothing where there is none.
func (l *Log) sealAll(ctx context.Context) (int64, error) {
	j, err := l.openJournal(os.O_RDONLY)
	defer j.close()
	if err != nil || j == nil {
		return 0, err
	}
	if _, err := l.Tip(refs.EventsRef); err != nil { // a slow disk is waited for before the lock is taken
		return 0, err
	}
	lock, err := l.lockRef(ctx)
	if err != nil {
		return 0, err
	}
	defer lock.Abort()
	return l.seal(ctx, j, lock)
}

// sealPatience is how long a seal may take: the first one reads the whole log.
const sealPatience = 10 * time.Minute

// sealBase is what a new seal goes on from.
type sealBase struct {
	files   []PublishedFile
	parents []refs.OID
	end     flatEnd // in the file
}

// seal makes the ref that is locked name a seal of all that the file holds.
func (l *Log) seal(ctx context.Context, j *journal, lock *refs.RefLock) (int64, error) {
	base, err := l.sealBase(j, lock.Current())
	if err != nil {
		return 0, err
	}
	if base.end.seq == j.end.seq {
		return 0, l.rememberSeal(sealMark{lock.Current(), j.gen, base.end})
	}
	return j.end.seq - base.end.seq, l.setSeal(ctx, j, base, lock)
}

// setSeal makes the ref that is locked name the file's seal, on top of a base.
func (l *Log) setSeal(ctx context.Context, j *journal, base sealBase, lock *refs.RefLock) error {
	commit, err := l.writeSealBesideGC(j, base)
	if err != nil {
		return err
	}
	if err := lock.Commit(ctx, commit); err != nil {
		return err
	}
	if l.gcRuns() {
		_, _ = l.writeSealBesideGC(j, base)
	}
	// Without the mark the next seal reads the file to find the place.
	_ = l.rememberSeal(sealMark{commit, j.gen, j.end})
	return nil
}

// writeSealBesideGC writes a seal and keeps it from a gc that runs just now. The gc may delete a part of it before
// there is a second copy: then it is written again. A seal depends on nothing but the log, and has the same name again.
func (l *Log) writeSealBesideGC(j *journal, base sealBase) (commit refs.OID, err error) {
	for range gcTries {
		if commit, err = l.writeSeal(j, base); err == nil {
			err = l.keepSeal(commit)
		}
		if !errors.Is(err, refs.ErrMissing) {
			return commit, err
		}
	}
	return commit, err
}

// sealBase finds what the ref has of the file. What is no log is replaced; a log that the file does not begin with is
// left alone.
func (l *Log) sealBase(j *journal, current refs.OID) (base sealBase, err error) {
	none := sealBase{end: flatEnd{offset: j.head}}
	if current.IsZero() {
		return none, nil
	}
	was, err := l.endAt(current)
	if err != nil {
		return none, nil // it is no log: nothing is lost with it
	}
	if m, ok := l.readSealMark(); ok && m.commit == current && m.gen == j.gen && m.offset <= j.end.offset {
		base.end = m.flatEnd
	} else if base.end, err = j.find(was.Seq); err != nil {
		return base, err
	}
	if base.end.id != was.Event {
		return base, fmt.Errorf("%w: event %d", ErrSealDiffers, was.Seq)
	}
	p, err := l.ReadPublication(current)
	if err != nil { // a log of commits, which the file has taken over
		return none, nil
	}
	objects := l.repo.Objects()
	defer func() { err = errors.Join(err, objects.Close()) }()
	none.parents = p.Parents
	for _, f := range p.Files {
		if !objects.MayBeStored(f.Blob) {
			return none, nil // it was lost, and is written again
		}
	}
	base.files, base.parents = p.Files, p.Parents
	return base, nil
}

// BeginsWith tells whether the own log begins with the log that a commit ends: ErrSealDiffers if not.
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
		return fmt.Errorf("%w: there is no file", ErrSealDiffers)
	}
	at, err := j.find(was.Seq)
	if err == nil && at.id != was.Event {
		err = fmt.Errorf("%w: event %d", ErrSealDiffers, was.Seq)
	}
	return err
}

// find gives the end behind the event of a number: one without an id where there is no such event.
func (j *journal) find(seq int64) (flatEnd, error) {
	var found flatEnd
	err := j.lines(j.head, func(at int64, line []byte) error {
		if q, ok := readQuick(line); ok && q.seq == seq {
			found = flatEnd{seq: seq, id: ID(q.id), offset: at + int64(len(line)) + 1}
			return errStopped
		}
		return nil
	})
	if errors.Is(err, errStopped) {
		err = nil
	}
	return found, err
}

// writeSeal stores the objects of a seal of the whole file.
func (l *Log) writeSeal(j *journal, base sealBase) (refs.OID, error) {
	files, err := l.writeSealed(j, base.end)
	if err != nil {
		return refs.OID{}, err
	}
	if files = append(base.files[:len(base.files):len(base.files)], files...); len(files) > sealedFiles {
		if files, err = l.JoinPublished(files); err != nil {
			return refs.OID{}, err
		}
	}
	last, err := j.last()
	if err != nil {
		return refs.OID{}, err
	}
	here := Witness{Writer: last.Writer, Seq: last.Seq, Event: last.ID}
	tree, err := l.WritePublication(Publication{Files: files, Head: PublicationHead{Format: Version, Writer: last.Writer,
		Level: sealLevel, ObjectFormat: l.repo.Format.String(), Events: last.Seq, Last: last.ID, Source: here}})
	if err != nil {
		return refs.OID{}, err
	}
	return l.writeMain(refs.CommitObject, sealCommit(tree, base.parents, last.Seq))
}

// sealCommit is the content of a seal. Like that of a batch, its date is that of 1970.
func sealCommit(tree refs.OID, parents []refs.OID, last int64) []byte {
	who := refs.Signature{Name: batchName, Email: batchEmail, When: undated.UTC()}
	return refs.EncodeCommit(refs.Commit{Tree: tree, Parents: parents, Author: who, Committer: who,
		Message: fmt.Sprintf("git-trace: the log up to event %d\n", last)})
}

// writeSealed stores the events behind an end as files of a publication.
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
	err = j.lines(from.offset, func(_ int64, line []byte) error {
		if len(line) == 0 || line[0] != '{' {
			return nil
		}
		if len(text)+len(line) >= joinedPublished {
			if err := flush(); err != nil {
				return err
			}
		}
		if len(text) == 0 {
			q, ok := readQuick(line)
			if !ok {
				return fmt.Errorf("%w: a line is no event", ErrJournal)
			}
			first = q.seq
		}
		text = append(append(text, line...), '\n')
		return nil
	})
	if err == nil {
		err = flush()
	}
	return files, err
}

// keepSeal keeps the objects of a seal from a gc that runs just now.
func (l *Log) keepSeal(commit refs.OID) error {
	if !l.gcRuns() {
		return nil
	}
	p, err := l.ReadPublication(commit)
	if err != nil {
		return err
	}
	objects := l.repo.Objects()
	objects.Max = maxBatch
	defer func() { _ = objects.Close() }()
	list := append([]refs.OID{commit}, p.others...)
	for _, f := range p.Files {
		list = append(list, f.Blob)
	}
	for _, oid := range list {
		typ, content, err := objects.Read(oid)
		if err != nil {
			return err
		}
		if err := l.guardFromGC(typ, oid, content); err != nil {
			return err
		}
	}
	return nil
}

// begin makes the own log's file: of what the ref names, or, where that is nothing, of a first batch. The file appears
// when the ref names its seal. So a version that knows only logs of commits never goes on with one taken over.
// The caller holds the append lock, and there is no file.
func (l *Log) begin(ctx context.Context, first []Event) error {
	lock, err := l.lockRef(ctx)
	if err != nil {
		return err
	}
	defer lock.Abort()
	fresh := l.JournalPath() + ".new"
	header := journalHeader(l.repo.Format) + newGeneration() + "\n"
	if err := refs.WriteFileAtomic(fresh, []byte(header), 0o666); err != nil {
		return err
	}
	defer func() { _ = os.Remove(fresh) }() // it has its name by then, or is not wanted
	f, err := os.OpenFile(fresh, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	j, err := readJournal(f, l.repo.Format)
	if err != nil {
		return err
	}
	switch current := lock.Current(); {
	case current.IsZero():
		if err := j.append(first, l.repo.Fsync); err != nil {
			return err
		}
		_, err = l.seal(ctx, j, lock)
	default:
		err = l.fillFrom(ctx, j, lock)
	}
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return l.repo.Rename(fresh, l.JournalPath())
}

// takeOver makes the own log's file of what the ref names, if there is none yet. The caller holds the append lock.
func (l *Log) takeOver(ctx context.Context) error {
	if _, err := os.Stat(l.JournalPath()); err == nil {
		return nil
	}
	tip, err := l.Tip(refs.EventsRef)
	if err != nil || tip.IsZero() {
		return err
	}
	if err := l.begin(ctx, nil); err != nil {
		return fmt.Errorf("take the log over: %w", err)
	}
	return nil
}
