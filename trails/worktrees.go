package trails

import (
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/gitfacts"
	"github.com/git-trace/git-trace/trails/origin"
	"github.com/git-trace/git-trace/trails/snapshot"
)

// A stash is on the list of all work trees, but what is in it was written in one of them: it changes what that one was
// last seen with, and the calls that were under way there are those that may have written it.

// otherWorkTrees lists the git directories of the other work trees of the repository (gitrepository-layout(5)).
func otherWorkTrees(repo *refs.Repo) []string {
	entries, err := os.ReadDir(filepath.Join(repo.CommonDir, "worktrees"))
	if err != nil {
		return nil
	}
	var out []string
	if repo.Linked() {
		out = append(out, repo.CommonDir)
	}
	for _, e := range entries {
		if dir := filepath.Join(repo.CommonDir, "worktrees", e.Name()); dir != repo.GitDir {
			out = append(out, dir)
		}
	}
	return out
}

// aside is a step of another work tree of the repository, for what this one has to tell of it. It is not saved, and its
// lock is not held: what it reads is what that work tree's last boundary left.
func (s *step) aside(gitDir string) (*step, bool) {
	repo := *s.repo // the files of its work tree are none of this one's business
	repo.GitDir = gitDir
	state, err := loadState(&repo)
	if err != nil {
		return nil, false
	}
	snap, err := snapshot.Open(s.ctx, &repo, snapshotState(&repo))
	if err != nil {
		return nil, false
	}
	engine := *s.Engine
	engine.repo = &repo
	other := engine.newStep(s.ctx, s.time, state, stores{s.objects, s.known, s.owners})
	other.snap, other.writer, other.counts, other.remembered = snap, s.writer, s.counts, s.remembered
	return other, true
}

// asides are those of all other work trees whose state can be read. They are read once in a step.
func (s *step) asides() []*step {
	if s.others == nil {
		s.others = []*step{}
		for _, dir := range otherWorkTrees(s.repo) {
			if other, found := s.aside(dir); found {
				s.others = append(s.others, other)
			}
		}
	}
	return s.others
}

// otherTree is another work tree as it was looked at last.
type otherTree struct{ *step }

func (t otherTree) Lookup(path string) (snapshot.Entry, bool) { return t.snap.Lookup(path) }

func (s *step) otherTrees() []origin.Tree {
	var out []origin.Tree
	for _, other := range s.asides() {
		out = append(out, otherTree{other})
	}
	return out
}

// Marks are where git stood at the last looks. Of a commit that git made, such as a revert, all is not looked at.
func (t otherTree) Marks() []gitfacts.Mark {
	out := []gitfacts.Mark{t.state.Git}
	for _, look := range t.state.Marks {
		out = append(out, look.Git)
	}
	return out
}

// makerOf is the other work tree in which a stash was made; nil if it may have been made in this one, or if that is not
// known of any that was looked at.
func (s *step) makerOf(stash refs.OID) *step {
	made, found := gitfacts.StashOf(s.asks.Git, stash)
	if !found {
		return nil
	}
	branch, found := made.Branch(s.asks.Git)
	if !found || s.asks.Whole.WasAt(made.Head, branch) {
		return nil
	}
	for _, other := range s.asides() {
		if other.state.Interval == 0 {
			continue
		}
		if other.asks.Whole == nil {
			other.orient()
		}
		if other.asks.Whole.WasAt(made.Head, branch) {
			return other
		}
	}
	return nil
}

// marksForOthers are the marks that other work trees may still need once everything is looked at here: those with
// stashes that are gone, which may have been popped in one that nobody has looked at since. A mark that was kept before
// goes when all of them were looked at after the last look here.
func (s *step) marksForOthers() []lookMark {
	others := otherWorkTrees(s.repo)
	if len(others) == 0 {
		return nil
	}
	last := lookedAtLast(s.repo.GitDir)
	behind := slices.ContainsFunc(others, func(dir string) bool { return !lookedAtLast(dir).After(last) })
	var out []lookMark
	for _, m := range append(slices.Clip(s.state.Marks), lookMark{s.state.LastFull, s.state.Git}) {
		known := slices.ContainsFunc(m.Git.Stashes, func(stash refs.OID) bool {
			return !slices.Contains(s.now.Stashes, stash)
		})
		if known && (behind || m.At >= s.state.LastFull) {
			out = append(out, lookMark{m.At, gitfacts.Mark{Stashes: m.Git.Stashes}})
		}
	}
	return out[max(0, len(out)-maxMarks/2):]
}

// lookedAtLast is when the last boundary in the work tree of a git directory ended.
func lookedAtLast(gitDir string) time.Time {
	info, err := os.Stat(StatePath(&refs.Repo{GitDir: gitDir}))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}
