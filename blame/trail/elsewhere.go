package trail

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/gitdiff"
	"github.com/git-trace/git-trace/trails/gitfacts"
)

// `elsewhere` searches other refs and stashes for a patch that has no lines in the work tree, and whose commits are not
// ancestors of HEAD.
func (t *Tracker) elsewhere(tr *Trail) error {
	if len(tr.Steps) == 0 {
		return t.never(tr)
	}
	head, _, err := t.repo.Head()
	if err != nil {
		return err
	}
	here := false
	for _, step := range slices.Backward(tr.Steps) {
		within, err := t.isWithin(step.Commit, head)
		if err != nil {
			return err
		}
		if within {
			here = true
			continue
		}
		ref, err := t.refWith(step.Commit)
		if err != nil {
			return err
		}
		if ref == "" {
			continue
		}
		if err := t.look(tr, ref); err != nil {
			return err
		}
		tr.Now.State = tr.Now.state(tr)
		return nil
	}
	if here {
		tr.Now.State = tr.Now.state(tr)
		return nil
	}
	return t.replaced(tr)
}

// `never` sets the state of a patch that no commit anchors. Lines in a stash or in another work tree do not count as
// dropped.
func (t *Tracker) never(tr *Trail) error {
	stash, err := t.stashed(tr)
	switch {
	case err != nil:
		return err
	case stash != "":
		tr.Now = Now{State: Stashed, Stash: stash}
	case tr.Created != nil && tr.Created.Worktree != t.repo.WorktreeName():
		tr.Now = Now{State: Unsettled, Worktree: &tr.Created.Worktree}
	default:
		tr.Now.State, tr.Now.Dropped = Dropped, tr.Lines
	}
	return nil
}

// `replaced` decides whether a patch was lost in a rewrite, or its commits are on no ref.
func (t *Tracker) replaced(tr *Trail) error {
	stash, err := t.stashed(tr)
	if err != nil {
		return err
	}
	if stash != "" {
		tr.Now = Now{State: Stashed, Stash: stash}
		return nil
	}
	tr.Now.State = Orphaned
	if _, err := os.Stat(filepath.Join(t.repo.CommonDir, "shallow")); err == nil {
		tr.Now.State = Unsettled // a ref may lead there, in the part of the history that is missing here
	}
	for _, step := range slices.Backward(tr.Steps) {
		for _, h := range t.heirs(step.Commit) {
			c, err := t.objects.Commit(h.New)
			if err != nil || slices.ContainsFunc(tr.Steps, func(s Step) bool { return s.Commit == h.New }) {
				continue // it is missing too, or has the patch
			}
			tr.Now.State = Lost
			tr.Now.Lost = []Loss{{Lines: tr.Lines, Commit: h.New, Author: c.Author.Name}}
			return nil
		}
	}
	return nil
}

// refWith returns a ref that leads to a commit: a branch, otherwise a remote branch, otherwise a tag, or "" if there is
// none.
func (t *Tracker) refWith(commit refs.OID) (string, error) {
	if _, err := t.objects.Commit(commit); err != nil {
		return "", nil //nolint:nilerr // no ref leads to a commit that is not there
	}
	for _, kind := range []string{"refs/heads/", "refs/remotes/", "refs/tags/"} {
		out, err := t.repo.Git(t.ctx, nil, "for-each-ref", "--count=1", "--format=%(refname)", "--contains="+commit.String(),
			kind)
		if err != nil {
			return "", err
		}
		if ref := strings.TrimSpace(string(out)); ref != "" {
			return ref, nil
		}
	}
	return "", nil
}

// `stashed` returns the newest stash with lines of the patch. It searches only stashes with known owners.
func (t *Tracker) stashed(tr *Trail) (string, error) {
	if _, err := t.repo.ReadRef("refs/stash"); errors.Is(err, refs.ErrRefMissing) {
		return "", nil
	} else if err != nil {
		return "", err
	}
	read := gitfacts.NewGit(t.ctx, t.repo, t.objects)
	for n, commit := range gitfacts.Stashes(t.repo) {
		stash, found := gitfacts.StashOf(read, commit)
		if !found {
			continue
		}
		for _, part := range []refs.OID{stash.Commit, stash.Index, stash.Untracked} {
			for _, path := range t.namesOf(tr.Path) {
				oid, err := read.Blob(part, path)
				if err != nil || oid.IsZero() {
					continue
				}
				vec, ok := t.known.Get(path, oid)
				if !ok {
					continue
				}
				for _, run := range vec.Runs() {
					if run.Owner.Patch == tr.Patch && tr.Patch != "" {
						return fmt.Sprintf("stash@{%d}", n), nil
					}
				}
			}
		}
	}
	return "", nil
}

// renames returns the names in a ref of a file of a commit.
func (t *Tracker) renames(commit refs.OID, ref, path string) ([]string, error) {
	if t.history != nil && ref == "" {
		if names, known := t.history.Renamed(commit, path); known {
			return names, nil
		}
	}
	key := commit.String() + ref
	if found, done := t.renamed[key]; done {
		return found[path], nil
	}
	found := map[string][]string{}
	t.renamed[key] = found
	to := ref
	if to == "" {
		to = "HEAD"
	}
	renamed, err := gitdiff.Renames(t.ctx, t.repo, commit.String(), to)
	if err != nil {
		return nil, t.ctx.Err() // a missing commit gives no lines
	}
	for _, r := range renamed {
		found[r.OldPath] = append(found[r.OldPath], r.Path)
	}
	return found[path], nil
}

// mostPending limits the number of files that are searched for a block that was moved but not committed.
const mostPending = 200

// pending returns the files that differ from HEAD and are not in `done`.
func (l *looker) pending(done []string) ([]string, error) {
	if l.repo.Bare() {
		return nil, nil
	}
	if l.touched == nil {
		out, err := l.repo.Git(l.ctx, nil, "status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames",
			"--ignore-submodules=all")
		if err != nil {
			return nil, err
		}
		l.touched = []string{}
		for record := range bytes.SplitSeq(out, []byte{0}) {
			const letters = len("XY ")
			if len(record) > letters && len(l.touched) < mostPending {
				l.touched = append(l.touched, string(record[letters:]))
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(l.touched), func(path string) bool {
		return slices.Contains(done, path) || !isFile(l.repo.WorkTree+"/"+path)
	}), nil
}
