package trails

import (
	"slices"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/gitfacts"
)

// gitWork is what git did to the work tree since a moment, and what the timeline makes of it.
type gitWork struct {
	*gitfacts.Work
	// restored tells that it wrote files; doubtful, that no more is known than that a stash may have been applied;
	// elsewhere, that this stash may have been made in another work tree and is gone (see fromElsewhere).
	restored  bool
	doubtful  bool
	elsewhere bool

	operands  *[]gitfacts.Operand // nil until asked for
	brought   []refs.OID          // see broughtFrom
	fruitless int                 // the same
}

// maxMarks bounds how many looks at some paths are remembered with where git stood then.
const maxMarks = 16

// lookMark is where git stood when some paths, not all, were looked at.
type lookMark struct {
	At  int64
	Git gitfacts.Mark
}

// workAfter is what git did after a mark, of which nothing is concluded yet.
func (s *step) workAfter(mark gitfacts.Mark) *gitfacts.Work {
	return gitfacts.Between(s.repo, s.facts, mark, s.now)
}

func (s *step) workSince(mark gitfacts.Mark, at int64) *gitWork {
	w := &gitWork{Work: s.workAfter(mark)}
	if s.state.Interval == 0 {
		return w
	}
	sure := s.state.RestoredAt > at || w.Wrote()
	w.doubtful = !sure && w.MayHaveApplied()
	w.restored = sure || w.doubtful
	w.elsewhere = !sure && mark.Index != s.now.Index && len(otherWorkTrees(s.repo)) > 0
	return w
}

// gitAt is what git did since a path was last looked at.
func (s *step) gitAt(path string) *gitWork {
	at := s.seen(path)
	if w := s.since[at]; w != nil {
		return w
	}
	i := slices.IndexFunc(s.state.Marks, func(m lookMark) bool { return m.At == at })
	if i < 0 {
		return s.git
	}
	if s.since == nil {
		s.since = map[int64]*gitWork{}
	}
	s.since[at] = s.workSince(s.state.Marks[i].Git, at)
	return s.since[at]
}

// operandsOf lists the commits from which git may have taken what it wrote.
func (s *step) operandsOf(w *gitWork) []gitfacts.Operand {
	if w.operands == nil {
		list := w.StashesThatMayBeApplied
		if !w.doubtful {
			list = w.Operands
		}
		found := list(gitfacts.Asking{Commit: s.commit, Squash: s.squash, Seen: s.state.Git.Stashes})
		w.operands = &found
	}
	return *w.operands
}

// madeByHand lists the contents of a path that somebody's commits brought, since the moment that w begins. Such a
// content stays theirs when git makes further commits on top, as the picks of a rebase after a conflict that was
// resolved.
func (s *step) madeByHand(w *gitWork, path string) (map[refs.OID]bool, error) {
	out := map[refs.OID]bool{}
	for _, commit := range w.ByHand(s.commit) {
		blob, err := s.facts.Blob(commit, path)
		if err != nil {
			return nil, err
		}
		c, err := s.facts.Commit(commit)
		if err != nil || blob.IsZero() {
			continue // a commit that is gone says nothing
		}
		there := false
		for _, parent := range c.Parents {
			before, err := s.facts.Blob(parent, path)
			if err != nil {
				return nil, err
			}
			there = there || before == blob
		}
		if !there {
			out[blob] = true
		}
	}
	return out, nil
}
