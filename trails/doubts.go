package trails

import (
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/trails/process"
	"github.com/git-trace/git-trace/trails/snapshot"
)

// Three facts bound the changes of an open window: when its call ran, which processes it left running, and how many
// bytes these wrote. A change beyond those bounds is not the call's own.

// livedUntil returns the time at which the processes that a call left were last seen alive, by the clock that stamps
// files. It is zero if that clock was changed.
func (s *witness) livedUntil(w *Window) time.Time {
	if !s.steady(w, time.Now()) {
		return time.Time{}
	}
	return w.Begun.Add(-snapshot.Slack) // what was written right after may bear a time before
}

// ranOut reports whether the processes that a call left may have ended before a path changed, and the remaining ones
// wrote less than the change.
func (s *witness) ranOut(w *Window, path string) bool {
	b := s.bounds[w]
	if b == nil || len(w.Left) == 0 || s.reportedBack(w) {
		return false
	}
	size, known := s.sizes[path]
	return b.over || b.partly && known && b.wrote < size
}

// count counts the bytes that a call's remaining processes wrote since the last full snapshot. known is false if the
// system does not say; partly means that some processes have ended and only the others are counted.
func (s *witness) count(w *Window) (
	left []process.Process, printed []process.Output, wrote int64, known, partly bool,
) {
	left, printed, told := process.Measure(process.Grown(w.Left), s.repo.WorkTree)
	if told {
		wrote, known = process.Since(w.Left, left, w.Printed, printed)
	}
	return left, printed, wrote, known, told && !known
}

// consentSlack is the time by which a call may have begun before its agent says: until the hook of its end runs, a
// busy machine takes its time.
const consentSlack = 2 * time.Second

// heardDuration notes when a call that ends at this boundary began to run. Until then a person may have been asked for
// their consent, and what changed was not the call's.
func (s *witness) heardDuration(w *Window, b events.Boundary) {
	bound := s.bounds[w]
	if bound == nil || b.Tool.Lasted == 0 || b.Tool.Background || !s.steady(w, b.Time) {
		return
	}
	began := b.Time.Add(-time.Duration(b.Tool.Lasted)*time.Millisecond - consentSlack)
	w.Asked = time.Time{}
	if began.After(w.Begun) {
		bound.began = began
	}
}

// steady reports whether the clock went on evenly while a window was open: the system did not sleep, and nobody set
// the clock. Otherwise a time that the agent measured says nothing of the time stamps of files.
func (s *witness) steady(w *Window, at time.Time) bool {
	if w.Awake == 0 || slices.Contains(w.Limits, events.LimitBoundaryLate) {
		return false
	}
	apart := at.Sub(w.Begun) - time.Duration(process.Awake()-w.Awake)
	return apart.Abs() < time.Second
}

// changedBefore finds the changes from before the calls began to run, and those from before their end.
func (s *witness) changedBefore(changes []snapshot.Change) {
	paths := func(moment time.Time) map[string]bool {
		if moment.IsZero() {
			return nil
		}
		early, _ := snapshot.Before(s.repo.WorkTree, changes, moment)
		out := map[string]bool{}
		for _, c := range early {
			out[c.Path] = true
		}
		return out
	}
	for _, b := range s.bounds {
		b.before, b.within = paths(b.began), paths(b.ended)
		if !b.lived.IsZero() {
			b.within = paths(b.lived)
		}
	}
}

// idleThen reports whether a path changed before a call began to run.
func (s *witness) idleThen(w *Window, path string) bool {
	b := s.bounds[w]
	return b != nil && (b.before[path] || b.consent == consentAwaited && !s.endsHere(w))
}

// doubts returns the reason why a window may not have written a path; "" if there is none. If a file changed after the
// call had ended, its earlier lines cannot be distinguished.
func (s *witness) doubts(w *Window, path string) events.Limit {
	b := s.bounds[w]
	switch {
	case b != nil && b.unbegun && !s.reportedBack(w):
		return events.LimitMissingAfter
	case b != nil && b.within[path]:
		return ""
	case s.ranOut(w, path):
		return events.LimitProcessGone
	case b != nil && !b.ended.IsZero():
		return events.LimitMissingAfter
	case b != nil && b.doubt != "" && !s.reportedBack(w):
		return b.doubt
	case b != nil && b.consent == consentUnknown && !s.reportedBack(w):
		return events.LimitConsentUnknown
	case b != nil && b.consent == consentAwaited && !s.reportedBack(w):
		return events.LimitMissingAfter // it was refused, or interrupted soon after
	case w.Doubt && w.Why != "":
		return w.Why
	case w.Doubt:
		return events.LimitMissingAfter
	}
	return ""
}

// reportedBack reports whether a window ends at this boundary with an after-boundary of its own.
func (s *witness) reportedBack(w *Window) bool {
	return slices.ContainsFunc(s.closing, func(end ending) bool {
		return end.window == w && end.status != "abandoned" && end.status != "rejected"
	})
}

// silent reports whether the running processes of a window wrote less than the change of a path. A path that the last
// full snapshot did not read may have changed earlier.
func (s *witness) silent(w *Window, path string) bool {
	b := s.bounds[w]
	if b == nil || !b.silent {
		return false
	}
	size, known := s.sizes[path]
	return known && (b.wrote < size || b.afar && b.wrote > mostlyElsewhere*s.changed())
}

// mostlyElsewhere is how much more than all changes of the work tree processes have written whose writing says nothing
// of these: they work elsewhere. One that writes what changed and no more may have written that.
const mostlyElsewhere = 2

// changed returns the number of bytes changed in the work tree, as far as this step has read it.
func (s *witness) changed() (n int64) {
	for _, size := range s.sizes {
		n += size
	}
	return n
}

// measure counts the bytes that a change of files needs: their new lines. It does so only if an open window may have
// written fewer.
func (s *witness) measure(files ...*file) {
	atWork := s.shellAtWork()
	if !atWork && !anyCounted(s.bounds) {
		return
	}
	if s.sizes == nil {
		s.sizes = map[string]int64{}
		for w, b := range s.bounds { // anew: what was written until the look ended may be in what it found
			if b.counted() {
				_, _, b.wrote, b.silent, b.partly = s.count(w)
			}
		}
		if atWork {
			s.tellApart()
		}
	}
	for _, f := range files {
		delete(s.sizes, f.path)
		if f.old.whole || f.new.whole || s.renamedInto(f.path) {
			continue
		}
		had := map[string]int{}
		for _, line := range f.old.lines {
			had[string(line)]++
		}
		var size int64
		for _, line := range f.new.lines {
			if had[string(line)]--; had[string(line)] < 0 {
				size += int64(len(line))
			}
		}
		s.sizes[f.path] = size
	}
}

// counted reports whether the bytes of a window's processes, or of the remaining ones, are known.
func (b *bound) counted() bool { return b.silent || b.partly }

func anyCounted(bounds map[*Window]*bound) bool {
	for _, b := range bounds {
		if b.counted() {
			return true
		}
	}
	return false
}

// renamedInto reports whether a file may have got its name without being written: its content is older than its
// place.
func (s *witness) renamedInto(path string) bool {
	name := filepath.Join(s.repo.WorkTree, filepath.FromSlash(path))
	st, err := os.Lstat(name)
	changed, known := snapshot.Stamp(name)
	return err != nil || !known || changed.Sub(st.ModTime()) > time.Second
}
