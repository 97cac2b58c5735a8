package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/refs"
)

// Verdict is what becomes of one version of a record when the store is rewritten.
type Verdict struct {
	Remove bool           // it goes
	Record *redact.Record // what takes its place; nil to keep it as it is
}

// Judge decides over a version of a record. The record is nil when the file cannot be read as one.
type Judge func(trace events.TraceID, raw []byte, record *records.Record) (Verdict, error)

// Rewritten is what a rewriting did, or would do.
type Rewritten struct {
	Removed map[events.TraceID]bool // conversations of which every version is gone
	Changed map[events.TraceID]bool // those that have versions left, with something taken out or versions gone
	Old     map[refs.OID]bool       // commits, trees and files that are not reached any more from the refs of records
	Refs    []string                // the refs that were rewritten
}

// Rewrite judges every version of every record that is or ever was on the refs of records, the fetched ones included, and
// writes their histories anew without what must go. Objects stay where they are: Old names those that can be deleted. With
// dry set it only tells what it would do.
func (s *Store) Rewrite(ctx context.Context, judge Judge, dry bool) (Rewritten, error) {
	names, err := s.refs(ctx)
	if err != nil {
		return Rewritten{}, err
	}
	w := &rewriting{
		Store: s, ctx: ctx, judge: judge, dry: dry, blobs: map[refs.OID]refs.OID{}, trees: map[refs.OID]refs.OID{}, kept: map[refs.OID]bool{},
		out: Rewritten{Removed: map[events.TraceID]bool{}, Changed: map[events.TraceID]bool{}, Old: map[refs.OID]bool{}},
	}
	for _, name := range names {
		if err := w.ref(name); err != nil {
			return w.out, fmt.Errorf("rewrite %s: %w", name, err)
		}
	}
	for oid := range w.kept {
		delete(w.out.Old, oid)
	}
	for trace := range w.alive {
		if w.out.Removed[trace] {
			delete(w.out.Removed, trace)
			w.out.Changed[trace] = true
		}
	}
	return w.out, nil
}

// rewriting is one rewriting of all refs.
type rewriting struct {
	*Store
	ctx   context.Context //nolint:containedctx // it lives as long as the rewriting
	judge Judge
	dry   bool
	blobs map[refs.OID]refs.OID // what a file became; zero when it goes
	trees map[refs.OID]refs.OID
	kept  map[refs.OID]bool // reached by what was written
	alive map[events.TraceID]bool
	out   Rewritten
}

// ref rewrites one ref. A ref that cannot be read is an error for the own one; a fetched one is not what it says, and is
// left to the user.
func (w *rewriting) ref(name string) error {
	lock, err := w.repo.LockRef(name)
	if err != nil {
		return err
	}
	defer lock.Abort()
	chain, err := w.chain(lock.Current())
	if err != nil {
		if name != Ref {
			return nil //nolint:nilerr // it never was one of records
		}
		return err
	}
	var tip, last refs.OID
	for i := len(chain) - 1; i >= 0; i-- {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		if tip, last, err = w.commit(chain[i], tip, last); err != nil {
			return err
		}
	}
	if tip == lock.Current() {
		return nil
	}
	w.out.Refs = append(w.out.Refs, name)
	if w.dry {
		return nil
	}
	if tip.IsZero() { // a ref must lead somewhere
		empty, err := w.writeTree(nil)
		if err != nil {
			return err
		}
		when := chain[0].commit.Committer.When
		if tip, err = w.writeCommit(empty, nil, "records: none\n", when); err != nil {
			return err
		}
	}
	return lock.Commit(w.ctx, tip)
}

// link is a commit of the chain.
type link struct {
	id     refs.OID
	commit refs.Commit
}

// maxChain bounds what a foreign ref can make a rewriting read.
const maxChain = 1 << 20

// chain lists the commits from a tip on, the newest first.
func (w *rewriting) chain(tip refs.OID) ([]link, error) {
	var out []link
	for !tip.IsZero() && len(out) < maxChain {
		c, err := w.objects.Commit(tip)
		if err != nil {
			return nil, err
		}
		out = append(out, link{tip, c})
		tip = refs.OID{}
		if len(c.Parents) > 0 {
			tip = c.Parents[0]
		}
	}
	return out, nil
}

// commit writes a commit anew on top of the last one that was written, unless nothing is left of what it changed.
func (w *rewriting) commit(c link, parent, lastTree refs.OID) (tip, tree refs.OID, err error) {
	if tree, err = w.root(c.commit.Tree); err != nil {
		return parent, lastTree, err
	}
	same := tree == c.commit.Tree && len(c.commit.Parents) <= 1 && (parent.IsZero() && len(c.commit.Parents) == 0 || len(c.commit.Parents) == 1 && c.commit.Parents[0] == parent)
	if same {
		w.kept[c.id] = true
		return c.id, tree, nil
	}
	w.out.Old[c.id] = true
	if tree == lastTree || tree.IsZero() && parent.IsZero() {
		return parent, lastTree, nil
	}
	if tree.IsZero() {
		tree = w.repo.Format.EmptyTree()
	}
	if w.dry {
		return refs.OID{}, tree, nil
	}
	var parents []refs.OID
	if !parent.IsZero() {
		parents = []refs.OID{parent}
	}
	if _, err := w.writeTree(nil); err != nil {
		return parent, lastTree, err
	}
	tip, err = w.writeCommit(tree, parents, w.message(c.commit.Message), c.commit.Committer.When)
	w.kept[tip] = true
	return tip, tree, err
}

// message leaves out the lines of conversations that are gone.
func (w *rewriting) message(text string) string {
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		id, _, _ := strings.Cut(line, " ")
		if !w.out.Removed[events.TraceID(id)] {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

// root rewrites a root tree; zero when nothing is left in it.
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
		w.kept[e.OID] = true
		kept = append(kept, e)
	}
	out, err := w.tree(id, entries, kept)
	w.trees[id] = out
	return out, err
}

// tree writes what is left of a tree.
func (w *rewriting) tree(id refs.OID, before, after []refs.TreeEntry) (refs.OID, error) {
	same := len(before) == len(after)
	for i := range after {
		same = same && after[i] == before[i]
	}
	if same {
		w.kept[id] = true
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
	w.kept[out] = true
	return out, err
}

// file judges one version of a record.
func (w *rewriting) file(trace events.TraceID, id refs.OID) (refs.OID, error) {
	if w.alive == nil {
		w.alive = map[events.TraceID]bool{}
	}
	if done, ok := w.blobs[id]; ok {
		return done, nil
	}
	raw, err := w.objects.Blob(id)
	if err != nil {
		return refs.OID{}, err
	}
	record, err := records.Decode(raw)
	if err != nil {
		record = nil
	}
	v, err := w.judge(trace, raw, record)
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
