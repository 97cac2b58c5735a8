package backward

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/git-trace/git-trace/correlate/belief"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/gitdiff"
	"github.com/git-trace/git-trace/trails/linediff"
)

// Committed lists the steps of the work in commits, the oldest first. It skips merges, and commits that are not
// reachable from HEAD. Lines that a commit only removed have no owner, so they stay removed. A claim that only another
// clone makes, without a signature, removes nothing: it may come from a stranger.
func Committed(ctx context.Context, repo *refs.Repo, log belief.Log, searcher belief.Searcher, work Work,
	commits []refs.OID,
) (steps []Step, strangers []string, err error) {
	objects := repo.Objects()
	defer objects.Close()
	commits, err = inOrder(ctx, repo, commits)
	if err != nil || len(commits) == 0 {
		return nil, nil, err
	}
	known, err := belief.All(ctx, log, searcher, commits)
	if err != nil {
		return nil, nil, err
	}
	for i, id := range commits {
		c, err := objects.Commit(id)
		if err != nil {
			return nil, nil, err
		}
		if len(c.Parents) > 1 {
			continue
		}
		changed, err := changedIn(ctx, repo, id)
		if err != nil {
			return nil, nil, err
		}
		for k := range changed {
			s, by, err := stepOf(objects, &changed[k], known[i], work)
			if err != nil {
				return nil, nil, err
			}
			strangers = append(strangers, by...)
			if len(s.Mine) > 0 {
				steps = append(steps, s)
			}
		}
	}
	return steps, slices.Compact(strangers), nil
}

// inOrder returns the commits that are reachable from HEAD, parents first.
func inOrder(ctx context.Context, repo *refs.Repo, commits []refs.OID) ([]refs.OID, error) {
	if len(commits) == 0 {
		return nil, nil
	}
	out, err := repo.Git(ctx, nil, "rev-list", "--topo-order", "--reverse", "HEAD", "--")
	if err != nil {
		return nil, fmt.Errorf("list the commits of HEAD: %w", err)
	}
	wanted := map[refs.OID]bool{}
	for _, id := range commits {
		wanted[id] = true
	}
	var list []refs.OID
	for row := range bytes.Lines(out) {
		id, err := refs.ParseOID(string(bytes.TrimSpace(row)))
		if err != nil {
			return nil, err
		}
		if wanted[id] {
			list = append(list, id)
		}
	}
	return list, nil
}

// changedIn lists the files that a commit changed.
func changedIn(ctx context.Context, repo *refs.Repo, commit refs.OID) ([]gitdiff.Record, error) {
	args := append([]string{"diff-tree", "--root", "--no-commit-id", "-M"}, gitdiff.Raw()...)
	out, err := repo.Git(ctx, nil, append(args, commit.String())...)
	if err != nil {
		return nil, fmt.Errorf("list the files of commit %s: %w", commit, err)
	}
	return gitdiff.Records(out)
}

// stepOf returns the work's part of a commit's change to a file, and the other clones that claim lines of it.
func stepOf(objects *refs.Objects, r *gitdiff.Record, known *belief.Commit, work Work,
) (_ Step, strangers []string, _ error) {
	s := Step{Own: true, Path: r.Path, Before: r.Old, After: r.New}
	if r.OldPath != "" && r.OldPath != r.Path {
		s.OldPath = r.OldPath
	}
	mine := map[int]bool{}
	for _, run := range known.Runs(r.Path) {
		if !run.Beyond && len(run.Disputed) == 0 && work.Owns(run.Owner) {
			if writer, signer := known.Teller(&run); writer != "" && signer == "" {
				strangers = append(strangers, writer)
				continue
			}
			for line := run.Start; line < run.Start+run.Count; line++ {
				mine[line-1] = true
			}
		}
	}
	if len(mine) == 0 {
		return s, strangers, nil
	}
	var sides [2][][]byte
	for i, id := range []refs.OID{r.Old, r.New} {
		if id.IsZero() {
			continue
		}
		raw, err := objects.Blob(id)
		if err != nil {
			return s, nil, fmt.Errorf("read a committed content: %w", err)
		}
		if len(raw) > maxBytes || gitdiff.Binary(raw) {
			return s, strangers, nil
		}
		sides[i] = linediff.Split(raw)
	}
	for _, h := range linediff.Diff(sides[0], sides[1], linediff.Options{}).Hunks {
		s.Mine = append(s.Mine, partOf(h, mine)...)
	}
	return s, strangers, nil
}

// partOf returns the work's part of a hunk: the whole hunk, or only its new lines. If a hunk has several writers,
// nobody knows who removed the old lines.
func partOf(h linediff.Hunk, mine map[int]bool) (out []linediff.Hunk) {
	own := 0
	for i := h.NewStart; i < h.NewStart+h.NewCount; i++ {
		if mine[i] {
			own++
		}
	}
	if own == h.NewCount {
		if own > 0 {
			out = append(out, h)
		}
		return out
	}
	for i := h.NewStart; i < h.NewStart+h.NewCount; i++ {
		switch n := len(out); {
		case !mine[i]:
		case n > 0 && out[n-1].NewStart+out[n-1].NewCount == i:
			out[n-1].NewCount++
		default:
			out = append(out, linediff.Hunk{OldStart: h.OldStart + h.OldCount, NewStart: i, NewCount: 1})
		}
	}
	return slices.Clip(out)
}
