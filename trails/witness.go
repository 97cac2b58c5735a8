package trails

import (
	"os"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/process"
	"github.com/git-trace/git-trace/trails/snapshot"
)

// A window is open while something that belongs to its call can still write. Every look checks the processes of each
// open window: the agent's process, which started the hooks, and the processes that the call left running. decide.go
// uses the results when a changed line gets its owner.

// bound holds the known limits, in one step, on the writes of a call with an open window.
type bound struct {
	// why it may have ended before, or why a person may have written instead; "" without a reason
	doubt   events.Limit
	silent  bool  // wrote is known
	partly  bool  // wrote counts only the processes that continue; another process of the call has ended
	apart   bool  // wrote is known since the call began (tellApart)
	afar    bool  // all processes that wrote work outside of the work tree
	wrote   int64 // the largest possible number of bytes since the last full snapshot, or since the call began
	rest    leftover
	over    bool            // no process remains that could write after this look
	began   time.Time       // until then the call waited for consent; zero if unknown
	before  map[string]bool // paths that changed before that time
	ended   time.Time       // the time by which the agent had recorded the end of the call; zero if unknown
	lived   time.Time       // the last time at which all its remaining processes were seen alive; zero if unknown
	within  map[string]bool // paths that changed before ended or lived
	consent consent         // whether the call waits for consent
	unbegun bool            // the call is over, and may never have got consent
}

// `leftover` holds the processes that a call left running, and the files to which they print.
type leftover struct {
	left    []process.Process
	printed []process.Output
}

// witness holds the facts at one moment about processes that may have written in a work tree since the last look.
type witness struct {
	tree    *workTree
	settle  Settler
	caller  string             // the session that called this hook, "" for a hook of git
	bounds  map[*Window]*bound // see askProcesses
	ends    map[*Window]End    // see endTold
	hosts   map[process.ID]process.State
	sizes   map[string]int64 // the bytes that the change of a path needs, see silent
	environ []byte           // environment of this process; nil until it is needed
}

func newWitness(tree *workTree, settle Settler, caller string) *witness {
	return &witness{tree: tree, settle: settle, caller: caller}
}

// forgotten is the age from which a call without known processes no longer counts as open.
const forgotten = 24 * time.Hour

// askProcesses asks for the processes of each window that may still write, once in a step, and notes those that ended.
func (wit *witness) askProcesses(at time.Time) {
	if wit.bounds == nil {
		wit.bounds = map[*Window]*bound{}
	}
	for _, w := range wit.tree.state.Windows {
		switch {
		case wit.bounds[w] != nil:
		case len(w.Run.Left) > 0 && w.Closed == 0:
			wit.bounds[w] = wit.askLeft(w)
		case len(w.Run.Left) > 0: // changed paths that no look has seen since may be the call's
			wit.bounds[w] = &bound{over: true, lived: wit.livedUntil(w)}
		case w.Closed != 0:
		default:
			wit.bounds[w] = wit.askHost(w, at)
			if wit.bounds[w].consent == consentAwaited {
				wit.endTold(w) // its shell may have run and ended
			}
		}
	}
	wit.doubtGone()
}

// askHost checks the agent of a call.
func (wit *witness) askHost(w *Window, at time.Time) *bound {
	b := &bound{}
	state := wit.hostState(w)
	switch {
	case state == process.Gone:
		b.doubt = events.LimitProcessGone
		b.rest.left, b.rest.printed, _ = process.Measure(w.processes(), wit.tree.repo.WorkTree)
		b.over = len(b.rest.left) == 0
	case state == process.Alive || wit.around(w):
	default:
		b.doubt = events.LimitProcessUnknown
		b.over = !w.Run.Begun.IsZero() && at.Sub(w.Run.Begun) > forgotten
	}
	if b.doubt == "" && w.Run.Background && wit.idle(w) {
		b.doubt = events.LimitProcessUnknown
	}
	b.consent = wit.consentTo(w, state)
	return b
}

