package trails

import (
	"errors"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/vector"
)

// explain sorts out the files of an interval that need no owner of their own: a content that a tool announced, a
// content that the path had before, and, after git wrote to the work tree, a content from git.
//
// back lists the files among them that lost lines which are in no commit.
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

// maxNoted bounds the files of a look whose lost lines are noted although the change needed no owner. If there are
// more, git changed them, and they are committed.
const maxNoted = 64

// noteLeft notes the lines that a change without an owner of its own takes away: they may come back. Git brings
// back the content of a commit.
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

// giving returns the lines that a file lost, with their owners, although its change needs no owner: other files may
// have them.
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
