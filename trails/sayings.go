package trails

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/rename"
)

// No look sees a file that git passes over: an ignored one, one marked skip-worktree or assume-unchanged. An edit call
// that writes one says so all the same. What it said is kept with its window, by the fingerprints of the lines alone,
// until the file turns up: added by force, no longer ignored, no longer marked. Those lines are the call's then. The
// others were written at no known time, by nobody that is known.

// saying is a call's declared text for a path that git passes over.
type saying struct {
	Path  string
	After refs.OID // the whole content, if the call told it
	Lines string   // events.EncodeFingerprints
	// Whole is true if every line of the file is known from the call, or from an earlier call whose content it found.
	Whole bool
}

// Bounds of the sayings of a state, and of the lines of each.
const (
	maxSayings     = 128
	maxSayingLines = 2000
)

// keepSayings serves paths that git passes over. It keeps the contents that ending calls reported for them.
func (s *step) keepSayings() {
	for _, end := range s.closing {
		w := end.window
		if end.status != "done" || w.Class != events.ToolEdits || s.snap == nil {
			continue
		}
		for _, path := range w.Paths {
			if len(w.declares(path)) == 0 || !s.passesOver(path) {
				continue
			}
			if said, fits := s.sayingOf(w, path); fits {
				w.Said = append(w.Said, said)
			}
		}
	}
}

// passesOver reports whether git passes over a file that is there.
func (s *step) passesOver(path string) bool {
	if s.snap.PassedOver(path) {
		return true
	}
	_, found := s.snap.Lookup(path)
	if found {
		return false
	}
	info, err := os.Lstat(filepath.Join(s.repo.WorkTree, filepath.FromSlash(path))) // it is not read
	return err == nil && info.Mode().IsRegular()
}

func (s *step) sayingOf(w *Window, path string) (saying, bool) {
	said := saying{Path: path}
	lines := declaredLines(w, path)
	if len(lines) > maxSayingLines {
		return said, false
	}
	var prints []events.Fingerprint
	for key := range lines {
		if print := events.FingerprintOf([]byte(key)); !print.Blank() {
			prints = append(prints, print)
		}
	}
	slices.SortFunc(prints, func(a, b events.Fingerprint) int { return slices.Compare(a[:], b[:]) })
	said.Lines = events.EncodeFingerprints(prints)
	var before *string
	for _, d := range w.declares(path) {
		if before == nil {
			before = d.Before
		}
		if d.After != nil {
			said.After = s.repo.Format.Hash(refs.BlobObject, []byte(*d.After))
		}
	}
	if before != nil && !said.After.IsZero() {
		found := s.repo.Format.Hash(refs.BlobObject, []byte(*before))
		last, was := s.state.said(path)
		said.Whole = *before == "" || was && last.Whole && last.After == found
	}
	return said, true
}

func (s *state) said(path string) (last saying, found bool) {
	for _, w := range s.Windows {
		for _, one := range w.Said {
			if one.Path == path {
				last, found = one, true
			}
		}
	}
	return last, found
}

// heardOf drops the sayings about a path that has been looked at.
func (s *state) heardOf(path string) {
	for _, w := range s.Windows {
		w.Said = slices.DeleteFunc(w.Said, func(one saying) bool { return one.Path == path })
	}
}

// maxTexts bounds the declared texts that the state keeps of ended calls, in bytes.
const maxTexts = 8 << 20

// boundTexts lets go of declared texts: of calls that have ended before everything was looked at, and of the oldest
// beyond the bound.
func (s *state) boundTexts() {
	n := 0
	for _, w := range slices.Backward(s.Windows) {
		if w.Closed == 0 {
			continue
		}
		for _, d := range w.Edits {
			n += d.size()
		}
		if n > maxTexts || w.Closed <= s.LastFull {
			w.Edits = nil
		}
	}
}

// boundSayings lets go of the oldest sayings beyond the bound.
func (s *state) boundSayings() {
	n := 0
	for _, w := range slices.Backward(s.Windows) {
		if n += len(w.Said); n > maxSayings {
			w.Said = nil
		}
	}
}

// turnedUp decides about the lines of a path that git passed over until now. ok is false if there are no sayings
// about it.
func (s *workTree) turnedUp(path string, now refs.OID) (by decision, ok bool) {
	type heard struct {
		who   *actor
		lines map[events.Fingerprint]bool
	}
	var all []heard
	for _, w := range s.state.Windows {
		for _, said := range w.Said {
			if said.Path != path {
				continue
			}
			prints, err := events.DecodeFingerprints(said.Lines)
			if err != nil {
				continue
			}
			one := heard{ref(byWindow(w, path)), map[events.Fingerprint]bool{}}
			for _, print := range prints {
				one.lines[print] = true
			}
			all = append(all, one)
		}
	}
	if len(all) == 0 && !s.passed[path] {
		return nil, false
	}
	last, _ := s.state.said(path)
	exact := last.Whole && last.After == now
	return func(line []byte) *actor {
		print := events.FingerprintOf(line)
		if !exact && len(linediff.StripSpace(line)) < rename.WordyLine {
			return &nobody
		}
		for _, one := range slices.Backward(all) {
			if one.lines[print] || exact && print.Blank() {
				return one.who
			}
		}
		return &nobody
	}, true
}
