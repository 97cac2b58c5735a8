package store

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/refs"
)

// Change is a record to be stored.
type Change struct {
	Record *redact.Record
	// Base is the blob of the version from which the record was made (Entry.Blob); zero if the store had none. If the
	// store now has another version, nothing is stored.
	Base refs.OID
}

// Stored is the result of a change.
type Stored struct {
	Entry
	Commit  refs.OID // the commit on Ref; zero if the store already had an identical record
	Changed bool
}

// Put stores one record, like PutAll with one change.
func (s *Store) Put(ctx context.Context, record *redact.Record, base refs.OID) (Stored, error) {
	out, err := s.PutAll(ctx, []Change{{Record: record, Base: base}})
	if err != nil {
		return Stored{}, err
	}
	return out[0], nil
}

// PutAll stores records in one commit: either all or none. ErrMoved: somebody else changed one of them; the caller must
// read it and make the record again. redact.ErrNotRedacted: a record was not made by a redactor.
func (s *Store) PutAll(ctx context.Context, changes []Change) ([]Stored, error) {
	out := make([]Stored, len(changes))
	for i, change := range changes {
		trace := change.Record.Trace()
		if trace == "" {
			return nil, fmt.Errorf("store record: %w", redact.ErrNotRedacted)
		}
		if !trace.Valid() {
			return nil, fmt.Errorf("store record: trace id %.60q is not a UUID", string(trace))
		}
		blob, err := s.writeBlob(ctx, change.Record)
		if err != nil {
			return nil, fmt.Errorf("store record of %s: %w", trace, err)
		}
		out[i].Entry = Entry{Trace: trace, Blob: blob, Ref: Ref}
	}
	if len(changes) == 0 {
		return out, nil
	}
	if err := s.swap(ctx, changes, out); err != nil {
		return nil, fmt.Errorf("store records: %w", err)
	}
	return out, nil
}

// Write stores a record as a blob that is on no ref, and returns the blob.
func (s *Store) Write(ctx context.Context, record *redact.Record) (refs.OID, error) {
	blob, err := s.writeBlob(ctx, record)
	if err != nil {
		return refs.OID{}, fmt.Errorf("store record of %s: %w", record.Trace(), err)
	}
	return blob, nil
}

// swap moves the ref to a commit with the new files. All data on which the commit depends is read under the ref's lock.
func (s *Store) swap(ctx context.Context, changes []Change, out []Stored) error {
	lock, err := s.repo.LockRef(Ref)
	if err != nil {
		return err
	}
	commit, err := s.commit(lock.Current(), changes, out)
	if err != nil || commit.IsZero() {
		lock.Abort()
		return err
	}
	if err := lock.Commit(ctx, commit); err != nil {
		return err
	}
	for i := range out {
		if out[i].Changed {
			out[i].Commit = commit
		}
	}
	return nil
}

// commit makes the commit after `tip`; zero if nothing changes.
func (s *Store) commit(tip refs.OID, changes []Change, out []Stored) (refs.OID, error) {
	root, err := s.root(tip)
	if err != nil {
		return refs.OID{}, err
	}
	var lines []string
	for i := range changes {
		e := out[i].Entry
		current, err := s.lookupIn(root, e.Trace)
		if err != nil {
			return refs.OID{}, err
		}
		if current == e.Blob {
			continue
		}
		if current != changes[i].Base && (!current.IsZero() || !changes[i].Base.IsZero()) {
			return refs.OID{}, fmt.Errorf("record of %s: %w", e.Trace, ErrMoved)
		}
		if root, err = s.withFile(root, e.Trace, e.Blob); err != nil {
			return refs.OID{}, err
		}
		out[i].Changed = true
		lines = append(lines, fmt.Sprintf("%s %s, %d steps\n", e.Trace, changes[i].Record.Head().Agent.Name,
			changes[i].Record.Steps()))
	}
	if len(lines) == 0 {
		return refs.OID{}, nil
	}
	tree, err := s.writeTree(root)
	if err != nil {
		return refs.OID{}, err
	}
	message := fmt.Sprintf("records: %d stored\n\n%s", len(lines), strings.Join(lines, ""))
	var parents []refs.OID
	if !tip.IsZero() {
		parents = []refs.OID{tip}
	}
	return s.writeCommit(tree, parents, message, undated)
}

