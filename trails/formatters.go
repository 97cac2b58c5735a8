package trails

import (
	"bytes"
	"path/filepath"
	"slices"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/snapshot"
)

// Agents run programs of their user after an edit, of which the most usual is a formatter: hooks beside git-trace's
// own, at the same time or after it. What such a program does to the file that was just edited comes after the call's
// end, with no call open. Where the client says that all hooks of its calls have ended (events.ToolsEnd), no person had
// the time to save in between: lines that are the same but for their form keep the owners they had, and the others,
// which the program made up, are nobody's. Codex writes down what it told the model, once all hooks have ended: what
// changed before is the hooks' work. Where the client does not say so, a person may have been at it, who changed the
// form of the agent's lines: those are nobody's. New lines are nobody's too where hooks of others stand in the agent's
// settings; elsewhere they are the person's as ever. So is what differs from a line of the agent's in white space at
// most: where it is that line it keeps its owner (vector.Space), and where it is not, as a brace typed anew, it says
// nothing.

// afterwards tells what may have been done to a path by such a program.
type afterwards int

const (
	nothing afterwards = iota
	perhaps            // a person had the time too
	surely
)

// hooksAfter tells whether a call that wrote the path has ended, and no boundary of its agent has come since but this
// one.
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

// tail is the agent whose call wrote a path last and ended.
func (s *witness) tail(path string) string {
	for _, w := range slices.Backward(s.state.Windows) {
		if w.Tail && slices.Contains(w.Paths, path) {
			return w.Agent
		}
	}
	return ""
}

// beforeAnswer tells whether a path changed last before the model was told what its call had done.
func (s *witness) beforeAnswer(w *Window, path string) bool {
	changed, known := snapshot.Stamp(filepath.Join(s.repo.WorkTree, filepath.FromSlash(path)))
	if !known {
		return false
	}
	end := s.endTold(w)
	return changed.Before(end.Answered.Add(time.Millisecond)) // agents cut off what is less than that
}

// batch is whose calls have ended with all their hooks.
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

// afterHooks is the change of a path to which a program may have been put after the call; ok is false where none was.
func (s *witness) afterHooks(f *file, seen int64) (segment, bool) {
	after := s.hooksAfter(f.path)
	if after == nothing || f.old.whole || f.new.whole || f.new.oid.IsZero() {
		return segment{}, false
	}
	forms := reformed(f.old.lines, f.new.lines)
	by := s.decideSince(f.path, seen)
	if after == surely {
		if len(writers(s.state.Windows, f.path, seen)) == 0 {
			by = always(nobody)
		}
		return segment{from: f.old, to: f.new, decide: by, forms: forms}, true
	}
	seg := segment{from: f.old, to: f.new, decide: by, doubtful: map[int]bool{}}
	for line, was := range forms {
		if was >= 0 && f.vec.At(was).Kind == events.OwnerAI &&
			!bytes.Equal(linediff.StripSpace(f.new.lines[line]), linediff.StripSpace(f.old.lines[was])) {
			seg.doubtful[line] = true
		}
	}
	if s.beside != nil && s.beside(s.tail(f.path)) {
		for line, was := range forms { // such a program may have added it, or a person
			seg.doubtful[line] = seg.doubtful[line] || was < 0
		}
	}
	return seg, len(seg.doubtful) > 0
}

// form is what is left of a line without what formatters change: white space, quotation marks, semicolons, commas.
func form(line []byte) []byte {
	out := make([]byte, 0, len(line))
	for i, c := range line {
		if c == '\\' && i+1 < len(line) && (line[i+1] == '"' || line[i+1] == '\'') {
			continue
		}
		if bytes.IndexByte([]byte(" \t\r\v\f'\";,"), c) < 0 {
			out = append(out, c)
		}
	}
	return out
}

// reformed says of each new line which old one it is in another form; -1 stands for none. Lines that were joined or
// wrapped are compared several together, all others one by one.
func reformed(old, latest [][]byte) []int {
	was, is := make([][]byte, len(old)), make([][]byte, len(latest))
	for i, l := range old {
		was[i] = form(l)
	}
	out := make([]int, len(latest))
	for i, l := range latest {
		is[i], out[i] = form(l), -1
	}
	from, to := 0, 0
	equal := func(until int) {
		for ; to < until; from, to = from+1, to+1 {
			if len(is[to]) > 0 {
				out[to] = from
			}
		}
	}
	for _, h := range linediff.Diff(was, is, linediff.Options{}).Hunks {
		equal(h.NewStart)
		rewrapped(was, is, h, out)
		from, to = h.OldStart+h.OldCount, h.NewStart+h.NewCount
	}
	equal(len(is))
	return out
}

// rewrapped pairs the lines of a hunk whose text, put together, is the same: from its beginning on, as far as that
// goes.
func rewrapped(was, is [][]byte, h linediff.Hunk, out []int) {
	i, j := h.OldStart, h.NewStart
	endOld, endNew := i+h.OldCount, j+h.NewCount
	for i < endOld && j < endNew {
		first, line := i, j
		before, after := slices.Clone(was[i]), slices.Clone(is[j])
		for !bytes.Equal(before, after) {
			switch {
			case len(before) <= len(after) && bytes.HasPrefix(after, before) && i+1 < endOld:
				i++
				before = append(before, was[i]...)
			case len(after) < len(before) && bytes.HasPrefix(before, after) && j+1 < endNew:
				j++
				after = append(after, is[j]...)
			default:
				return
			}
		}
		i, j = i+1, j+1
		at, end := first, len(was[first]) // the old line in which a new one begins
		for begin := 0; line < j; line++ {
			for begin >= end && at+1 < i {
				at++
				end += len(was[at])
			}
			out[line] = at
			begin += len(is[line])
		}
	}
}
