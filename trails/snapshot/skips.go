package snapshot

import (
	"context"
	"slices"

	"github.com/git-trace/git-trace/refs"
)

// Git skips ignored files, and files whose entries in the index are marked skip-worktree or assume-unchanged
// (git-update-index(1)). When git no longer skips such a file, the first snapshot that shows it cannot know when its
// lines were written.

// passingOver holds the flags of entries that git skips.
const passingOver = skipWorktree | assumeUnchanged

// maxPassedOver limits the number of marked paths that the state of the git method holds.
const maxPassedOver = 1024

// PassedOver reports whether git is known to have skipped a path at the last snapshot. The git method does not record
// ignored files.
func (e *Engine) PassedOver(path string) bool {
	if e.meta.Git != nil {
		return slices.Contains(e.meta.Git.PassedOver, path)
	}
	if e.root == nil {
		return false
	}
	d := e.root
	for i := range len(path) + 1 {
		if i < len(path) && path[i] != '/' {
			continue
		}
		name := baseName(path[:i])
		if j, ok := d.findOther(name); ok {
			return d.others[j].kind != kindSpecial
		}
		if d = d.sub(name); d == nil {
			return false
		}
	}
	return false
}

// notePassedOver stores, for the git method, the marked paths of the user's index. In a sparse checkout git removes the
// mark from files that are present.
func (e *Engine) notePassedOver(ctx context.Context) {
	g := e.meta.Git
	stamp, err := stampIndex(e.userIndex(), e.repo.Format)
	if err != nil || e.meta.Settings.Sparse || stamp == g.Marked {
		return
	}
	idx, err := loadIndex(ctx, e.repo, e.userIndex())
	if err != nil {
		return
	}
	g.Marked, g.PassedOver = stamp, nil
	for i := range idx.entries {
		x := &idx.entries[i]
		if x.flags&passingOver != 0 && x.mode != refs.ModeGitlink && len(g.PassedOver) < maxPassedOver {
			g.PassedOver = append(g.PassedOver, x.path)
		}
	}
}

// `marked` lists the marked paths that the state of the git method holds.
func (e *Engine) marked() []string {
	if e.meta.Git == nil {
		return nil
	}
	return e.meta.Git.PassedOver
}

// wasPassedOver marks the changes of paths that git skipped at the previous snapshot.
func wasPassedOver(changes []Change, before []string) {
	for i := range changes {
		if slices.Contains(before, changes[i].Path) {
			changes[i].PassedOver = true
		}
	}
}

// leaveOthers removes a name that git does not skip any longer from the skipped names of a directory.
func (s *scan) leaveOthers(d *dir, name string) {
	i, ok := d.findOther(name)
	if !ok {
		return
	}
	if d.others[i].kind != kindSpecial {
		if s.passed == nil {
			s.passed = map[string]bool{}
		}
		s.passed[join(d.path, name)] = true
	}
	d.removeOther(name)
}

// passedOver reports whether git skipped a path, or a directory above it, and does not skip it now.
func (s *scan) passedOver(path string) bool {
	for ; path != "" && len(s.passed) > 0; path = parentPath(path) {
		if s.passed[path] {
			return true
		}
	}
	return false
}
