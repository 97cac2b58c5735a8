package trails

import (
	"path/filepath"
	"slices"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/trails/snapshot"
)

// Agents run programs of their user after an edit, most often a formatter: hooks beside git-trace's own, at the
// same time or after it. What such a program does to the file that was just edited comes after the call's end, with
// no call open. Lines that differ only in form keep their owners, whoever ran it (package vector). The other lines
// are the program's. Where the client says that all hooks of its calls have ended (events.ToolsEnd), no person had
// the time to save in between, and such lines are nobody's. Codex records the result for the model once all hooks
// have ended: a change before that is the hooks' work. Otherwise a person may have written them. Then such lines
// are nobody's if the agent's settings have other hooks, and the person's if not.

// afterwards says whether such a program may have changed a path.
type afterwards int

const (
	nothing afterwards = iota
	perhaps            // a person had the time too
	surely
)

// hooksAfter reports whether a call that wrote the path has ended, and no boundary of its agent has come since but
// this one.
func (s *witness) hooksAfter(path string) afterwards {
	out := nothing
	for _, w := range s.state.Windows {
		if !w.Tail || !slices.Contains(w.Paths, path) || slices.ContainsFunc(s.closing,
			func(end ending) bool { return end.window == w }) {
			continue
		}
		if s.ended != nil && w.Trace == s.ended.trace && w.Subagent == s.ended.subagent || s.beforeAnswer(w, path) {
			return surely
		}
		out = perhaps
	}
	return out
}

// tail returns the agent whose call wrote a path last and ended.
func (s *witness) tail(path string) string {
	for _, w := range slices.Backward(s.state.Windows) {
		if w.Tail && slices.Contains(w.Paths, path) {
			return w.Agent
		}
	}
	return ""
}

// beforeAnswer reports whether a path changed last before the model got the result of the call.
func (s *witness) beforeAnswer(w *Window, path string) bool {
	changed, known := snapshot.Stamp(filepath.Join(s.repo.WorkTree, filepath.FromSlash(path)))
	if !known {
		return false
	}
	end := s.endTold(w)
	return changed.Before(end.Answered.Add(time.Millisecond)) // agents cut off what is less than that
}

// batch names the conversation or subagent whose calls have ended with all their hooks.
type batch struct {
	trace    events.TraceID
	subagent string
}

// endTails notes, after a look, that the agent of a boundary goes on.
func (s *witness) endTails(trace events.TraceID, b events.Boundary) {
	for _, w := range s.state.Windows {
		if w.Tail && w.Trace == trace && w.Subagent == b.Subagent &&
			!slices.ContainsFunc(s.closing, func(end ending) bool { return end.window == w }) {
			w.Tail = false
		}
	}
}

// afterHooks decides about a path that such a program may have changed after the call. ok is false if no such
// program ran.
func (s *witness) afterHooks(f *file, seen int64) (decision, bool) {
	switch s.hooksAfter(f.path) {
	case surely:
		if len(writers(s.state.Windows, f.path, seen)) == 0 {
			return always(nobody), true
		}
		return s.decideSince(f.path, seen), true
	case perhaps:
		if s.beside != nil && s.beside(s.tail(f.path)) {
			by := s.decideSince(f.path, seen)
			return func(line []byte) *actor { // such a program may have added it, or a person
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
