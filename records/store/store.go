package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/refs"
)

// Ref is the ref of this clone's records.
const Ref = "refs/traces/records"

// fetchedRefs is the prefix of the refs of fetched records.
const fetchedRefs = "refs/traces/remotes/"

// maxRecord limits the size of a record for storing and reading, in bytes.
const maxRecord = 256 << 20

// Errors that callers check for.
var (
	ErrNotFound = errors.New("no record of the conversation")
	ErrMoved    = errors.New("the record has changed meanwhile")
	ErrTooLarge = errors.New("the record is too large")
)

// Store reads and writes the records of a repository. It is not safe for use by several goroutines. Several stores and
// processes may use the same repository. The caller must close it.
type Store struct {
	repo    *refs.Repo
	objects *refs.Objects
}

// Open returns the store of a repository. It neither reads nor writes.
func Open(repo *refs.Repo) *Store {
	objects := repo.Objects()
	objects.Max = maxRecord
	return &Store{repo: repo, objects: objects}
}

// Close stops the git process that reads objects, if there is one.
func (s *Store) Close() error { return s.objects.Close() }

// PromptCache returns the directory in which readers cache the texts of prompts from records.
func PromptCache(repo *refs.Repo) string { return filepath.Join(repo.TracesDir(), "cache", "prompts") }

// Entry is a stored record.
type Entry struct {
	Trace events.TraceID
	Blob  refs.OID // the file; each version of the record has another blob
	Ref   string   // the ref on which it was found: Ref, or a fetched ref
}

// Own reports whether this clone wrote the record.
func (e Entry) Own() bool { return e.Ref == Ref }

// List returns every conversation that has a record, in the order of the ids and without repetitions. If several refs
// have a record of it, this clone's ref is used, otherwise the first ref by name.
func (s *Store) List(ctx context.Context) ([]Entry, error) {
	names, err := s.refs(ctx)
	if err != nil {
		return nil, err
	}
	known := map[events.TraceID]bool{}
	var out []Entry
	for _, name := range names {
		list, err := s.On(name)
		if err != nil {
			if name == Ref {
				return nil, err
			}
			continue // fetched refs may contain anything
		}
		for _, e := range list {
			if !known[e.Trace] {
				known[e.Trace] = true
				out = append(out, e)
			}
		}
	}
	sortEntries(out)
	return out, nil
}

// Tips returns the commits from which the records are read, one for each ref. A reader can compare them to detect
// changes.
func (s *Store) Tips(ctx context.Context) ([]refs.OID, error) {
	names, err := s.refs(ctx)
	if err != nil {
		return nil, err
	}
	var out []refs.OID
	for _, name := range names {
		tip, err := s.tip(name)
		if err != nil && name == Ref {
			return nil, err
		}
		if err == nil && !tip.IsZero() {
			out = append(out, tip)
		}
	}
	return out, nil
}

// Find returns the entry of a conversation, or ErrNotFound.
func (s *Store) Find(ctx context.Context, trace events.TraceID) (Entry, error) {
	if !trace.Valid() {
		return Entry{}, fmt.Errorf("record of %.60q: %w", string(trace), ErrNotFound)
	}
	names, err := s.refs(ctx)
	if err != nil {
		return Entry{}, err
	}
	for _, name := range names {
		blob, err := s.lookup(name, trace)
		if err != nil {
			if name == Ref {
				return Entry{}, fmt.Errorf("record of %s: %w", trace, err)
			}
			continue
		}
		if !blob.IsZero() {
			return Entry{Trace: trace, Blob: blob, Ref: name}, nil
		}
	}
	return Entry{}, fmt.Errorf("record of %s: %w", trace, ErrNotFound)
}

// Empty reports whether no ref holds records. It reads only a few small files, so it is a cheap check before reading
// many conversations.
func (s *Store) Empty(ctx context.Context) (bool, error) {
	names, err := s.refs(ctx)
	if err != nil || len(names) > 1 {
		return false, err
	}
	tip, err := s.tip(Ref)
	return tip.IsZero(), err
}

// Raw returns the stored record of an entry.
func (s *Store) Raw(e Entry) ([]byte, error) {
	raw, err := s.objects.Blob(e.Blob)
	if errors.Is(err, refs.ErrTooLarge) {
		err = ErrTooLarge
	}
	if err != nil {
		return nil, fmt.Errorf("record of %s: %w", e.Trace, err)
	}
	return raw, nil
}

// Read decodes the record of an entry. It rejects a record with the id of another conversation.
func (s *Store) Read(e Entry) (*records.Record, error) {
	raw, err := s.Raw(e)
	if err != nil {
		return nil, err
	}
	r, err := records.Decode(raw)
	if err != nil {
		return nil, fmt.Errorf("record of %s: %w", e.Trace, err)
	}
	if r.TraceID != string(e.Trace) {
		return nil, fmt.Errorf("record of %s: %w: it belongs to %.60q", e.Trace, records.ErrNotRecord, r.TraceID)
	}
	return r, nil
}

// Get decodes the record of a conversation; ErrNotFound if there is none.
func (s *Store) Get(ctx context.Context, trace events.TraceID) (*records.Record, Entry, error) {
	e, err := s.Find(ctx, trace)
	if err != nil {
		return nil, e, err
	}
	r, err := s.Read(e)
	return r, e, err
}

// Walk yields every record, in the order of List. For an unreadable record it yields an error, and continues.
func (s *Store) Walk(ctx context.Context) iter.Seq2[*records.Record, error] {
	return func(yield func(*records.Record, error) bool) {
		list, err := s.List(ctx)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, e := range list {
			if err := ctx.Err(); err != nil {
				yield(nil, err)
				return
			}
			r, err := s.Read(e)
			if !yield(r, err) {
				return
			}
		}
	}
}

// refs lists the refs with records, this clone's ref first.
func (s *Store) refs(ctx context.Context) ([]string, error) {
	names := []string{Ref}
	list, err := s.repo.RefsUnder(ctx, fetchedRefs)
	if err != nil {
		return nil, fmt.Errorf("list records: %w", err)
	}
	for _, r := range list {
		if _, archive := events.ArchiveOf(r.Name); archive {
			continue
		}
		if strings.HasSuffix(r.Name, "/records") || strings.HasSuffix(r.Name, "/demanded") {
			names = append(names, r.Name)
		}
	}
	return names, nil
}

// tip returns the commit of a ref; zero if the ref is missing.
func (s *Store) tip(name string) (refs.OID, error) {
	tip, err := s.repo.ReadRef(name)
	if errors.Is(err, refs.ErrRefMissing) {
		return refs.OID{}, nil
	}
	return tip, err
}
