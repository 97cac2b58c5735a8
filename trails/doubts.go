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

// Three facts limit the changes of an open window: when its call ran, which processes it left running, and how many
// bytes these wrote. A change beyond these limits is not the call's own.

// livedUntil returns the time at which the processes that a call left were last seen alive, by the clock of file times.
// It is zero if that clock was changed.
func (wit *witness) livedUntil(w *Window) time.Time {
	if !wit.steady(w, time.Now()) {
		return time.Time{}
	}
	return w.Run.Begun.Add(-snapshot.Slack) // a write right after that may have an earlier time stamp
}

// ranOut reports whether some processes that a call left may have ended before a path changed, and the remaining ones
// wrote less than the change.
func (j *judge) ranOut(w *Window, path string) bool {
	b := j.seen.bounds[w]
	if b == nil || len(w.Run.Left) == 0 || j.heard.reportedBack(w) {
		return false
	}
	size, known := j.seen.sizes[path]
	return b.over || b.partly && known && b.wrote < size
}

// `count` counts the bytes that a call's remaining processes wrote since the last full snapshot. The result `known` is
// false if the system does not say; the result `partly` means that some processes have ended and only the others are
// counted.
func (wit *witness) count(w *Window) (
	left []process.Process, printed []process.Output, wrote int64, known, partly bool,
) {
	left, printed, told := process.Measure(process.Grown(w.Run.Left), wit.tree.repo.WorkTree)
	if told {
		wrote, known = process.Since(w.Run.Left, left, w.Run.Printed, printed)
	}
	return left, printed, wrote, known, told && !known
}

// consentSlack limits how long before its reported beginning a call may have begun: on a busy machine, the hook at its
// end starts late.
const consentSlack = 2 * time.Second

// heardDuration notes when a call that ends at this boundary began to run. Until then the agent may have waited for a
// person's consent, and changes were not the call's.
func (wit *witness) heardDuration(w *Window, b events.Boundary) {
	bound := wit.bounds[w]
	if bound == nil || b.Tool.Lasted == 0 || b.Tool.Background || !wit.steady(w, b.Time) {
		return
	}
	began := b.Time.Add(-time.Duration(b.Tool.Lasted)*time.Millisecond - consentSlack)
	w.Asked = time.Time{}
	if began.After(w.Run.Begun) {
		bound.began = began
	}
}

// `steady` reports whether the clock ran evenly while a window was open: the system did not sleep, and nobody set the
// clock. Otherwise a time that the agent measured cannot be compared with file times.
func (wit *witness) steady(w *Window, at time.Time) bool {
	if w.Run.Awake == 0 || slices.Contains(w.Limits, events.LimitBoundaryLate) {
		return false
	}
	apart := at.Sub(w.Run.Begun) - time.Duration(process.Awake()-w.Run.Awake)
	return apart.Abs() < time.Second
}

// changedBefore finds the changes from before the calls began to run, and the changes from before their end.
func (wit *witness) changedBefore(changes []snapshot.Change) {
	paths := func(moment time.Time) map[string]bool {
		if moment.IsZero() {
			return nil
		}
		early, _ := snapshot.Before(wit.tree.repo.WorkTree, changes, moment)
		out := map[string]bool{}
		for _, c := range early {
			out[c.Path] = true
		}
		return out
	}
	for _, b := range wit.bounds {
		b.before, b.within = paths(b.began), paths(b.ended)
		if !b.lived.IsZero() {
			b.within = paths(b.lived)
		}
	}
}

// idleThen reports whether a path changed before a call began to run.
func (j *judge) idleThen(w *Window, path string) bool {
	b := j.seen.bounds[w]
	return b != nil && (b.before[path] || b.consent == consentAwaited && !j.heard.endsHere(w))
}

// doubts returns the reason why a window may not have written a path; "" if there is none. If a file changed after the
// call had ended, earlier changes in it cannot be distinguished.
func (j *judge) doubts(w *Window, path string) events.Limit {
	b := j.seen.bounds[w]
	switch {
	case b != nil && b.unbegun && !j.heard.reportedBack(w):
		return events.LimitMissingAfter
	case b != nil && b.within[path]:
		return ""
	case j.ranOut(w, path):
		return events.LimitProcessGone
	case b != nil && !b.ended.IsZero():
		return events.LimitMissingAfter
	case b != nil && b.doubt != "" && !j.heard.reportedBack(w):
		return b.doubt
	case b != nil && b.consent == consentUnknown && !j.heard.reportedBack(w):
		return events.LimitConsentUnknown
	case b != nil && b.consent == consentAwaited && !j.heard.reportedBack(w):
		return events.LimitMissingAfter // it was refused, or interrupted soon afterwards
	case w.Doubt && w.Why != "":
		return w.Why
	case w.Doubt:
		return events.LimitMissingAfter
	}
	return ""
}

