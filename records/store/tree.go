package store

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// suffix is the ending of a record's file name.
const suffix = ".json"

func folder(trace events.TraceID) string { return string(trace[:2]) }

func fileName(trace events.TraceID) string { return string(trace) + suffix }

// traceOf returns the trace id in the name of a file; "" if the file is not a record.
func traceOf(dir string, e refs.TreeEntry) events.TraceID {
	name, ok := strings.CutSuffix(e.Name, suffix)
	trace := events.TraceID(name)
	if !ok || e.Mode != refs.ModeFile || !trace.Valid() || folder(trace) != dir {
		return ""
	}
	return trace
}

// entries lists the records of a commit. It ignores other files.
func (s *Store) entries(ref string, commit refs.OID) ([]Entry, error) {
	root, err := s.root(commit)
	if err != nil {
		return nil, err
	}
	var out []Entry
	for _, dir := range root {
		if !dir.IsDir() || len(dir.Name) != 2 {
			continue
		}
		files, err := s.objects.Tree(dir.OID)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if trace := traceOf(dir.Name, file); trace != "" {
				out = append(out, Entry{Trace: trace, Blob: file.OID, Ref: ref})
			}
		}
	}
	return out, nil
}

func (s *Store) root(commit refs.OID) ([]refs.TreeEntry, error) {
	if commit.IsZero() {
		return nil, nil
	}
	c, err := s.objects.Commit(commit)
	if err != nil {
		return nil, err
	}
	return s.objects.Tree(c.Tree)
}

// lookup returns the blob of a conversation on a ref; zero if there is none.
func (s *Store) lookup(ref string, trace events.TraceID) (refs.OID, error) {
	tip, err := s.tip(ref)
	if err != nil {
		return refs.OID{}, err
	}
	root, err := s.root(tip)
	if err != nil {
		return refs.OID{}, err
	}
	return s.lookupIn(root, trace)
}

func (s *Store) lookupIn(root []refs.TreeEntry, trace events.TraceID) (refs.OID, error) {
	dir, found := entryOf(root, folder(trace))
	if !found || !dir.IsDir() {
		return refs.OID{}, nil
	}
	files, err := s.objects.Tree(dir.OID)
	if err != nil {
		return refs.OID{}, err
	}
	file, found := entryOf(files, fileName(trace))
	if !found || file.Mode != refs.ModeFile {
		return refs.OID{}, nil
	}
	return file.OID, nil
}

func entryOf(entries []refs.TreeEntry, name string) (refs.TreeEntry, bool) {
	i := slices.IndexFunc(entries, func(e refs.TreeEntry) bool { return e.Name == name })
	if i < 0 {
		return refs.TreeEntry{}, false
	}
	return entries[i], true
}

// withEntry adds an entry to a list, or replaces the entry with the same name; an entry without an object removes it.
func withEntry(entries []refs.TreeEntry, e refs.TreeEntry) []refs.TreeEntry {
	out := slices.DeleteFunc(slices.Clone(entries), func(old refs.TreeEntry) bool { return old.Name == e.Name })
	if !e.OID.IsZero() {
		out = append(out, e)
	}
	return out
}

func (s *Store) writeTree(entries []refs.TreeEntry) (refs.OID, error) {
	id, err := s.repo.WriteLoose(s.repo.MainObjects(), refs.TreeObject, refs.EncodeTree(entries))
	if err != nil {
		return id, fmt.Errorf("store tree: %w", err)
	}
	return id, nil
}

func sortEntries(list []Entry) {
	slices.SortFunc(list, func(a, b Entry) int { return cmp.Compare(a.Trace, b.Trace) })
}

// `On` lists the records on one ref; none if the ref is missing.
func (s *Store) On(ref string) ([]Entry, error) {
	tip, err := s.tip(ref)
	var list []Entry
	if err == nil && !tip.IsZero() {
		list, err = s.entries(ref, tip)
	}
	if err != nil {
		return nil, fmt.Errorf("list records: %s: %w", ref, err)
	}
	return list, nil
}

// WriteTree writes a tree with exactly these records.
func (s *Store) WriteTree(list []Entry) (refs.OID, error) {
	var root []refs.TreeEntry
	for _, e := range list {
		dir, err := s.withFile(root, e.Trace, e.Blob)
		if err != nil {
			return refs.OID{}, err
		}
		root = dir
	}
	return s.writeTree(root)
}
