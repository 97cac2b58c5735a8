package trails

import (
	"os"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/trails/process"
	"github.com/git-trace/git-trace/trails/snapshot"
)

// A window is open while something that belongs to its call can still write, and no longer. Every look asks for the
// processes of each open window: the agent's process, which started the hooks, and the processes that the call left
// running. decide.go weighs the answers when a changed line gets its owner.

// bound holds the bounds in one step on the writes of an open window.
type bound struct {
	// why it may have ended before, or a person may have written what it could have; "" if nothing says so
	doubt   events.Limit
	silent  bool  // wrote is known
	partly  bool  // wrote is that of what goes on; something else that the call left running has ended
	apart   bool  // wrote is known since the call began (tellApart)
	afar    bool  // all that wrote works outside of the work tree
	wrote   int64 // at most so many bytes since everything was looked at last, or since the call began
	left    []process.Process
	printed []process.Output
	over    bool            // nothing is left that could write after this look
	began   time.Time       // before it the call waited for consent; zero if that is not known
	before  map[string]bool // paths that changed before that
	ended   time.Time       // the agent wrote down by then that the call was over; zero if that is not known
	lived   time.Time       // what the call left running was all seen alive then; zero if that is not known
	within  map[string]bool // paths that changed before either
	consent consent         // whether the call waits for that
	unbegun bool            // it is over, and may never have got it
}

// witness holds the facts at one moment about processes that may have written in a work tree since the last look.
type witness struct {
	*workTree
	settle  Settler
	beside  func(agent string) bool // see Engine
	caller  string                  // the session whose hook this is, "" for git's
	host    process.ID              // the process that called the hook
	sure    bool                    // which is the agent's
	closing []ending                // the windows that end now
	ended   *batch                  // whose calls, with all their hooks, have ended now
	bounds  map[*Window]*bound      // see askProcesses
	ends    map[*Window]End         // see endTold
	hosts   map[process.ID]process.State
	sizes   map[string]int64 // bytes that have to be written for the change of a path, see silent
	environ []byte           // of this process; nil until asked for
	// unreported is true if a conversation goes on that no hook reports: a change that no window explains may be its
	// work.
	unreported bool
}

func newWitness(tree *workTree, settle Settler, beside func(string) bool, caller string) *witness {
	s := &witness{workTree: tree, settle: settle, beside: beside, caller: caller}
	s.asks.Reported = func(path string) bool {
		tool, _ := s.reported(path)
		return tool != nil
	}
	return s
}

// forgotten is the time after which a call no longer counts as open, if its processes are unknown.
const forgotten = 24 * time.Hour

// askProcesses asks for the processes of each window that may still write, once in a step.
func (s *witness) askProcesses(at time.Time) {
	if s.bounds == nil {
		s.bounds = map[*Window]*bound{}
	}
	for _, w := range s.state.Windows {
		switch {
		case s.bounds[w] != nil:
		case len(w.Left) > 0 && w.Closed == 0:
			s.bounds[w] = s.askLeft(w)
		case len(w.Left) > 0: // paths that nobody looked at since may be the call's
			s.bounds[w] = &bound{over: true, lived: s.livedUntil(w)}
		case w.Closed != 0:
		default:
			s.bounds[w] = s.askHost(w, at)
			if s.bounds[w].consent == consentAwaited {
				s.endTold(w) // its shell may have come and gone
			}
		}
	}
}

// askHost asks for the agent of a call.
func (s *witness) askHost(w *Window, at time.Time) *bound {
	b := &bound{}
	state := s.hostState(w)
	switch {
	case state == process.Gone:
		b.doubt = events.LimitProcessGone
		b.left, b.printed, _ = process.Measure(w.processes(), s.repo.WorkTree)
		b.over = len(b.left) == 0
	case state == process.Alive || s.around(w):
	default:
		b.doubt = events.LimitProcessUnknown
		b.over = !w.Begun.IsZero() && at.Sub(w.Begun) > forgotten
	}
	if b.doubt == "" && w.Background && s.idle(w) {
		b.doubt = events.LimitProcessUnknown
	}
	b.consent = s.consentTo(w, state)
	return b
}

