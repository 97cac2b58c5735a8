package trails

import (
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// gitWork is what git did to the work tree since a moment.
type gitWork struct {
	repo   *refs.Repo
	before gitMark
	now    gitMark
	// restored tells that it wrote files; doubtful, that no more is known than that a stash may have been applied; elsewhere,
	// that this stash may have been made in another work tree and is gone (see fromElsewhere).
	restored  bool
	doubtful  bool
	elsewhere bool

	commits   *[]refs.OID // see replayed; nil until asked for
	brought   []refs.OID  // see broughtFrom
	fruitless int         // the same
	// perhaps are those of commits of which nothing tells that git took anything from them; unlooked are those of which
	// only such contents explain anything as were seen.
	perhaps, unlooked map[refs.OID]bool

	made map[refs.OID]bool // see typed
}

// maxMarks bounds how many looks at some paths are remembered with where git stood then.
const maxMarks = 16

// lookMark is where git stood when some paths, not all, were looked at.
type lookMark struct {
	At  int64
	Git gitMark
}

func (s *step) workSince(mark gitMark, at int64) *gitWork {
	w := &gitWork{repo: s.repo, before: mark, now: s.now}
	if s.state.Interval == 0 {
		return w
	}
	sure := s.state.RestoredAt > at || wroteWorkTree(s.repo, mark, s.now)
	w.doubtful = !sure && appliedStash(mark, s.now)
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

// typed tells whether somebody made the commit of what he had in the work tree, as opposed to git, which puts there what
// it takes from other commits. What such a commit brings is no evidence of where it comes from. Asked is the commit that
// is being anchored, if one is.
func (w *gitWork) typed(commit, asked refs.OID) bool {
	if w.made == nil {
		w.made = map[refs.OID]bool{}
		steps, _ := stepsSince(w.repo, w.before)
		for _, step := range steps {
			if step.byHand() {
				w.made[step.new] = true
			}
		}
		if !asked.IsZero() && (len(steps) == 0 || steps[len(steps)-1].new != asked || w.applies()) {
			w.made[asked] = true // without a reflog nothing else is known
		}
	}
	return w.made[commit]
}

// applies tells whether git rebases by applying patches. The commit of a resolved conflict looks then like that of any other
// patch; but the commit that the patch was made of is known, and what that does not have was typed.
func (w *gitWork) applies() bool {
	return strings.Contains(w.now.Replays, "rebase-apply") && w.repo.HasRef("REBASE_HEAD")
}

// madeByHand lists the contents of a path that somebody's commits brought, since the moment that w begins: such a content
// stays his when git makes further commits on top, as the picks of a rebase after a conflict that was resolved.
func (s *step) madeByHand(w *gitWork, path string) (map[refs.OID]bool, error) {
	w.typed(refs.OID{}, s.commit)
	out := map[refs.OID]bool{}
	for commit := range w.made {
		blob, err := s.inCommit(commit, path)
		if err != nil {
			return nil, err
		}
		c, err := s.objects.Commit(commit)
		if err != nil || blob.IsZero() {
			continue // a commit that is gone says nothing
		}
		there := false
		for _, parent := range c.Parents {
			before, err := s.inCommit(parent, path)
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

// leftBehind tells whether git put HEAD's content in the place of that which a file was last seen with: a commit that HEAD
// was at, then or since, has it, and git went on from there, by a checkout or a merge for example, to what HEAD is now. A reset
// to another commit may have left all files as they were; that to the same one, which git-stash(1) makes, leads nowhere.
func (s *step) leftBehind(f *file) bool {
	w := s.gitAt(f.path)
	steps, whole := stepsSince(s.repo, w.before)
	if !whole || f.old.oid.IsZero() {
		return false
	}
	held, left, at := false, false, w.before.Head
	for _, made := range steps {
		if made.verb == "reset" {
			if made.new != at {
				return false
			}
			continue
		}
		if !held {
			blob, err := s.inCommit(at, f.oldPath)
			held = err == nil && blob == f.old.oid
		}
		left = left || held && !made.byHand()
		at = made.new
	}
	return left
}
