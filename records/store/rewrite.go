package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/refs"
)

// Verdict says what happens to one version of a record when the store is rewritten.
type Verdict struct {
	Remove bool           // the version is removed
	Record *redact.Record // the replacement; nil if nothing changes
}

// Version is one version of a record, on any ref and at any time.
type Version struct {
	Trace  events.TraceID
	Raw    []byte                  // the file; nil if it is too large to be read
	Record *records.Record         // nil if the file is not a valid record
	Copy   func(w io.Writer) error // writes the file, of any size
}

// Judge decides about one version of a record.
type Judge func(v Version) (Verdict, error)

// Move is the change of a ref.
type Move struct {
	Ref      string
	Old, New refs.OID
}

// Unread is a fetched ref that could not be rewritten: it has the name of a ref of records but is not one, or it leads
// to more data than the limit.
type Unread struct {
	Ref string
	Err error
}

// Rewritten is the result of a rewrite, made or only planned.
type Rewritten struct {
	Removed map[events.TraceID]bool // conversations of which no version remains
	Changed map[events.TraceID]bool // conversations that remain, with some versions changed or removed
	Old     map[refs.OID]bool       // commits, trees and blobs that are unreachable once the refs have moved
	Kept    map[refs.OID]bool       // the objects of these refs after the rewrite
	Moves   []Move
	Refs    []string // all refs that were read
	Unread  []Unread
}