// askLeft asks for the processes that a call left running. The time at which they ended is unknown. A change while
// they were seen alive is the call's, and a later change may be a person's. For example a call leaves a build
// running, the build ends, and a person types before the agent does anything else.
func (s *witness) askLeft(w *Window) *bound {
	b := &bound{}
	b.left, b.printed, b.wrote, b.silent, b.partly = s.count(w)
	b.over = len(b.left) == 0
	b.afar = process.Elsewhere(b.left, s.repo.WorkTree)
	goesOn := !s.idle(w) && s.hostState(w) != process.Gone // its conversation, and with it the call
	if goesOn && (b.over || b.partly) {
		b.lived = s.livedUntil(w)
	}
	switch {
	case b.over:
		b.silent, b.partly = false, false
		b.doubt = events.LimitProcessGone
	case !goesOn:
		b.doubt = events.LimitBackgroundProcess
	}
	if !b.over && !b.partly {
		w.seenAlive()
	}
	return b
}

// seenAlive notes that all that a call left running lives.
func (w *Window) seenAlive() { w.Begun, w.Awake = time.Now(), process.Awake() }

// idle reports whether the agent of a window waits for the person.
func (s *witness) idle(w *Window) bool {
	sess := s.state.Sessions[w.Trace]
	return sess == nil || sess.Idle
}

// hostState returns the state of the agent's process. If the process is not certainly the agent, its end says
// nothing, since it may have stood between the agent and one hook. If it lives, the agent lives too, which waits
// for it.
func (s *witness) hostState(w *Window) process.State {
	state, asked := s.hosts[w.Host]
	if !asked {
		if s.hosts == nil {
			s.hosts = map[process.ID]process.State{}
		}
		state = w.Host.State()
		s.hosts[w.Host] = state
	}
	if !w.Sure && state == process.Gone {
		return process.Unknown
	}
	return state
}

// processes lists the living processes of a call.
func (w *Window) processes() []process.Process {
	found, _ := w.search().Left()
	return found
}

// seenBy describes the processes of a call to a hook of its agent, or to another process: the agent runs the hooks of
// others beside ours.
func (w *Window) seenBy(hook bool) process.Search {
	q := w.search()
	q.Hook = hook
	return q
}

// search describes the processes of a call.
func (w *Window) search() process.Search {
	return process.Search{Agent: w.Host, Since: w.Since, After: w.Opener, Session: w.Session, Mark: w.Mark}
}

// around reports whether this process was started by the call, as by a commit that it makes, and waited for.
func (s *witness) around(w *Window) bool {
	if process.Behind() {
		return false
	}
	if s.environ == nil {
		s.environ = []byte(strings.Join(append(os.Environ(), ""), "\x00"))
	}
	return process.Within(s.environ, w.Session, w.Mark)
}

// hearHost notes which process the hooks of a conversation come from. A program that stands between the agent and its
// hooks is another one at each: one that is met twice is the agent.
func (s *witness) hearHost(sess *sessionState, b events.Boundary) {
	s.host, s.sure = process.ID{}, false
	pid := b.Process
	if pid == 0 {
		pid = b.Parent
	}
	if pid == 0 {
		return
	}
	id := sess.Host
	if id.PID != pid || s.hosts[id] != process.Alive { // not asked in this step
		id = process.Of(pid)
	}
	if !id.Known() || b.Moment != 0 && id.Start > b.Moment { // it has ended since the boundary was put aside
		if id = process.Ended(pid); sess.Host.PID == pid {
			id = sess.Host
		}
	}
	if !id.Known() {
		return
	}
	if sess.Host != id {
		sess.Host, sess.Heard = id, 0
	}
	sess.Heard = min(sess.Heard+1, 2)
	s.host, s.sure = id, b.Process != 0 || sess.Heard > 1
	for _, w := range s.state.openWindows() {
		if w.Host == id && w.Session == sess.Session && w.Agent == sess.Agent {
			w.Sure = w.Sure || s.sure
		}
	}
}

// live takes back the doubt about the conversation's windows whose processes are unknown: its agent has just called
// a hook. At a session's start or a prompt, its windows may have ended, and the doubt stays.
func (s *witness) live(trace events.TraceID, b events.Boundary) {
	if b.Kind == events.SessionStart || b.Kind == events.PromptSubmit {
		return
	}
	for w, bound := range s.bounds {
		if w.Trace == trace && bound.doubt == events.LimitProcessUnknown && !w.Background {
			bound.doubt = ""
		}
	}
}

