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

// fetchedRefs begins the refs of fetched records.
const fetchedRefs = "refs/traces/remotes/"

// maxRecord bounds a record in bytes, for storing and reading.
const maxRecord = 256 << 20

// Errors that callers branch on.
var (
	ErrNotFound = errors.New("no record of the conversation")
	ErrMoved    = errors.New("the record has changed meanwhile")
	ErrTooLarge = errors.New("the record is too large")
)

// Store reads and writes the records of a repository. It is not safe for use by several goroutines; several stores and
// processes may work on the same repository. Close it.
type Store struct {
	repo    *refs.Repo
	objects *refs.Objects
}

// Open returns the store of a repository. It reads and makes nothing.
func Open(repo *refs.Repo) *Store {
	objects := repo.Objects()
	objects.Max = maxRecord
	return &Store{repo: repo, objects: objects}
}

// Close ends the git process that reads objects, if there is one.
func (s *Store) Close() error { return s.objects.Close() }

// PromptCache returns the directory in which readers keep the texts of prompts from records.
func PromptCache(repo *refs.Repo) string { return filepath.Join(repo.TracesDir(), "cache", "prompts") }

// Entry is a record that is there.
type Entry struct {
	Trace events.TraceID
	Blob  refs.OID // the file; it changes with every version of the record
	Ref   string   // where it was found: Ref, or a fetched one
}

// Own reports whether this clone wrote the record.
func (e Entry) Own() bool { return e.Ref == Ref }

// List returns every conversation that has a record, each once, in the order of the ids. If several refs have it,
// this clone's record counts, otherwise the first ref by name.
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
			continue // what others sent may be anything
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

// Tips returns the commits that the records are read from, one a ref, so that a reader knows whether anything changed.
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

// Empty reports whether no ref holds records. It reads a few small files, so it is a cheap test before reading many
// conversations.
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

// Read decodes the record of an entry. It refuses a record with another conversation's id.
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

// Get decodes the record of a conversation, or gives ErrNotFound.
func (s *Store) Get(ctx context.Context, trace events.TraceID) (*records.Record, Entry, error) {
	e, err := s.Find(ctx, trace)
	if err != nil {
		return nil, e, err
	}
	r, err := s.Read(e)
	return r, e, err
}

// Walk gives every record with its entry, in the order of List. It gives an error for one that cannot be read, and
// continues.
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

// refs lists the refs that hold records, this clone's first.
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

// tip returns the commit of a ref; zero for a missing ref.
func (s *Store) tip(name string) (refs.OID, error) {
	tip, err := s.repo.ReadRef(name)
	if errors.Is(err, refs.ErrRefMissing) {
		return refs.OID{}, nil
	}
	return tip, err
}
