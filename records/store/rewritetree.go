package store

import (
	"errors"
	"fmt"
	"io"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/refs"
)

// rootTree rewrites a root tree; zero if nothing is left in it.
func (w *rewriting) rootTree(id refs.OID, entries []refs.TreeEntry) (refs.OID, error) {
	var kept []refs.TreeEntry
	for _, e := range entries {
		if e.IsDir() && len(e.Name) == 2 {
			dir, err := w.folder(e.Name, e.OID)
			if err != nil {
				return refs.OID{}, err
			}
			if dir.IsZero() {
				continue
			}
			e.OID = dir
		}
		kept = append(kept, e)
	}
	return w.tree(id, entries, kept)
}

func (w *rewriting) root(id refs.OID) (refs.OID, error) {
	if done, ok := w.trees[id]; ok {
		return done, nil
	}
	entries, err := w.objects.Tree(id)
	if err != nil {
		return refs.OID{}, err
	}
	out, err := w.rootTree(id, entries)
	w.trees[id] = out
	return out, err
}

// folder rewrites a folder of records.
func (w *rewriting) folder(name string, id refs.OID) (refs.OID, error) {
	if done, ok := w.trees[id]; ok {
		return done, nil
	}
	entries, err := w.objects.Tree(id)
	if err != nil {
		return refs.OID{}, err
	}
	var kept []refs.TreeEntry
	for _, e := range entries {
		if trace := traceOf(name, e); trace != "" {
			blob, err := w.file(trace, e.OID)
			if err != nil {
				return refs.OID{}, err
			}
			if blob.IsZero() {
				continue
			}
			e.OID = blob
		}
		w.out.Kept[e.OID] = true
		kept = append(kept, e)
	}
	out, err := w.tree(id, entries, kept)
	w.trees[id] = out
	return out, err
}

// tree writes the remaining entries of a tree.
func (w *rewriting) tree(id refs.OID, before, after []refs.TreeEntry) (refs.OID, error) {
	same := len(before) == len(after)
	for i := range after {
		same = same && after[i] == before[i]
	}
	if same {
		w.out.Kept[id] = true
		return id, nil
	}
	w.out.Old[id] = true
	if len(after) == 0 {
		return refs.OID{}, nil
	}
	if w.dry {
		return w.repo.Format.Hash(refs.TreeObject, refs.EncodeTree(after)), nil
	}
	out, err := w.writeTree(after)
	w.out.Kept[out] = true
	return out, err
}

// file judges one version of a record.
func (w *rewriting) file(trace events.TraceID, id refs.OID) (refs.OID, error) {
	if done, ok := w.blobs[id]; ok {
		return done, nil
	}
	version, err := w.version(trace, id)
	if err != nil {
		return refs.OID{}, err
	}
	v, err := w.judge(version)
	if err != nil {
		return refs.OID{}, fmt.Errorf("record of %s: %w", trace, err)
	}
	out := id
	switch {
	case v.Remove:
		out = refs.OID{}
		w.out.Removed[trace] = true
	case v.Record != nil:
		out = w.repo.Format.Hash(refs.BlobObject, []byte("another version of "+id.String()))
		if !w.dry {
			out, err = w.writeBlob(w.ctx, v.Record)
		}
		_ = v.Record.Close()
		if err != nil {
			return refs.OID{}, err
		}
		w.out.Changed[trace], w.alive[trace] = true, true
	default:
		w.alive[trace] = true
	}
	if out != id {
		w.out.Old[id] = true
	}
	w.blobs[id] = out
	return out, nil
}

// version reads a file. A large file is not read but streamed later; the limit is lower for fetched files.
func (w *rewriting) version(trace events.TraceID, id refs.OID) (Version, error) {
	v := Version{Trace: trace, Copy: func(to io.Writer) error { return w.repo.CopyObject(w.ctx, id, to) }}
	if w.foreign {
		defer func(most int64) { w.objects.Max = most }(w.objects.Max)
		w.objects.Max = maxForeign
	}
	raw, err := w.objects.Blob(id)
	if errors.Is(err, refs.ErrTooLarge) {
		if w.foreign {
			v.Copy = w.counted(v.Copy)
		}
		return v, nil
	}
	if err != nil {
		return v, err
	}
	if w.budget -= int64(len(raw)); w.foreign && w.budget < 0 {
		return v, errBudget
	}
	v.Raw = raw
	if v.Record, err = records.Decode(raw); err != nil {
		v.Record = nil
	}
	return v, nil
}

// `counted` subtracts the length of a fetched file from the budget.
func (w *rewriting) counted(give func(io.Writer) error) func(io.Writer) error {
	return func(to io.Writer) error {
		return give(writerFunc(func(p []byte) (int, error) {
			if w.budget -= int64(len(p)); w.budget < 0 {
				return 0, errBudget
			}
			return to.Write(p)
		}))
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
