package trails

import (
	"slices"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/trails/process"
)

// Two shell calls that run at once may both have written a change. If the processes of one have written fewer bytes
// than the change has, the other wrote it: for example, one waits for a server while the other writes `a.txt`. If all
// of them wrote fewer bytes, a person or a service may have made the change: its owner is unknown.

// wellBegun is the least running time of a call's shell: the agent starts other programs too, such as hooks when a call
// ends.
const wellBegun = time.Second

// tellApart counts the bytes of calls that run at the same time. After a call's shell has ended, this is impossible. It
// is also impossible for two calls of one agent process.
func (s *witness) tellApart() {
	for _, w := range s.state.openWindows() {
		b := s.bounds[w]
		if b == nil || b.doubt != "" || b.consent != consentGiven || !s.atWork(w) ||
			slices.ContainsFunc(s.state.openWindows(), func(o *Window) bool {
				return o != w && o.Host == w.Host && s.atWork(o)
			}) {
			continue
		}
		b.wrote, b.apart = written(w)
	}
}

// atWork reports whether a call that may write anywhere continues after this boundary.
func (s *witness) atWork(w *Window) bool {
	return w.Class != events.ToolEdits && !w.Rejected && !w.Background && len(w.Left) == 0 && !s.endsHere(w)
}

// shellAtWork reports whether a call goes on whose processes may be asked: while others are open, or one that ran a
// command.
func (s *witness) shellAtWork() bool {
	n, runs := 0, false
	for _, w := range s.state.openWindows() {
		if w.Class != events.ToolEdits && !w.Rejected {
			n++
			runs = runs || w.Class == events.ToolRuns && s.atWork(w)
		}
	}
	return n > 1 || runs
}

// written returns the number of bytes that the processes of a call can have written; known is false if its shell is not
// among them.
func written(w *Window) (n int64, known bool) {
	found, _, known := process.Measure(w.processes(), "")
	shell := false
	for _, p := range found {
		n += p.Wrote // those of children that have ended count with their parents'
		shell = shell || p.Parent == w.Host.PID && p.Age() >= wellBegun
	}
	return n, known && shell
}

// wroteEnough drops the calls that wrote fewer bytes than the change of a path. A tool without a command may let
// another process write: it is dropped only if another call is left.
func (s *witness) wroteEnough(able []*Window, path string) []*Window {
	size, known := s.sizes[path]
	if !known {
		return able
	}
	commands := true
	rest := slices.DeleteFunc(slices.Clone(able), func(w *Window) bool {
		b := s.bounds[w]
		commands = commands && w.Class == events.ToolRuns
		return b != nil && b.apart && b.wrote < size
	})
	if len(rest) == 0 && !commands {
		return able
	}
	return rest
}