// leaveRunning keeps a window open whose call has ended and left something running.
func (s *step) leaveRunning(end *ending) {
	w := end.window
	if w.Class == events.ToolEdits || end.status != "done" && end.status != "failed" && end.status != "background" {
		return
	}
	var left []process.Process
	var printed []process.Output
	switch {
	case s.queue.glance != nil:
		left, printed = s.queue.glance.Left, s.queue.glance.Printed
	case s.hostState(w) == process.Alive:
		q := w.seenBy(s.caller != "")
		q.Over = end.status != "background"
		found, _ := q.Left()
		left, printed, _ = process.Measure(found, s.repo.WorkTree)
	}
	if len(left) == 0 {
		return
	}
	w.Left, w.Printed, w.Background = left, printed, true
	if s.queue.glance == nil {
		w.seenAlive()
	}
	end.status = "background"
}

// keepLeft notes the processes that windows left running, after a look at everything.
func (s *witness) keepLeft() {
	for w, b := range s.bounds {
		if w.Closed == 0 && len(b.left) > 0 {
			w.Left, w.Printed, w.Background = b.left, b.printed, true
		}
	}
}

// doubtGone returns the windows whose processes have ended since the last look: they are over with this step. It notes
// that they may have ended before the change.
func (s *witness) doubtGone() []*Window {
	var out []*Window
	for w, b := range s.bounds {
		if w.Closed != 0 {
			continue
		}
		if b.doubt == events.LimitProcessGone && !w.Doubt {
			w.Doubt, w.Why = true, b.doubt
		}
		if b.over {
			w.Rejected = w.Rejected || len(w.Left) == 0 && s.endTold(w).Outcome == OutcomeRejected
			out = append(out, w)
		}
	}
	slices.SortFunc(out, func(a, b *Window) int {
		return strings.Compare(string(a.Trace)+a.CallID,
			string(b.Trace)+b.CallID)
	})
	return out
}

// Agents write down how their calls ended. It is asked where a boundary does not come, or comes late.

// askTranscripts asks the agents' own records how the calls ended whose windows are open. Boundaries of their
// conversations ask by themselves (overdue); a person who refuses a call, or interrupts it, may commit before they say
// anything to the agent again. Returned are the calls that are over.
func (s *witness) askTranscripts() (over []*Window) {
	for _, w := range s.state.openWindows() {
		if w.Background || s.around(w) {
			continue
		}
		switch s.endTold(w).Outcome {
		case OutcomeRejected:
			w.Rejected = true
			over = append(over, w)
		case OutcomeRan:
			if s.bounds[w].ended.IsZero() {
				w.Doubt, w.Why = true, events.LimitMissingAfter
			} else {
				over = append(over, w)
			}
		case OutcomeUnknown:
		}
	}
	return over
}

// endTold asks the agent's own record once how a call ended. The call was under way until that moment, unless a
// process of it still lives.
func (s *witness) endTold(w *Window) End {
	if end, asked := s.ends[w]; asked {
		return end
	}
	end := s.settle.end(w)
	if s.ends == nil {
		s.ends = map[*Window]End{}
	}
	s.ends[w] = end
	b := s.bounds[w]
	if b != nil {
		b.hearEnd(w, end)
	}
	if b != nil && end.Outcome == OutcomeRan && end.At.After(w.Begun) && s.steady(w, s.time) && len(w.processes()) == 0 {
		b.ended = end.At.Add(-snapshot.Slack) // what was written right after may bear a time before
		if end.Finished {
			b.ended = end.At.Add(time.Millisecond) // what it wrote last, right before; agents cut off what is less than that
		}
	}
	return end
}

// hearFinish asks the agent's own record for the end of a command that is reported late: Codex reports a command
// that outlasts its call when the model asks for it again. A change in between belongs to nobody.
func (s *witness) hearFinish(w *Window) {
	if w.Class != events.ToolRuns || s.bounds == nil {
		return
	}
	b := s.bounds[w]
	if b == nil {
		b = &bound{}
		s.bounds[w] = b
	}
	if !s.endTold(w).Finished {
		b.ended = time.Time{}
	}
}

// toldEnd returns the end of a call by the agent's own record; zero if the record does not have it.
func (s *witness) toldEnd(w *Window) time.Time {
	if b := s.bounds[w]; b != nil && !w.Rejected && !w.Background {
		return b.ended.UTC()
	}
	return time.Time{}
}
