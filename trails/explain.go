package trails

import (
	"errors"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/vector"
)

// knownSources is how many earlier contents of a path may explain a new one.
const knownSources = 8

// explain takes out of an interval what needs no owner of its own: a content that a tool announced, and, after git wrote
// to the work tree, what git put there. Text that git restores keeps the owner it had; the same text typed anew does not,
// which is why a content seen before explains nothing unless git was at work.
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

func (s *step) explained(f *file) (bool, error) {
	if want, ok := s.state.Expected[f.path]; ok && want == f.new.oid {
		delete(s.state.Expected, f.path)
		return true, nil
	}
	if !s.restored {
		return false, nil
	}
	if f.new.oid.IsZero() { // git deletes what another commit does not have
		gone, err := s.inCommit(s.base, f.path)
		return err == nil && gone.IsZero(), nil
	}
	if _, known := s.known.Get(f.path, f.new.oid); known {
		return true, nil
	}
	head, err := s.inCommit(s.base, f.path)
	if err != nil {
		return false, err
	}
	if head == f.new.oid {
		return true, nil // its lines are as old as their commits; blame finds them there
	}
	return false, s.composeFrom(f, head)
}

// composeFrom carries owners into a content that git put together from several: a merge, a stash popped onto other
// changes, a picked commit. Every line that a source has keeps the owner it has there; what is left is a change like any
// other, from the composed lines on.
func (s *step) composeFrom(f *file, head refs.OID) error {
	if f.new.whole || f.old.whole {
		return nil
	}
	var sources []vector.Content
	seen := map[refs.OID]bool{f.new.oid: true}
	add := func(t text) {
		if t.oid.IsZero() || seen[t.oid] || t.whole {
			return
		}
		seen[t.oid] = true
		sources = append(sources, vector.Content{Lines: t.lines, Owners: s.vectorOf(f.path, t)})
	}
	if f.oldPath == f.path {
		add(f.old)
	}
	for _, commit := range s.sources {
		oid, err := s.inCommit(commit, f.path)
		if err != nil {
			return err
		}
		t, err := s.read(0, oid)
		if err != nil {
			return err
		}
		add(t)
	}
	for _, oid := range s.known.Blobs(f.path, knownSources) {
		t, err := s.read(0, oid)
		if err != nil {
			return err
		}
		add(t)
	}
	t, err := s.read(0, head)
	if err != nil {
		return err
	}
	add(t)
	f.sources = sources
	if !t.oid.IsZero() && !t.whole {
		// git put this content there first; what is written now replaced its lines, not those from before.
		f.old, f.oldPath, f.oldMode = t, f.path, f.newMode
		f.vec = s.vectorOf(f.path, t)
	}
	return nil
}

// inCommit is the blob that a commit has at a path; no id when it has none.
func (s *step) inCommit(commit refs.OID, path string) (refs.OID, error) {
	if commit.IsZero() {
		return refs.OID{}, nil
	}
	oid, typ, err := s.objects.Resolve(commit.String() + ":" + path)
	if missing(err) || err == nil && typ != refs.BlobObject {
		return refs.OID{}, nil
	}
	return oid, err
}

// missing tells whether the repository does not have an object or a revision.
func missing(err error) bool { return errors.Is(err, refs.ErrMissing) }
