package trails

import (
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/gitfacts"
	"github.com/git-trace/git-trace/trails/snapshot"
)

// A stash is on the list of all work trees, but what is in it was written in one of them: it changes what that one was
// last seen with, and the calls that were under way there are those that may have written it.

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
	return &step{
		Engine: &engine, ctx: s.ctx, state: state, snap: snap, objects: s.objects,
		facts: gitfacts.NewGit(s.ctx, &repo, s.objects), known: s.known, owners: s.owners,
		writer: s.writer, time: s.time, counts: s.counts, remembered: s.remembered,
	}, true
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

// makerOf is the other work tree in which a stash was made; nil if it may have been made in this one, or if that is not
// known of any that was looked at.
func (s *step) makerOf(stash refs.OID) *step {
	made, found := gitfacts.StashOf(s.facts, stash)
	if !found {
		return nil
	}
	branch, found := made.Branch(s.facts)
	if !found || s.git.WasAt(made.Head, branch) {
		return nil
	}
	for _, other := range s.asides() {
		if other.state.Interval == 0 {
			continue
		}
		if other.git == nil {
			other.orient()
		}
		if other.git.WasAt(made.Head, branch) {
			return other
		}
	}
	return nil
}
