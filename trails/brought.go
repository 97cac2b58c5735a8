package trails

import (
	"slices"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/origin"
)

// `git checkout REV -- PATH` and `git restore --source REV` write to the work tree and say nowhere what REV was. So it
// is looked for among the newest commits of all refs.

// maxFruitless is for how many contents no commit is found before the rest are not looked for: a build may write
// thousands of files.
const maxFruitless = 8

// broughtFrom finds a commit that has this very content at this path. Those that were found for other paths come first:
// one command brings many.
func (s *step) broughtFrom(w *gitWork, path string, blob refs.OID) (origin.Candidate, bool) {
	has := func(commit refs.OID) bool {
		oid, err := s.facts.Blob(commit, path)
		return err == nil && oid == blob
	}
	if !slices.ContainsFunc(w.brought, has) {
		if w.fruitless == maxFruitless || !s.objects.MayBeStored(blob) { // what no commit has was typed
			return origin.Candidate{}, false
		}
		list := w.Foreign(s.commit)
		i := slices.IndexFunc(list, has)
		if i < 0 {
			w.fruitless++
			return origin.Candidate{}, false
		}
		w.brought = append(w.brought, list[i])
	}
	return origin.Candidate{Path: path, Blob: blob, Trust: origin.Far}, true
}

// resumed finds what a content was made of that somebody committed to go on with a rebase: what git had put there
// before, and what the commit has that was picked. A later pick may have left all as it was, so the commit that the
// work tree was last seen with is no better source than those.
func (s *step) resumed(f *file) (base text, picked []origin.Candidate, err error) {
	w := s.gitAt(f.path)
	if !w.WentOnFrom(f.oldPath, f.old.oid) {
		return text{}, nil, nil
	}
	r, err := w.Resumed(f.path, f.new.oid, s.commit)
	if err != nil || r.Before.IsZero() {
		return text{}, nil, err
	}
	if base, err = s.read(0, r.Before); err != nil || base.whole {
		return text{}, nil, err
	}
	for _, blob := range r.Picked {
		picked = append(picked, origin.Candidate{Path: f.path, Blob: blob, Trust: origin.Far})
	}
	return base, picked, nil
}
