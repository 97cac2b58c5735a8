package trails

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/gitfacts"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/origin"
)

// popped is the content that a stash which is gone from the list made of a file, if git put that there before the file
// was changed: the stash's own where all was as it was when it was made, else a merge (git-stash(1), pop). A stash may
// also have been dropped, so what there is now must be closer to that content than to what was there before.
func (s *step) popped(f *file) (content text, found bool, err error) {
	w := s.gitAt(f.path)
	if w.Before.Index == w.Now.Index { // dropped, or brought back in another work tree
		return text{}, false, nil
	}
	for _, stash := range w.GoneStashes() {
		back, err := s.broughtBack(stash, f)
		if err != nil {
			return text{}, false, err
		}
		if len(back.lines) > 0 && !nearer(f.new.lines, f.old.lines, back.lines) {
			return back, true, nil
		}
	}
	return text{}, false, nil
}

// broughtBack is what git makes of a file's content when it applies a stash, if its owners are known; an empty text if
// not, or if the stash does not change it, or if that ends in a conflict.
func (s *step) broughtBack(stash refs.OID, f *file) (text, error) {
	parts, _ := gitfacts.StashOf(s.facts, stash) // of none there are no contents
	base, blob, err := parts.Blob(s.facts, f.path)
	if err != nil || blob.IsZero() || blob == f.old.oid || base == blob {
		return text{}, err
	}
	if _, known := s.known.Get(f.path, blob); !known {
		return text{}, nil
	}
	theirs, err := s.read(0, blob)
	if err != nil || theirs.whole {
		return text{}, err
	}
	if base == f.old.oid {
		return theirs, nil
	}
	was, err := s.read(0, base)
	if err != nil || was.whole || base.IsZero() || f.old.oid.IsZero() || f.old.whole {
		return text{}, err
	}
	merged, clean := linediff.Merge(was.lines, f.old.lines, theirs.lines)
	if !clean || len(merged) == 0 {
		return text{}, nil
	}
	raw := append(bytes.Join(merged, []byte("\n")), '\n')
	back := newText(s.repo.Format.Hash(refs.BlobObject, raw), raw)
	if _, err := s.repo.WriteLoose(s.repo.SideObjects(), refs.BlobObject, raw); err != nil {
		return text{}, fmt.Errorf("store what a stash made of %s: %w", strconv.Quote(f.path), err)
	}
	return back, s.learn(f.path, back, []origin.Candidate{{Path: f.oldPath, Blob: f.old.oid}, {Path: f.path, Blob: blob}})
}
