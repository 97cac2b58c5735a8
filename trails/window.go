package trails

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/trails/process"
)

// Window is a tool call between its before-boundary and its after-boundary, as the state of the work tree keeps it.
type Window struct {
	Trace    events.TraceID
	Agent    string
	Session  string
	Subagent string
	CallID   string
	Print    string // of a call to which the agent gave no id
	Tool     string
	Class    events.ToolClass
	Model    string
	Prompt   int
	Step     int
	// Paths are the declared paths, relative to the work tree.
	Paths []string
	// Names are the keys (nameKey) of the files that the call's command line names.
	Names []string
	// Edits are the declared texts, kept only while the window is open.
	Edits []declared
	// Opened is the interval number of the before-boundary.
	Opened int64
	// Closed is the interval number of the after-boundary; 0 while the window is open.
	Closed int64
	// Background marks a call that goes on after its after-boundary; TaskID is the agent's name of the task.
	Background bool
	TaskID     string
	Transcript string
	// Host is the agent's process; Sure is true if it is certainly the agent. Since is when the call's first hook
	// started, in the units of the system. Begun is the same by the clock, or when what the call left running was last
	// seen alive. Mark is the mark of the boundary that opened the window.
	Host  process.ID
	Sure  bool
	Since int64
	Begun time.Time
	Mark  string
	// Opener is the process that opened the window.
	Opener int
	// Awake is the time that the system had been awake at Begun, in nanoseconds; 0 if unknown.
	Awake int64
	// Asked is the time at which the agent asked for consent to the call, as long as its answer has no known time.
	Asked time.Time
	// Left are the processes of the call after its end, and Printed the file that they print to, both at the last look
	// at everything.
	Left    []process.Process
	Printed []process.Output
	Limits  []events.Limit
	// Doubt marks a window that may have ended: a lost boundary may have been its end.
	Doubt bool
	// Said holds the texts that the call wrote where git does not look (sayings.go), kept until it does.
	Said []saying
	// Tail is true if no boundary of the agent has come since the call ended: hooks of the user may still work on its
	// files (formatters.go).
	Tail bool
	// Why says what is known of that.
	Why events.Limit
	// Wrote is the interval in which a line was first given to the call; 0 for none.
	Wrote int64
	// Rejected marks a call that never ran; it owns nothing.
	Rejected bool

	payload []declared // what the boundary at hand says, whatever its size
}

// declared is a window's word about one path: the texts of its edits, or the whole contents.
type declared struct {
	Path   string
	Old    string
	New    string
	Before *string
	After  *string
	Exact  bool
	// Proposed is the agent's text, if a person changed it before they let the tool write.
	Proposed *string
	// typed are the lines of Before that an editor saw a person type.
	typed []events.LineRun
	at    *events.Place
}

// size returns the number of bytes of its text.
func (d *declared) size() int {
	n := len(d.Old) + len(d.New)
	for _, whole := range []*string{d.Before, d.After, d.Proposed} {
		if whole != nil {
			n += len(*whole)
		}
	}
	return n
}

// same reports whether the window belongs to the same tool call.
func (w *Window) same(trace events.TraceID, callID string) bool {
	return w.Trace == trace && w.CallID == callID
}

// call returns the window of the call that a boundary names; nil if there is none. Some agents name another session
// at a call's end than at its beginning, so the id of the call is enough.
func (s *state) call(trace events.TraceID, b events.Boundary) *Window {
	var elsewhere *Window
	for _, w := range s.Windows {
		switch {
		case w.same(trace, b.Tool.CallID):
			return w
		case w.Closed == 0 && w.Agent == b.Agent && w.CallID == b.Tool.CallID && w.Print == "":
			elsewhere = w
		}
	}
	return elsewhere
}

// mayWrite reports whether the call could have written the path: an edit tool writes only the paths that it
// declares.
func (w *Window) mayWrite(p string) bool {
	if w.Class != events.ToolEdits {
		return true
	}
	return slices.ContainsFunc(w.Paths, func(d string) bool {
		return d == p || strings.HasPrefix(p, d+"/")
	})
}

// named reports whether the call said that it is about the path: an edit tool always does, a shell where its command
// line has the name.
func (w *Window) named(p string) bool {
	return w.Class == events.ToolEdits || slices.Contains(w.Names, nameKey(p))
}

// nameKey returns the key of a path relative to the work tree. A path from a command line may be a secret, and is
// not kept.
func nameKey(p string) string {
	print := events.FingerprintOf([]byte(p))
	return string(print[:])
}

// declares returns the edits that the window declared for the path.
func (w *Window) declares(p string) []declared {
	var out []declared
	edits := w.payload
	if edits == nil {
		edits = w.Edits
	}
	for _, d := range edits {
		if d.Path == p {
			out = append(out, d)
		}
	}
	return out
}

// candidate names the window in an event.
func (w *Window) candidate() events.CandidateData {
	return events.CandidateData{
		Trace: w.Trace, Agent: w.Agent, Session: w.Session, Subagent: w.Subagent, ToolCall: w.CallID,
	}
}

// writers returns the windows that could have written the path since interval seen, when it was last looked at:
// open windows, and windows closed later than seen.
func writers(windows []*Window, p string, seen int64) []*Window {
	var out []*Window
	for _, w := range windows {
		if w.Rejected || w.Closed != 0 && w.Closed <= seen {
			continue
		}
		if w.mayWrite(p) {
			out = append(out, w)
		}
	}
	return out
}

// inside makes an absolute path relative to the work tree root; ok is false for a path outside of it or in .git.
// Both are clean absolute paths with symlinks of their directories resolved.
func inside(root, abs string) (string, bool) {
	if root == "" || !strings.HasPrefix(abs, root+"/") {
		return "", false
	}
	rel := path.Clean(abs[len(root)+1:])
	first, _, _ := strings.Cut(rel, "/")
	if rel == "." || strings.EqualFold(first, ".git") {
		return "", false
	}
	return rel, true
}