// reportedBack reports whether an after-boundary of the window itself ends it here.
func (h *heard) reportedBack(w *Window) bool {
	return slices.ContainsFunc(h.closing, func(end ending) bool {
		return end.window == w && end.status != "abandoned" && end.status != "rejected"
	})
}

// silent reports whether the running processes of a window wrote less than the change of a path. A path that the last
// full snapshot did not read may have changed earlier.
func (j *judge) silent(w *Window, path string) bool {
	b := j.seen.bounds[w]
	if b == nil || !b.silent {
		return false
	}
	size, known := j.seen.sizes[path]
	return known && (b.wrote < size || b.afar && b.wrote > mostlyElsewhere*j.changed())
}

// mostlyElsewhere is a factor: processes that work elsewhere did not write a change if they wrote more than this many
// times the bytes of all changes in the work tree. With fewer bytes they may have written it.
const mostlyElsewhere = 2

// `changed` returns the number of bytes changed in the work tree that this step has read.
func (j *judge) changed() (n int64) {
	for _, size := range j.seen.sizes {
		n += size
	}
	return n
}

// `measure` counts the bytes that a change of files needs: their new lines. It counts only if an open window may have
// written fewer.
func (j *judge) measure(files ...*file) {
	atWork := j.shellAtWork()
	if !atWork && !anyCounted(j.seen.bounds) {
		return
	}
	if j.seen.sizes == nil {
		j.seen.sizes = map[string]int64{}
		for w, b := range j.seen.bounds { // count again: the look may have seen bytes that were written before its end
			if b.counted() {
				_, _, b.wrote, b.silent, b.partly = j.seen.count(w)
			}
		}
		if atWork {
			j.tellApart()
		}
	}
	for _, f := range files {
		delete(j.seen.sizes, f.path)
		if f.old.Whole || f.new.Whole || j.renamedInto(f.path) {
			continue
		}
		had := map[string]int{}
		for _, line := range f.old.Lines {
			had[string(line)]++
		}
		var size int64
		for _, line := range f.new.Lines {
			if had[string(line)]--; had[string(line)] < 0 {
				size += int64(len(line))
			}
		}
		j.seen.sizes[f.path] = size
	}
}

// `counted` reports whether the bytes of a window's processes, or of the remaining ones, are known.
func (b *bound) counted() bool { return b.silent || b.partly }

func anyCounted(bounds map[*Window]*bound) bool {
	for _, b := range bounds {
		if b.counted() {
			return true
		}
	}
	return false
}

// renamedInto reports whether a file may have been renamed into its place without a write: its content is older than
// its status change (ctime).
func (j *judge) renamedInto(path string) bool {
	name := filepath.Join(j.tree.repo.WorkTree, filepath.FromSlash(path))
	st, err := os.Lstat(name)
	changed, known := snapshot.Stamp(name)
	return err != nil || !known || changed.Sub(st.ModTime()) > time.Second
}

// Two shell calls that run at once may both have written a change. If the processes of one have written fewer bytes
// than the change has, the other wrote it: for example, one waits for a server while the other writes `a.txt`. If all
// of them wrote fewer bytes, a person or a service may have made the change: the owner is unknown.

// wellBegun is the least running time of a call's shell: the agent starts other programs too, such as hooks when a call
// ends.
const wellBegun = time.Second

// tellApart counts the bytes of calls that run at the same time, to distinguish their changes. It cannot do so after a
// call's shell has ended. Nor can it distinguish two calls of one agent process.
func (j *judge) tellApart() {
	for _, w := range j.tree.state.openWindows() {
		b := j.seen.bounds[w]
		if b == nil || b.doubt != "" || b.consent != consentGiven || !j.atWork(w) ||
			slices.ContainsFunc(j.tree.state.openWindows(), func(o *Window) bool {
				return o != w && o.Run.Host == w.Run.Host && j.atWork(o)
			}) {
			continue
		}
		b.wrote, b.apart = written(w)
	}
}

// atWork reports whether a call that may write anywhere continues after this boundary.
func (j *judge) atWork(w *Window) bool {
	return w.Call.Class != events.ToolEdits && !w.Rejected && !w.Run.Background && len(w.Run.Left) == 0 &&
		!j.heard.endsHere(w)
}

// shellAtWork reports whether a call still runs and its processes can be checked: it ran a command, or other windows
// are open.
func (j *judge) shellAtWork() bool {
	n, runs := 0, false
	for _, w := range j.tree.state.openWindows() {
		if w.Call.Class != events.ToolEdits && !w.Rejected {
			n++
			runs = runs || w.Call.Class == events.ToolRuns && j.atWork(w)
		}
	}
	return n > 1 || runs
}

