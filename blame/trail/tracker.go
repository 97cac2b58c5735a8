package trail

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/blame/gitblame"
	"github.com/git-trace/git-trace/correlate/belief"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/ledger"
)

// Tracker follows patches. It caches facts for later patches. It is not safe for concurrent use. Callers must close it.
type Tracker struct {
	ctx      context.Context // a tracker lives as long as the call that created it
	repo     *refs.Repo
	log      Log
	resolver blame.Resolver
	objects  *refs.Objects
	known    *ledger.Known

	brief    bool // see Briefly
	history  *gitblame.History
	heirsOf  map[refs.OID][]index.Rewriting
	byTrace  map[events.TraceID]map[Key][]holding
	byPath   map[string]map[Key][]holding
	blamed   map[string]blamed               // key: ref, NUL, path
	seen     map[string][]refs.OID           // results of LastSeen; key: commit, end of the history, NUL, path
	renamed  map[string]map[string][]string  // key: commit and ref; maps old names to new ones
	within   map[string]bool                 // key: ids of two commits; whether the first is an ancestor of the second
	descents map[refs.OID]*descent           // descents by the newest commit of the history
	removers map[string]map[refs.OID]remover // key: end of the history, NUL, path; then the last commit with the lines
	touched  []string                        // paths that differ from HEAD; nil before the first use
}

// `blamed` holds the blamed lines of a path with their owners.
type blamed struct {
	lines []blame.Annotated
	err   error
}

// New returns a tracker for the patches of a repository.
func New(ctx context.Context, repo *refs.Repo, log Log, resolver blame.Resolver) (*Tracker, error) {
	t := &Tracker{
		ctx: ctx, repo: repo, log: log, resolver: resolver, objects: repo.Objects(), known: ledger.NewKnown(repo),
		heirsOf: map[refs.OID][]index.Rewriting{}, byTrace: map[events.TraceID]map[Key][]holding{},
		byPath: map[string]map[Key][]holding{}, blamed: map[string]blamed{},
		seen: map[string][]refs.OID{}, renamed: map[string]map[string][]string{}, within: map[string]bool{},
		removers: map[string]map[refs.OID]remover{}, descents: map[refs.OID]*descent{},
	}
	return t, nil
}

// Briefly makes the tracker skip the search for the commits that removed lines, which takes most of the time. All
// removed lines become one loss without a commit. If a commit reverts one of the patch's commits, the search is done as
// usual.
func (t *Tracker) Briefly() *Tracker {
	t.brief = true
	return t
}

// Along gives the tracker the history of the paths that it will blame.
func (t *Tracker) Along(h *gitblame.History) *Tracker {
	t.history = h
	return t
}

// Close ends the processes that the tracker started.
func (t *Tracker) Close() error {
	for _, d := range t.descents {
		d.close()
	}
	return t.objects.Close()
}

// Patch follows a patch. The parameter `hint` is a path that is known to have its lines. It may be empty if the log has
// the patch.
func (t *Tracker) Patch(id events.PatchID, hint string) (*Trail, error) {
	tr := &Trail{Patch: id, Path: hint, key: Key(id)}
	e, ok, err := t.log.Patch(id)
	if err != nil {
		return nil, fmt.Errorf("read patch: %w", err)
	}
	if ok {
		tr.created(&e)
		tr.Owner = belief.Named(t.log, tr.Owner)
	}
	return tr, t.follow(tr)
}

// Claim follows lines of a path that were attributed to a call afterwards, for example by backfill. They have no patch.
func (t *Tracker) Claim(owner *events.AnchorOwner, path string) (*Trail, error) {
	tr := &Trail{Owner: *owner, Path: path, key: KeyOf(owner, path)}
	return tr, t.follow(tr)
}

// follow finds the commits that have the lines, and the present state of the lines.
func (t *Tracker) follow(tr *Trail) error {
	held, err := t.holdings(tr)
	if err != nil {
		return fmt.Errorf("read anchors: %w", err)
	}
	if tr.Created == nil && len(held) > 0 { // lines without a patch were first seen in a commit
		tr.Owner, tr.Path = held[0].owner, held[0].run.Path
		for _, h := range held {
			if h.commit == held[0].commit {
				tr.Lines += h.run.Count
			}
		}
	}
	tr.Steps = t.steps(held)
	if err := t.settle(tr); err != nil {
		return fmt.Errorf("find the remaining lines of patch %s: %w", tr.Patch, err)
	}
	return nil
}

// Line returns the owner of a line of a file in the work tree, and the number of lines in the file.
func (t *Tracker) Line(path string, line int) (owner blame.Attribution, lines int, err error) {
	list, err := t.lines("", path)
	if err != nil || line < 1 || line > len(list) {
		return owner, len(list), err
	}
	return *list[line-1].Owner, len(list), nil
}

// lines blames a path. A missing path has no lines.
func (t *Tracker) lines(ref, path string) ([]blame.Annotated, error) {
	lines, err := t.Lines(ref, path)
	var refused *gitblame.Failure
	if errors.As(err, &refused) && refused.NoPath() {
		return nil, nil
	}
	return lines, err
}

// Lines blames a path, once, in a revision. If ref is empty, it blames the work tree, or HEAD in a bare repository.
func (t *Tracker) Lines(ref, path string) ([]blame.Annotated, error) {
	key := ref + "\x00" + path
	have, done := t.blamed[key]
	if !done {
		rev := ref
		if rev == "" && t.repo.Bare() {
			rev = "HEAD"
		}
		q := blame.At(rev, path)
		q.History = t.history
		have.lines, have.err = blame.Asked(t.ctx, t.repo, q, t.resolver)
		t.blamed[key] = have
	}
	return have.lines, have.err
}

// LinesWith returns the lines of a path if it had these contents in the work tree, for example an editor's contents.
func (t *Tracker) LinesWith(path string, contents []byte) ([]blame.Annotated, error) {
	return blame.Asked(t.ctx, t.repo, blame.Query{Path: path, Contents: contents}, t.resolver)
}

// namesOf returns a path and the other names that its file had in this repository.
func (t *Tracker) namesOf(path string) []string {
	return append([]string{path}, slices.DeleteFunc(t.known.Names(path), func(n string) bool { return n == path })...)
}
