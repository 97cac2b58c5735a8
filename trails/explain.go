package trails

import (
	"errors"

	"github.com/git-trace/git-trace/refs"
)

// explain takes out of an interval what needs no owner of its own: a content that a tool announced, and, after git
// wrote to the work tree, what git put there. Text that git restores keeps the owner it had; the same text typed anew
// does not, which is why a content seen before explains nothing unless git was at work.
func (s *step) explain(files []*file) ([]*file, error) {
	var rest []*file
	for _, f := range files {
		explained, err := s.explained(f)
		if err != nil {
			return nil, err
		}
		if !explained {
			rest = append(rest, f)
		}
	}
	return rest, nil
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
	f.from = v.From
	return false, nil
}

// missing tells whether the repository does not have an object or a revision.
func missing(err error) bool { return errors.Is(err, refs.ErrMissing) }