// `written` returns the number of bytes that the processes of a call can have written; the result `known` is false if
// its shell is not among them.
func written(w *Window) (n int64, known bool) {
	found, _, known := process.Measure(w.processes(), "")
	shell := false
	for _, p := range found {
		n += p.Wrote // the children that have ended count with their parents
		shell = shell || p.Parent == w.Run.Host.PID && p.Age() >= wellBegun
	}
	return n, known && shell
}

// wroteEnough drops the calls that wrote fewer bytes than the change of a path. A tool without a command may write
// through another process: it is dropped only if another call is left.
func (j *judge) wroteEnough(able []*Window, path string) []*Window {
	size, known := j.seen.sizes[path]
	if !known {
		return able
	}
	commands := true
	rest := slices.DeleteFunc(slices.Clone(able), func(w *Window) bool {
		b := j.seen.bounds[w]
		commands = commands && w.Call.Class == events.ToolRuns
		return b != nil && b.apart && b.wrote < size
	})
	if len(rest) == 0 && !commands {
		return able
	}
	return rest
}

// After an edit, agents run programs of the user, most often a formatter: as hooks beside git-trace's own, at the same
// time or later. Such a program changes the edited file after the call's end, with no call open. Lines that differ only
// in form keep their owners in any case (package vector). The program owns the other lines. If the client reports that
// all hooks of its calls have ended (events.ToolsEnd), a person had no time to save in between, and such lines belong
// to nobody. Codex records the result for the model once all hooks have ended: a change before that is the hooks' work.
// Otherwise a person may have written them. They belong to nobody if the agent's settings have other hooks, or else to
// the person.

// `afterwards` says whether a hook's program may have changed a path.
type afterwards int

const (
	nothing afterwards = iota
	perhaps            // a person also had the time
	surely
)

// hooksAfter says whether hooks of an ended call that declared the path may have changed it. This is sure at the first
// boundary that shows that these hooks have ended, too.
func (j *judge) hooksAfter(path string) afterwards {
	out := nothing
	for _, w := range j.tree.state.Windows {
		if !w.Tail || !slices.Contains(w.Says.Paths, path) || slices.ContainsFunc(j.heard.closing,
			func(end ending) bool { return end.window == w }) {
			continue
		}
		if j.heard.ended.has(&w.Call) || j.beforeAnswer(w, path) {
			return surely
		}
		out = perhaps
	}
	return out
}

// tail returns the agent whose ended call was the last to write a path.
func (j *judge) tail(path string) string {
	for _, w := range slices.Backward(j.tree.state.Windows) {
		if w.Tail && slices.Contains(w.Says.Paths, path) {
			return w.Call.Agent
		}
	}
	return ""
}

// beforeAnswer reports whether the last change of a path was before the model got the result of the call.
func (j *judge) beforeAnswer(w *Window, path string) bool {
	changed, known := snapshot.Stamp(filepath.Join(j.tree.repo.WorkTree, filepath.FromSlash(path)))
	if !known {
		return false
	}
	end := j.seen.endTold(w)
	return changed.Before(end.Answered.Add(time.Millisecond)) // agents drop fractions of a millisecond
}

// A batch names the conversation or subagent whose calls have ended with all their hooks.
type batch struct {
	trace    events.TraceID
	subagent string
}

func (b *batch) has(c *Call) bool { return b != nil && c.Trace == b.trace && c.Subagent == b.subagent }

// endTails notes, after a look, that the agent of a boundary has continued.
func (j *judge) endTails(trace events.TraceID, b events.Boundary) {
	for _, w := range j.tree.state.Windows {
		if w.Tail && w.Call.Trace == trace && w.Call.Subagent == b.Subagent &&
			!slices.ContainsFunc(j.heard.closing, func(end ending) bool { return end.window == w }) {
			w.Tail = false
		}
	}
}

// afterHooks decides about a path that a program of a hook may have changed after the call. `ok` is false if no such
// program ran.
func (j *judge) afterHooks(f *file, seen int64) (decision, bool) {
	switch j.hooksAfter(f.path) {
	case surely:
		if len(writers(j.tree.state.Windows, f.path, seen)) == 0 {
			return always(nobody), true
		}
		return j.decideSince(f.path, seen), true
	case perhaps:
		if j.beside != nil && j.beside(j.tail(f.path)) {
			by := j.decideSince(f.path, seen)
			return func(line []byte) *actor { // such a program, or a person, may have added it
				if who := by(line); who.kind != events.OwnerHuman {
					return who
				}
				return &nobody
			}, true
		}
	case nothing:
	}
	return nil, false
}
