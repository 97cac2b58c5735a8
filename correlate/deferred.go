package correlate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/gitdiff"
	"github.com/git-trace/git-trace/trails"
	"github.com/git-trace/git-trace/trails/gitfacts"
)

// A rebase calls the post-commit hook for every commit that it picks. A pick without a conflict needs no look at the
// work tree: its lines come from the picked commit and the new parent. So the hook only notes it, in the file
// "deferred" of the work tree. All picks are anchored together: by the post-rewrite hook at the end, or by the hook of
// the next commit that somebody makes while the rebase is stopped.
//
// The file holds a line for each: the new commit, a blank, and the picked commit.

// deferred is a commit to anchor later, and the commit from which it was made.
type deferred struct{ commit, from refs.OID }

func deferredFile(repo *refs.Repo) string {
	return filepath.Join(repo.WorktreeTracesDir(), "deferred")
}

// deferPick notes the commit that HEAD names, if a rebase has just picked it and goes on.
func deferPick(repo *refs.Repo, head refs.OID) (bool, error) {
	from, ok := picked(repo, head)
	if !ok {
		return false, nil
	}
	return true, note(repo, deferred{head, from})
}

// note adds a commit to the file.
func note(repo *refs.Repo, d deferred) error {
	f, err := os.OpenFile(deferredFile(repo), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("note a picked commit: %w", err)
	}
	_, err = f.WriteString(d.commit.String() + " " + d.from.String() + "\n")
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("note a picked commit: %w", err)
	}
	return nil
}

// picked reports whether a rebase made a commit from another one without a person. The last move of HEAD is a pick
// then, and the last command that was done (git-rebase(1), rebase-merge/done) is the pick of that other one.
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

// pickOf reads a line of a rebase's commands (git-rebase(1)) that picks a commit.
func pickOf(line string) (from refs.OID, ok bool) {
	fields := strings.Fields(line)
	if len(fields) < 2 || fields[0] != "pick" && fields[0] != "p" {
		return refs.OID{}, false
	}
	from, err := refs.ParseOID(fields[1])
	return from, err == nil
}

// tail reads the end of a file.
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

// readDeferred lists the noted commits, oldest first. It skips a line that it cannot read.
func readDeferred(repo *refs.Repo) []deferred {
	raw, err := os.ReadFile(deferredFile(repo))
	if err != nil {
		return nil
	}
	var out []deferred
	for line := range strings.Lines(string(raw)) {
		fields := strings.Fields(line)
		if len(fields) != 2 {
			continue
		}
		commit, err := refs.ParseOID(fields[0])
		from, err2 := refs.ParseOID(fields[1])
		if err == nil && err2 == nil {
			out = append(out, deferred{commit, from})
		}
	}
	return out
}

// Picked returns the commits that a rebase made in this work tree and that still wait for an anchor, each with its
// picked commit.
func Picked(repo *refs.Repo) map[refs.OID]refs.OID {
	out := map[refs.OID]refs.OID{}
	for _, d := range readDeferred(repo) {
		out[d.commit] = d.from
	}
	return out
}

// writeDeferred writes the remaining entries.
func writeDeferred(repo *refs.Repo, rest []deferred) error {
	if len(rest) == 0 {
		if err := os.Remove(deferredFile(repo)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	var text strings.Builder
	for _, d := range rest {
		text.WriteString(d.commit.String() + " " + d.from.String() + "\n")
	}
	return refs.WriteFileAtomic(deferredFile(repo), []byte(text.String()), 0o600)
}

// together is the number of commits that are anchored under one lock, in one batch of events.
const together = 32

// takeDeferred anchors the noted commits that are still in the history of HEAD, and drops those of an aborted rebase.
// It begins none after the moment until; the rest waits for the next hook.
func takeDeferred(
	ctx context.Context, repo *refs.Repo, timeline *trails.Engine, head refs.OID, at, until time.Time,
) error {
	list := readDeferred(repo)
	if len(list) > 0 {
		list = kept(repo, list, head)
	}
	for len(list) > 0 && time.Now().Before(until) && ctx.Err() == nil {
		n := min(together, len(list))
		if err := carry(ctx, repo, timeline, list[:n], at); err != nil {
			return errors.Join(err, writeDeferred(repo, list))
		}
		list = list[n:]
		if err := writeDeferred(repo, list); err != nil {
			return fmt.Errorf("note what was anchored: %w", err)
		}
	}
	return writeDeferred(repo, list)
}

// share returns the moment after a part of the context's remaining time; without a deadline it is far away.
func share(ctx context.Context, at time.Time, percent int) time.Time {
	deadline, ok := ctx.Deadline()
	if !ok {
		return at.Add(time.Hour)
	}
	return at.Add(time.Until(deadline) * time.Duration(percent) / 100)
}

// kept drops commits that HEAD no longer reaches, except for one that was just amended: a command of the rebase may
// amend it, and the new commit has the same owners. It walks back slightly more steps than there are commits.
func kept(repo *refs.Repo, list []deferred, head refs.OID) []deferred {
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
	var out []deferred
	for _, d := range list {
		if seen[d.commit] {
			out = append(out, d)
		}
	}
	return out
}

// carry anchors commits that replaced others.
func carry(ctx context.Context, repo *refs.Repo, timeline *trails.Engine, list []deferred, at time.Time) error {
	ids := make([]refs.OID, len(list))
	for i, d := range list {
		ids[i] = d.commit
	}
	changes, err := diffTrees(ctx, repo, ids)
	if err != nil {
		return err
	}
	return timeline.AtRewrite(ctx, at, ids, func(view *trails.View) ([]events.Draft, error) {
		var all []events.Draft
		for _, d := range list {
			c, err := view.Objects.Commit(d.commit)
			if err != nil {
				return nil, fmt.Errorf("read commit %s: %w", d.commit, err)
			}
			a := anchorer{repo: repo, view: view, commit: d.commit, replaced: d.from}
			a.renamed = sync.OnceValue(func() map[string]string { return oldNames(ctx, repo, d) })
			drafts, err := a.anchor(ctx, c.Parents, changes[d.commit])
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
func oldNames(ctx context.Context, repo *refs.Repo, d deferred) map[string]string {
	names := map[string]string{}
	renamed, err := gitdiff.Renames(ctx, repo, d.from.String(), d.commit.String())
	if err != nil {
		return names // then only equal names count
	}
	for _, r := range renamed {
		names[r.Path] = r.OldPath
	}
	return names
}