// askLeft checks the processes that a call left running. The time at which they ended is unknown. A change while they
// were seen alive is the call's, and a later change may be a person's. For example: a call leaves a build running, the
// build ends, and a person types before the agent acts again.
func (wit *witness) askLeft(w *Window) *bound {
	b := &bound{}
	b.rest.left, b.rest.printed, b.wrote, b.silent, b.partly = wit.count(w)
	b.over = len(b.rest.left) == 0
	b.afar = process.Elsewhere(b.rest.left, wit.tree.repo.WorkTree)
	goesOn := !wit.idle(w) && wit.hostState(w) != process.Gone // the conversation continues, and so may the call
	if goesOn && (b.over || b.partly) {
		b.lived = wit.livedUntil(w)
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

// seenAlive notes that all processes that a call left running live.
func (w *Window) seenAlive() { w.Run.Begun, w.Run.Awake = time.Now(), process.Awake() }

// `idle` reports whether the agent of a window waits for the person.
func (wit *witness) idle(w *Window) bool {
	sess := wit.tree.state.Sessions[w.Call.Trace]
	return sess == nil || sess.Idle
}

// hostState returns the state of the agent's process. If the process is not certainly the agent, its end is not
// evidence: it may have been a program between the agent and one hook. If it lives, the agent lives too, because the
// agent waits for it.
func (wit *witness) hostState(w *Window) process.State {
	state, asked := wit.hosts[w.Run.Host]
	if !asked {
		if wit.hosts == nil {
			wit.hosts = map[process.ID]process.State{}
		}
		state = w.Run.Host.State()
		wit.hosts[w.Run.Host] = state
	}
	if !w.Run.Sure && state == process.Gone {
		return process.Unknown
	}
	return state
}

// processes lists the living processes of a call.
func (w *Window) processes() []process.Process {
	found, _ := w.search().Left()
	return found
}

// seenBy describes the processes of a call for a hook of its agent, or for another process: the agent runs other hooks
// at the same time.
func (w *Window) seenBy(hook bool) process.Search {
	q := w.search()
	q.Hook = hook
	return q
}

// search describes the processes of a call.
func (w *Window) search() process.Search {
	return process.Search{
		Agent: w.Run.Host, Since: w.Run.Since, After: w.Run.Opener, Session: w.Call.Session, Mark: w.Run.Mark,
	}
}

// `around` reports whether the call started this process and waits for it, for example by a commit.
func (wit *witness) around(w *Window) bool {
	if process.Behind() {
		return false
	}
	if wit.environ == nil {
		wit.environ = []byte(strings.Join(append(os.Environ(), ""), "\x00"))
	}
	return process.Within(wit.environ, w.Call.Session, w.Run.Mark)
}

// CalledByAgent reports whether an agent started this process: an ancestor is the agent of a known conversation of the
// work tree, or the environment has an agent's mark. A process that cannot be read may be an agent.
func CalledByAgent(repo *refs.Repo) bool {
	known, err := loadState(repo)
	if err != nil {
		return true
	}
	environ := []byte(strings.Join(append(os.Environ(), ""), "\x00"))
	for _, one := range known.Sessions {
		if process.Ancestor(one.From.Host.PID) || process.Within(environ, one.Session, "") {
			return true
		}
	}
	return slices.ContainsFunc(known.Windows, func(w *Window) bool {
		return process.Ancestor(w.Run.Host.PID) || process.Within(environ, w.Call.Session, w.Run.Mark)
	})
}

// hearHost notes the process that runs the hooks of a conversation. A program between the agent and its hooks is a new
// process each time, so a process that runs two hooks is the agent.
func (hr *hearer) hearHost(sess *sessionState, b events.Boundary) {
	hr.heard.host, hr.heard.sure = process.ID{}, false
	pid := b.Process
	if pid == 0 {
		pid = b.Parent
	}
	if pid == 0 {
		return
	}
	id := sess.From.Host
	if id.PID != pid || hr.seen.hosts[id] != process.Alive { // its state was not read in this step
		id = process.Of(pid)
	}
	if !id.Known() || b.Moment != 0 && id.Start > b.Moment { // it has ended since the boundary was put aside
		if id = process.Ended(pid); sess.From.Host.PID == pid {
			id = sess.From.Host
		}
	}
	if !id.Known() {
		return
	}
	if sess.From.Host != id {
		sess.From.Host, sess.From.Heard = id, 0
	}
	sess.From.Heard = min(sess.From.Heard+1, 2)
	hr.heard.host, hr.heard.sure = id, b.Process != 0 || sess.From.Heard > 1
	for _, w := range hr.tree.state.openWindows() {
		if w.Run.Host == id && w.Call.Session == sess.Session && w.Call.Agent == sess.Agent {
			w.Run.Sure = w.Run.Sure || hr.heard.sure
		}
	}
}

// `live` removes the doubt about the conversation's windows whose processes are unknown: its agent has just called a
// hook. At a session's start or a prompt, its windows may have ended, and the doubt stays.
func (wit *witness) live(trace events.TraceID, b events.Boundary) {
	if b.Kind == events.SessionStart || b.Kind == events.PromptSubmit {
		return
	}
	for w, bound := range wit.bounds {
		if w.Call.Trace == trace && bound.doubt == events.LimitProcessUnknown && !w.Run.Background {
			bound.doubt = ""
		}
	}
}

// leaveRunning keeps a window open if its call has ended and left processes running.
func (hr *hearer) leaveRunning(end *ending) {
	w := end.window
	if w.Call.Class == events.ToolEdits || end.status != "done" && end.status != "failed" && end.status != "background" {
		return
	}
	var left []process.Process
	var printed []process.Output
	switch {
	case hr.queue.glance != nil:
		left, printed = hr.queue.glance.Left, hr.queue.glance.Printed
	case hr.seen.hostState(w) == process.Alive:
		q := w.seenBy(hr.seen.caller != "")
		q.Over = end.status != "background"
		found, _ := q.Left()
		left, printed, _ = process.Measure(found, hr.tree.repo.WorkTree)
	}
	if len(left) == 0 {
		return
	}
	w.Run.Left, w.Run.Printed, w.Run.Background = left, printed, true
	if hr.queue.glance == nil {
		w.seenAlive()
	}
	end.status = "background"
}

// keepLeft notes the processes that windows left running, after a full snapshot.
func (wit *witness) keepLeft() {
	for w, b := range wit.bounds {
		if w.Closed == 0 && len(b.rest.left) > 0 {
			w.Run.Left, w.Run.Printed, w.Run.Background = b.rest.left, b.rest.printed, true
		}
	}
}

// doubtGone returns the windows whose processes have all ended since the last look: they end with this step. It notes
// that they may have ended before the change.
func (wit *witness) doubtGone() []*Window {
	var out []*Window
	for w, b := range wit.bounds {
		if w.Closed != 0 {
			continue
		}
		if b.doubt == events.LimitProcessGone && !w.Doubt {
			w.Doubt, w.Why = true, b.doubt
		}
		if b.over {
			w.Rejected = w.Rejected || len(w.Run.Left) == 0 && wit.endTold(w).Outcome == OutcomeRejected
			out = append(out, w)
		}
	}
	slices.SortFunc(out, func(a, b *Window) int {
		return strings.Compare(string(a.Call.Trace)+a.Call.ID,
			string(b.Call.Trace)+b.Call.ID)
	})
	return out
}

// Agents record how their calls ended. This evidence is used if a boundary is missing or late.

// gone also asks the agents' own records how the calls with open windows ended. Boundaries of these conversations ask
// anyway (overdue). But a person who refuses a call, or interrupts it, may commit before they say anything to the agent
// again. It returns the calls that are over.
func (wit *witness) gone() []*Window {
	over := wit.doubtGone()
	for _, w := range wit.tree.state.openWindows() {
		if w.Run.Background || wit.around(w) {
			continue
		}
		switch wit.endTold(w).Outcome {
		case OutcomeRejected:
			w.Rejected = true
			over = append(over, w)
		case OutcomeRan:
			if wit.bounds[w].ended.IsZero() {
				w.Doubt, w.Why = true, events.LimitMissingAfter
			} else {
				over = append(over, w)
			}
		case OutcomeUnknown:
		}
	}
	return over
}

// endTold reads once in the agent's own record how a call ended. The end does not count while a process of the call
// lives.
func (wit *witness) endTold(w *Window) End {
	if end, asked := wit.ends[w]; asked {
		return end
	}
	end := wit.settle.end(w)
	if wit.ends == nil {
		wit.ends = map[*Window]End{}
	}
	wit.ends[w] = end
	b := wit.bounds[w]
	if b != nil {
		b.hearEnd(w, end)
	}
	if b != nil && end.Outcome == OutcomeRan && end.At.After(w.Run.Begun) && wit.steady(w, wit.tree.time) &&
		len(w.processes()) == 0 {
		b.ended = end.At.Add(-snapshot.Slack) // a write right after that may have an earlier time stamp
		if end.Finished {
			b.ended = end.At.Add(time.Millisecond) // its last write came right before that; agents drop fractions
		}
	}
	return end
}

// hearFinish reads the agent's own record for the end of a command that is reported late. Codex reports such a command,
// which outlasts its call, only when the model asks for it again. A change in between has no owner.
func (wit *witness) hearFinish(w *Window) {
	if w.Call.Class != events.ToolRuns || wit.bounds == nil {
		return
	}
	b := wit.bounds[w]
	if b == nil {
		b = &bound{}
		wit.bounds[w] = b
	}
	if !wit.endTold(w).Finished {
		b.ended = time.Time{}
	}
}

// toldEnd returns the end of a call from the agent's own record; zero if the record does not have it.
func (wit *witness) toldEnd(w *Window) time.Time {
	if b := wit.bounds[w]; b != nil && !w.Rejected && !w.Run.Background {
		return b.ended.UTC()
	}
	return time.Time{}
}