// Keep sets a ref of fetched records to exactly these entries, without history; for an empty list it deletes the ref.
// The blobs must exist in the repository.
func (s *Store) Keep(ctx context.Context, ref string, list []Entry) error {
	if !strings.HasPrefix(ref, fetchedRefs) {
		return fmt.Errorf("keep records: %s is not a fetched ref", ref)
	}
	args := []string{"update-ref", "-d", ref}
	if len(list) > 0 {
		tree, err := s.WriteTree(list)
		if err != nil {
			return fmt.Errorf("keep records: %w", err)
		}
		commit, err := s.writeCommit(tree, nil, "records: fetched on demand\n", undated)
		if err != nil {
			return fmt.Errorf("keep records: %w", err)
		}
		args = []string{"update-ref", ref, commit.String()}
	}
	if _, err := s.repo.Git(ctx, nil, args...); err != nil {
		return fmt.Errorf("keep records: %w", err)
	}
	return nil
}

// withFile adds a file to its folder below a root, or replaces it; a zero blob removes the file.
func (s *Store) withFile(root []refs.TreeEntry, trace events.TraceID, blob refs.OID) ([]refs.TreeEntry, error) {
	dir, _ := entryOf(root, folder(trace))
	var files []refs.TreeEntry
	if dir.IsDir() {
		var err error
		if files, err = s.objects.Tree(dir.OID); err != nil {
			return nil, err
		}
	}
	files = withEntry(files, refs.TreeEntry{Name: fileName(trace), Mode: refs.ModeFile, OID: blob})
	id := refs.OID{}
	if len(files) > 0 {
		var err error
		if id, err = s.writeTree(files); err != nil {
			return nil, err
		}
	}
	return withEntry(root, refs.TreeEntry{Name: folder(trace), Mode: refs.ModeDir, OID: id}), nil
}

// The author of the commits is the program, as for commits of the log.
const (
	authorName  = "git-trace"
	authorEmail = "git-trace@localhost"
)

// undated is the date of a commit, in 1970. git shows the newest commits first, and these should be people's commits.
// The record's event has the actual time of storing.
var undated = time.Unix(0, 0)

func (s *Store) writeCommit(tree refs.OID, parents []refs.OID, message string, when time.Time) (refs.OID, error) {
	who := refs.Signature{Name: authorName, Email: authorEmail, When: when.UTC()}
	raw := refs.EncodeCommit(refs.Commit{Tree: tree, Parents: parents, Author: who, Committer: who, Message: message})
	id, err := s.repo.WriteLoose(s.repo.MainObjects(), refs.CommitObject, raw)
	if err != nil {
		return id, fmt.Errorf("store commit: %w", err)
	}
	return id, nil
}

// inMemory is the greatest size of a record that this process writes itself; git streams longer ones.
const inMemory = 32 << 20

// writeBlob stores the file of a record.
func (s *Store) writeBlob(ctx context.Context, record *redact.Record) (refs.OID, error) {
	out := &limited{}
	defer out.close()
	if err := record.Write(out); err != nil {
		return refs.OID{}, err
	}
	if out.file == nil {
		return s.repo.WriteLoose(s.repo.MainObjects(), refs.BlobObject, out.mem.Bytes())
	}
	if _, err := out.file.Seek(0, io.SeekStart); err != nil {
		return refs.OID{}, err
	}
	id, err := s.repo.Git(ctx, out.file, "hash-object", "-w", "--stdin")
	if err != nil {
		return refs.OID{}, err
	}
	return refs.ParseOID(strings.TrimSpace(string(id)))
}

// limited is a buffer that continues in a file when it grows, and rejects data beyond a limit.
type limited struct {
	mem  bytes.Buffer
	file *os.File
	size int64
}

func (l *limited) Write(p []byte) (int, error) {
	if l.size += int64(len(p)); l.size > maxRecord {
		return 0, ErrTooLarge
	}
	if l.file == nil && l.size <= inMemory {
		return l.mem.Write(p)
	}
	if l.file == nil {
		file, err := os.CreateTemp("", "git-trace-record-*")
		if err != nil {
			return 0, err
		}
		_ = os.Remove(file.Name()) // a file without a name disappears with the process; else close removes it
		l.file = file
		if _, err := file.Write(l.mem.Bytes()); err != nil {
			return 0, err
		}
		l.mem = bytes.Buffer{}
	}
	return l.file.Write(p)
}

func (l *limited) close() {
	if l.file != nil {
		_ = l.file.Close()
		_ = os.Remove(l.file.Name())
	}
}
