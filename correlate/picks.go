package correlate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/git-trace/git-trace/correlate/later"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/gitdiff"
	"github.com/git-trace/git-trace/trails"
	"github.com/git-trace/git-trace/trails/gitfacts"
)

// A rebase runs the commit hooks for every commit that it makes. If no person took part, the work tree need not be
// read: the lines come from the original commit and the new parent. So the hook only puts the commit into the queue.
// The queued commits are anchored together: by the post-rewrite hook at the end, or, if the rebase stops, by the hook
// of the next commit that somebody makes.

// putOff puts HEAD's commit into the queue if a rebase has just made it without a person. The parameter `git` is the id
// of git's process, or 0 if it is not known.
func putOff(repo *refs.Repo, head refs.OID, git int, at time.Time) (bool, error) {
	from, ok := picked(repo, head)
	if !ok {
		from, ok = patched(repo, git)
	}
	if !ok {
		return false, nil
	}
	return true, later.Open(repo).Add(later.Job{
		Why: later.Rebased, Hook: "post-commit", Commit: head, From: from, Time: at,
	})
}

// `picked` reports whether a rebase made a commit without a person, and from which original. This is so if the last
// move of HEAD is a pick, and the last finished command of the rebase (git-rebase(1), rebase-merge/done) picks the
// original.
func picked(repo *refs.Repo, head refs.OID) (from refs.OID, ok bool) {
	done, err := tail(rebaseFile(repo, "done"), 4<<10)
	if err != nil {
		return refs.OID{}, false
	}
	if from, ok = pickOf(lastLine(done)); !ok {
		return refs.OID{}, false
	}
	last := gitfacts.Last(repo, 1)
	return from, len(last) > 0 && last[0].To == head && last[0].Kind == gitfacts.RebasePicked
}

func rebaseFile(repo *refs.Repo, name string) string {
	return filepath.Join(repo.GitDir, "rebase-merge", name)
}

// pickOf reads the picked commit from one command line of a rebase (git-rebase(1)).
func pickOf(line string) (from refs.OID, ok bool) {
	fields := strings.Fields(line)
	if len(fields) < 2 || fields[0] != "pick" && fields[0] != "p" {
		return refs.OID{}, false
	}
	from, err := refs.ParseOID(fields[1])
	return from, err == nil
}

// tail reads the last size bytes of a file.
func tail(name string, size int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > size {
		if _, err := f.Seek(-size, io.SeekEnd); err != nil {
			return nil, err
		}
	}
	return io.ReadAll(io.LimitReader(f, size))
}

func lastLine(text []byte) string {
	text = bytes.TrimRight(text, "\n")
	return string(text[bytes.LastIndexByte(text, '\n')+1:])
}

// Picked returns the commits that a rebase made in this work tree and that still wait for an anchor. It maps each of
// them to its original.
func Picked(repo *refs.Repo) map[refs.OID]refs.OID {
	out := map[refs.OID]refs.OID{}
	for _, p := range later.Open(repo).Picks() {
		out[p.Commit] = p.From
	}
	return out
}

// `together` is the number of commits that are anchored under one lock and appended in one batch of events.
const together = 32

// takePicks anchors the queued commits of rebases that HEAD's history still has, and drops the others: their rebase was
// aborted. It starts no commit after the time in the parameter `until`: a background process anchors the rest.
func takePicks(
	ctx context.Context, repo *refs.Repo, timeline *trails.Engine, head refs.OID, at, until time.Time,
) error {
	queue := later.Open(repo)
	list := queue.Picks()
	if len(list) == 0 {
		return nil
	}
	list, dropped := kept(repo, list, head)
	if err := queue.Done(dropped); err != nil {
		return err
	}
	for len(list) > 0 && time.Now().Before(until) && ctx.Err() == nil {
		n := min(together, len(list))
		if err := carry(ctx, repo, timeline, list[:n], at); err != nil {
			return errors.Join(err, queue.Release(list))
		}
		if err := queue.Done(list[:n]); err != nil {
			return err
		}
		list = list[n:]
	}
	return queue.Release(list)
}

// share returns the time at which a share of the context's remaining time has passed. The parameter `percent` is the
// share. Without a deadline it returns a time one hour away.
func share(ctx context.Context, at time.Time, percent int) time.Time {
	deadline, ok := ctx.Deadline()
	if !ok {
		return at.Add(time.Hour)
	}
	return at.Add(time.Until(deadline) * time.Duration(percent) / 100)
}

// `kept` divides commits into those that HEAD reaches and the others. A commit that was just amended counts as reached:
// a command of the rebase may amend it, and the new commit has the same owners. The walk back takes at most about twice
// as many steps as there are commits.
func kept(repo *refs.Repo, list []later.Pick, head refs.OID) (reached, dropped []later.Pick) {
	objects := repo.Objects()
	defer objects.Close()
	const more = 64
	next := []refs.OID{head}
	if amended := gitfacts.AmendedBy(repo, head); !amended.IsZero() {
		next = append(next, amended)
	}
	seen := map[refs.OID]bool{}
	for _, commit := range next {
		seen[commit] = true
	}
	for i := 0; i < len(next) && i < 2*len(list)+more; i++ {
		c, err := objects.Commit(next[i])
		if err != nil {
			continue
		}
		for _, p := range c.Parents {
			if !seen[p] {
				seen[p] = true
				next = append(next, p)
			}
		}
	}
	for _, p := range list {
		if seen[p.Commit] {
			reached = append(reached, p)
		} else {
			dropped = append(dropped, p)
		}
	}
	return reached, dropped
}

// carry anchors commits that replaced other commits.
func carry(ctx context.Context, repo *refs.Repo, timeline *trails.Engine, list []later.Pick, at time.Time) error {
	ids := make([]refs.OID, len(list))
	for i, d := range list {
		ids[i] = d.Commit
	}
	changes, err := diffTrees(ctx, repo, ids)
	if err != nil {
		return err
	}
	return timeline.AtRewrite(ctx, at, ids, func(view *trails.View) ([]events.Draft, error) {
		var all []events.Draft
		for _, d := range list {
			c, err := view.Objects.Commit(d.Commit)
			if err != nil {
				return nil, fmt.Errorf("read commit %s: %w", d.Commit, err)
			}
			a := anchorer{view: view, commit: d.Commit, replaced: d.From}
			a.renamed = sync.OnceValue(func() map[string]string { return oldNames(ctx, repo, d) })
			drafts, err := a.anchor(ctx, c.Parents, changes[d.Commit])
			if err != nil {
				return nil, err
			}
			for i := range drafts {
				drafts[i].Method = []events.Method{events.PostRewrite}
			}
			all = append(all, drafts...)
		}
		return all, nil
	})
}

// oldNames maps the names of files in a commit to their names in the replaced commit.
func oldNames(ctx context.Context, repo *refs.Repo, d later.Pick) map[string]string {
	names := map[string]string{}
	renamed, err := gitdiff.Renames(ctx, repo, d.From.String(), d.Commit.String())
	if err != nil {
		return names // without git's answer only equal names match
	}
	for _, r := range renamed {
		names[r.Path] = r.OldPath
	}
	return names
}
