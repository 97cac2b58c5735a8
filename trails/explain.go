package trails

import (
	"errors"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/vector"
)

// explain takes out of an interval what needs no owner of its own: a content that a tool announced, one that the path
// had before, and, after git wrote to the work tree, what git put there.
//
// Back are the files among them that lost lines of which no commit tells.
func (s *step) explain(files []*file) (rest, back []*file, err error) {
	for _, f := range files {
		was := *f
		explained, err := s.explained(f)
		if err != nil {
			return nil, nil, err
		}
		if !explained {
			rest = append(rest, f)
		}
		if (explained || f.old.oid != was.old.oid) && len(files) <= maxNoted {
			left, err := s.noteLeft(&was)
			if err != nil {
				return nil, nil, err
			}
			if explained && left {
				back = append(back, f)
			}
		}
	}
	return rest, back, nil
}

// maxNoted is the number of files that a look may have changed so that what left them is noted although it needed no
// owner. Git changes many at once, which are committed.
const maxNoted = 64

// noteLeft notes what a change that needs no owner takes away: it may come back. What a commit has, git brings back.
func (s *step) noteLeft(f *file) (left bool, err error) {
	if f.old.whole || f.new.whole || f.old.oid.IsZero() {
		return false, nil
	}
	if s.gitAt(f.path).Restored {
		if blob, err := s.asks.Git.Blob(s.gitAt(f.path).Before.Head, f.oldPath); err == nil && blob == f.old.oid {
			return false, nil
		}
	}
	lines := removed(f.old, linediff.Diff(f.old.lines, f.new.lines, linediff.Options{}).Hunks)
	return len(lines) > 0, s.known.PutLeft(f.oldPath, f.old.oid, lines)
}

// giving returns the change of a file that needs no owner: others may have what it lost.
func (f *file) giving() shifting {
	change := vector.Compare(vector.Content{Lines: f.old.lines, Owners: f.vec}, f.new.lines)
	return shifting{change.Giving(), f.old, f.new, f.path}
}

// removed returns the lines that hunks take away.
func removed(from text, hunks []linediff.Hunk) [][]byte {
	var out [][]byte
	for _, h := range hunks {
		out = append(out, from.lines[h.OldStart:h.OldStart+h.OldCount]...)
	}
	return out
}

func (s *workTree) explained(f *file) (bool, error) {
	if want, ok := s.state.Expected[f.path]; ok && want == f.new.oid {
		delete(s.state.Expected, f.path)
		return true, nil
	}
	q := s.questionOf(f)
	v, err := q.Judge()
	if err == nil && (v.Explained || q.Work.Restored) {
		s.noteTaken(f)
	}
	if err != nil || v.Explained {
		return v.Explained, err
	}
	if v.Put != nil {
		f.old, f.oldPath, f.oldMode = asText(*v.Put), f.path, f.newMode
		f.vec = s.vectorOf(f.path, f.old)
	}
	if f.from = v.From; f.from == nil {
		f.from = s.fromNested(f)
	}
	return false, nil
}

// missing reports whether the repository does not have an object or a revision.
func missing(err error) bool { return errors.Is(err, refs.ErrMissing) }
