package correlate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/git-trace/git-trace/correlate/later"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails"
	"github.com/git-trace/git-trace/trails/gitfacts"
)

// Log appends events that need no snapshot.
type Log interface {
	Append(ctx context.Context, drafts []events.Draft) ([]events.Event, error)
}

// Head anchors HEAD's commit, after any earlier commits that no hook reported. The parameter `git` is the id of git's
// process, or 0 if it is not known. The function `meanwhile`, unless it is nil, runs while git compares HEAD's commit.
func Head(
	ctx context.Context, repo *refs.Repo, timeline *trails.Engine, git int, at time.Time, meanwhile func(),
) error {
	head, _, err := repo.Head()
	if err != nil {
		return fmt.Errorf("read HEAD: %w", err)
	}
	if head.IsZero() {
		return nil
	}
	if done, err := putOff(repo, head, git, at); done || err != nil {
		return err
	}
	if err := takePicks(ctx, repo, timeline, head, at, share(ctx, at, 40)); err != nil {
		return err
	}
	if err := forgetPatching(repo); err != nil {
		return err
	}
	for _, commit := range unheard(repo, Picked(repo), timeline.Anchored(), head) {
		if err := anchorAt(ctx, repo, timeline, commit, at, mostFiles, nil); err != nil {
			return err
		}
	}
	if err := anchorAt(ctx, repo, timeline, head, at, mostFiles, meanwhile); err != nil {
		return err
	}
	return notePatching(repo, git)
}

// Merged anchors HEAD's commit if a merge has just made it: a merge runs no post-commit hook (githooks(5)).
func Merged(ctx context.Context, repo *refs.Repo, timeline *trails.Engine, at time.Time) error {
	if JustMade(repo).IsZero() {
		return nil
	}
	return Head(ctx, repo, timeline, 0, at, nil)
}

// JustMade returns HEAD's commit if the newest entry of HEAD's reflog made that commit, otherwise the zero id.
func JustMade(repo *refs.Repo) refs.OID {
	for _, m := range gitfacts.Last(repo, 1) {
		if m.Kind.Makes() {
			return m.To
		}
	}
	return refs.OID{}
}

// Later anchors a commit for which the hook had no time, after any earlier commits that no hook reported. HEAD may have
// moved since then. If a rebase made the commit from another one, the parameter `from` is the original.
func Later(ctx context.Context, repo *refs.Repo, timeline *trails.Engine, commit, from refs.OID, at time.Time) error {
	if !from.IsZero() {
		return carry(ctx, repo, timeline, []later.Pick{{Commit: commit, From: from}}, at)
	}
	anchored := timeline.Anchored()
	picks := Picked(repo)
	list := unheard(repo, picks, anchored, commit)
	if _, waits := picks[commit]; !waits && !slices.Contains(anchored, commit) {
		list = append(list, commit)
	}
	for _, c := range list {
		if err := anchorAt(ctx, repo, timeline, c, at, 0, nil); err != nil {
			return err
		}
	}
	return nil
}

// unheard returns the missed commits, without those that a rebase picked: these are anchored together later.
func unheard(repo *refs.Repo, picks map[refs.OID]refs.OID, anchored []refs.OID, head refs.OID) []refs.OID {
	return slices.DeleteFunc(missed(repo, anchored, head), func(commit refs.OID) bool { return !picks[commit].IsZero() })
}

// mostFiles limits the number of changed files of a commit that is anchored while git waits. Each file takes 0.25 to
// 0.5 ms, so the user would notice more files.
const mostFiles = 500

// ErrLarge is returned for a commit that changes more files than the bound.
var ErrLarge = errors.New("the commit changes too many files to be anchored while git waits")

// anchorAt anchors one commit. The parameter `most` is the largest number of changed files; for more it returns
// ErrLarge, and 0 means no bound.
func anchorAt(ctx context.Context, repo *refs.Repo, timeline *trails.Engine, commit refs.OID, at time.Time,
	most int, meanwhile func()) error {
	objects := repo.Objects()
	defer objects.Close()
	decoded, err := objects.Commit(commit)
	if err != nil {
		return fmt.Errorf("read commit %s: %w", commit, err)
	}
	files, err := changed(ctx, repo, commit, decoded.Parents, most, meanwhile)
	if err != nil {
		return err
	}
	paths := make([]string, 0, len(files))
	for _, f := range files {
		paths = append(paths, f.Path)
		if f.OldPath != f.Path {
			paths = append(paths, f.OldPath)
		}
	}
	var parent refs.OID
	if len(decoded.Parents) > 0 {
		parent = decoded.Parents[0]
	}
	return timeline.AtCommit(ctx, at, commit, parent, paths, func(view *trails.View) ([]events.Draft, error) {
		a := anchorer{view: view, commit: commit}
		return a.anchor(ctx, decoded.Parents, files)
	})
}

// pairsPerEvent limits the number of pairs in one event of rewritten commits, far below the size limit of an event.
const pairsPerEvent = 2000

// Rewritten records rewritten commits (githooks(5), post-rewrite), and anchors the commits that a rebase left waiting.
func Rewritten(
	ctx context.Context, log Log, repo *refs.Repo, timeline *trails.Engine, kind string, pairs []events.RewritePair,
	at time.Time,
) error {
	var drafts []events.Draft
	for part := range slices.Chunk(pairs, pairsPerEvent) {
		raw, err := events.Encode(events.RewriteData{Kind: kind, Pairs: part})
		if err != nil {
			return fmt.Errorf("encode rewrite: %w", err)
		}
		drafts = append(drafts, events.Draft{
			Type: events.CommitRewritten, Time: at.UTC(), Worktree: repo.WorktreeName(),
			Method: []events.Method{events.PostRewrite}, Data: raw,
		})
	}
	if len(drafts) > 0 {
		if _, err := log.Append(ctx, drafts); err != nil && !errors.Is(err, events.ErrSpooled) {
			return err
		}
	}
	head, _, err := repo.Head()
	if err != nil {
		return fmt.Errorf("read HEAD: %w", err)
	}
	if err := takePicks(ctx, repo, timeline, head, at, share(ctx, at, 90)); err != nil {
		return err
	}
	return forgetPatching(repo)
}

// `changed` lists the changes of files in a commit. In a merge only lines that are in no parent count as added, as in
// git-blame(1).
func changed(
	ctx context.Context, repo *refs.Repo, commit refs.OID, parents []refs.OID, most int, meanwhile func(),
) ([]fileDiff, error) {
	if len(parents) < 2 {
		return diffTree(ctx, repo, most, meanwhile, commit.String())
	}
	var merged []fileDiff
	for i, parent := range parents {
		files, err := diffTree(ctx, repo, 0, nil, parent.String(), commit.String())
		if err != nil {
			return nil, err
		}
		if i == 0 {
			merged = files
			continue
		}
		merged = intersect(merged, files)
	}
	if most > 0 && len(merged) > most {
		return nil, ErrLarge
	}
	return merged, nil
}

// intersect returns the files that both diffs change, with the lines that both diffs add.
func intersect(a, b []fileDiff) []fileDiff {
	other := map[string]fileDiff{}
	for _, f := range b {
		other[f.Path] = f
	}
	var out []fileDiff
	for _, f := range a {
		g, found := other[f.Path]
		if !found {
			continue
		}
		f.Added, f.Change = overlapOf(f.Added, g.Added), ""
		out = append(out, f)
	}
	return out
}