// Rewrite judges every version of every record: present and past, own and fetched. It rewrites the histories without
// the removed parts. It changes neither refs nor old objects: Move moves the refs, and Old lists the objects that can
// then be deleted. If `dry` is set, it writes nothing.
func (s *Store) Rewrite(ctx context.Context, judge Judge, dry bool) (Rewritten, error) {
	names, err := s.refs(ctx)
	if err != nil {
		return Rewritten{}, err
	}
	w := &rewriting{
		Store: s, ctx: ctx, judge: judge, dry: dry, blobs: map[refs.OID]refs.OID{}, trees: map[refs.OID]refs.OID{},
		alive: map[events.TraceID]bool{},
		out: Rewritten{
			Removed: map[events.TraceID]bool{}, Changed: map[events.TraceID]bool{}, Old: map[refs.OID]bool{},
			Kept: map[refs.OID]bool{},
		},
	}
	for _, name := range names {
		if err := w.ref(name); err != nil {
			return w.out, fmt.Errorf("rewrite %s: %w", name, err)
		}
	}
	for oid := range w.out.Kept {
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

// Move moves the refs to their rewritten histories. refs.ErrTipMoved: somebody stored a conversation in the meantime;
// the caller must rewrite again.
func (s *Store) Move(ctx context.Context, moves []Move) error {
	for _, m := range moves {
		if err := s.repo.SwapRef(ctx, m.Ref, m.Old, m.New); err != nil {
			return fmt.Errorf("rewrite records: %w", err)
		}
	}
	return nil
}

// JudgeFile judges a blob that is on no ref. It reports whether the blob is a record that must be removed or changed.
func (s *Store) JudgeFile(ctx context.Context, id refs.OID, judge Judge) (bool, error) {
	raw, err := s.objects.Blob(id)
	if errors.Is(err, refs.ErrTooLarge) { // it was fetched, because this clone's records are smaller
		return s.judgeHuge(ctx, id, judge)
	}
	if err != nil || !bytes.HasPrefix(raw, []byte(recordStart)) {
		return false, err
	}
	record, err := records.Decode(raw)
	if err != nil || !events.TraceID(record.TraceID).Valid() {
		return false, nil //nolint:nilerr // it is not a record
	}
	v, err := judge(Version{events.TraceID(record.TraceID), raw, record, nil})
	if err != nil {
		return false, err
	}
	if v.Record != nil {
		return true, v.Record.Close()
	}
	return v.Remove, nil
}

// judgeHuge judges a blob that is too large to be read into memory.
func (s *Store) judgeHuge(ctx context.Context, id refs.OID, judge Judge) (bool, error) {
	start := []byte{}
	err := s.repo.CopyObject(ctx, id, writerFunc(func(p []byte) (int, error) {
		if start = append(start, p...); len(start) >= len(recordStart) {
			return 0, errBudget
		}
		return len(p), nil
	}))
	if err != nil && !errors.Is(err, errBudget) {
		return false, err
	}
	if !bytes.HasPrefix(start, []byte(recordStart)) {
		return false, nil
	}
	v, err := judge(Version{Copy: func(to io.Writer) error { return s.repo.CopyObject(ctx, id, to) }})
	return v.Remove, err
}

// recordStart begins every file of a record.
const recordStart = `{"schema_version":`

type rewriting struct {
	*Store
	ctx   context.Context // the context lasts as long as the rewrite
	judge Judge
	dry   bool
	blobs map[refs.OID]refs.OID // the new blob of a file; zero if the file is removed
	trees map[refs.OID]refs.OID
	alive map[events.TraceID]bool
	out   Rewritten

	foreign bool  // the ref that is currently read was fetched
	budget  int64 // the number of bytes that may still be judged
}

// The limits of the bytes that a fetched ref can make a rewrite read: of one decoded file, and in total.
const (
	maxForeign    = 32 << 20
	foreignBudget = 2 << 30
)

// errBudget reports a fetched ref that exceeds the limit.
var errBudget = errors.New("it leads to too much data")

// ref rewrites one ref. If a ref cannot be read, this is an error for this clone's ref. A fetched ref is added to
// Unread instead.
func (w *rewriting) ref(name string) error {
	w.foreign, w.budget = name != Ref, foreignBudget
	move, err := w.history(name)
	if err != nil && w.foreign && w.ctx.Err() == nil {
		w.out.Unread = append(w.out.Unread, Unread{name, err})
		return nil
	}
	if err != nil {
		return err
	}
	w.out.Refs = append(w.out.Refs, name)
	if move.Old != move.New {
		w.out.Moves = append(w.out.Moves, move)
	}
	return nil
}

// history rewrites the history of a ref.
func (w *rewriting) history(name string) (Move, error) {
	start, err := w.tip(name)
	if err != nil {
		return Move{}, err
	}
	chain, err := w.chain(start)
	if err != nil {
		return Move{}, err
	}
	var tip, last refs.OID
	for i := len(chain) - 1; i >= 0; i-- {
		if err := w.ctx.Err(); err != nil {
			return Move{}, err
		}
		if tip, last, err = w.commit(chain[i], tip, last); err != nil {
			return Move{}, err
		}
	}
	if tip != start && tip.IsZero() && !w.dry { // a ref must point to a commit
		empty, err := w.writeTree(nil)
		if err != nil {
			return Move{}, err
		}
		if tip, err = w.writeCommit(empty, nil, "records: none\n", chain[0].commit.Committer.When); err != nil {
			return Move{}, err
		}
		w.out.Kept[tip], w.out.Kept[empty] = true, true
	}
	return Move{name, start, tip}, nil
}

// link is a commit of the history.
type link struct {
	id     refs.OID
	commit refs.Commit
}

// maxChain limits the number of commits of a ref.
const maxChain = 1 << 20

// chain lists the commits of a history from its tip, newest first.
func (w *rewriting) chain(tip refs.OID) ([]link, error) {
	var out []link
	for !tip.IsZero() {
		if len(out) == maxChain {
			return nil, errBudget
		}
		if err := w.ctx.Err(); err != nil {
			return nil, err
		}
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

// commit rewrites a commit on top of the last written one. It writes no commit if none of the changes are left.
func (w *rewriting) commit(c link, parent, lastTree refs.OID) (tip, tree refs.OID, err error) {
	if tree, err = w.root(c.commit.Tree); err != nil {
		return parent, lastTree, err
	}
	same := tree == c.commit.Tree && len(c.commit.Parents) <= 1 &&
		(parent.IsZero() && len(c.commit.Parents) == 0 || len(c.commit.Parents) == 1 && c.commit.Parents[0] == parent)
	if same {
		w.out.Kept[c.id] = true
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
	w.out.Kept[tip] = true
	return tip, tree, err
}

// message removes the lines about removed conversations from a commit message.
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
