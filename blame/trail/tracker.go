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

// Tracker follows patches. It keeps facts for the next patch. It is for one goroutine. Close it.
type Tracker struct {
	ctx      context.Context // a tracker lives as long as the call that made it
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
	blamed   map[string]blamed               // by ref, NUL and path
	seen     map[string][]refs.OID           // by commit, ref, NUL and path: LastSeen
	renamed  map[string]map[string][]string  // by commit and ref: new names by old one
	within   map[string]bool                 // by commit and ref: is it an ancestor
	descents map[refs.OID]*descent           // by the commit at their end
	removers map[string]map[refs.OID]remover // by ref, NUL and path: by the last commit that had lines
	touched  []string                        // paths that differ from HEAD; nil until they are needed
}

// blamed holds the answers of git and of the evidence for a path.
type blamed struct {
	lines []blame.Annotated
	err   error
}

// New returns a tracker of a repository's patches.
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

// Briefly makes a tracker skip the search for the commits that removed lines, which costs most. All removed lines are
// one loss without a commit. If a commit reverts one of the patch's commits, the search is complete as usual.
func (t *Tracker) Briefly() *Tracker {
	t.brief = true
	return t
}

// Along gives a tracker the history of the paths that it is going to blame.
func (t *Tracker) Along(h *gitblame.History) *Tracker {
	t.history = h
	return t
}

// Close ends the processes that were started.
func (t *Tracker) Close() error {
	for _, d := range t.descents {
		d.close()
	}
	return t.objects.Close()
}

// Patch follows a patch. Hint is a path that is known to have its lines; it may be empty for a patch that the log has.
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

// Claim follows the lines of a path that were attributed to a call later, for example by backfill. They have no patch.
func (t *Tracker) Claim(owner *events.AnchorOwner, path string) (*Trail, error) {
	tr := &Trail{Owner: *owner, Path: path, key: KeyOf(owner, path)}
	return tr, t.follow(tr)
}

// follow finds the commits that hold the lines, and the present state of the lines.
func (t *Tracker) follow(tr *Trail) error {
	held, err := t.holdings(tr)
	if err != nil {
		return fmt.Errorf("read anchors: %w", err)
	}
	if tr.Created == nil && len(held) > 0 { // lines that were first seen in a commit
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

// lines blames a path; a missing path has none.
func (t *Tracker) lines(ref, path string) ([]blame.Annotated, error) {
	lines, err := t.Lines(ref, path)
	var refused *gitblame.Failure
	if errors.As(err, &refused) && refused.NoPath() {
		return nil, nil
	}
	return lines, err
}

// Lines blames a path once, in a revision, or without one in the work tree, or in HEAD of a bare repository.
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

// LinesWith returns the lines that a path would have in the work tree with these contents, for example an editor's.
func (t *Tracker) LinesWith(path string, contents []byte) ([]blame.Annotated, error) {
	return blame.Asked(t.ctx, t.repo, blame.Query{Path: path, Contents: contents}, t.resolver)
}

// namesOf returns a path and the other names that its file had here.
func (t *Tracker) namesOf(path string) []string {
	return append([]string{path}, slices.DeleteFunc(t.known.Names(path), func(n string) bool { return n == path })...)
}
