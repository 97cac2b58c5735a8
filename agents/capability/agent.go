package capability

import (
	"os"
	"time"

	"github.com/git-trace/git-trace/events"
)

// Agent is one coding agent with its capabilities. A missing capability is nil.
type Agent struct {
	Name       string // as in `git trace hook NAME EVENT` and in events: "claude-code"
	Title      string // as people write it: "Claude Code"
	Decoder    PayloadDecoder
	Installer  HookInstaller
	Trust      HookTrust
	Parser     SessionParser
	Discoverer SessionDiscoverer
	Identifier SessionIdentifier
	Resumer    Resumer
	Copier     Copier // nil if a part of a session cannot be made a session
	Traits     Traits
	Tested     string // the newest version whose session files the tests hold; "" where these do not tell the version
	// Program is the agent's own program, as it is called; Dir the directory, absolute, in which it keeps its settings.
	// Where one of them is found the agent is used on this machine. Both are empty for an agent that has neither.
	Program, Dir string
	// Kept returns the time for which the agent keeps a session file that is not written to; nil if it deletes none.
	Kept func() time.Duration
	// Stands are names of files that stand for their directory: what lies beside one is a part of its
	// session, or another copy of it. The first that is there counts.
	Stands []string
	// InProject is true if sessions lie in the project itself: the discoverer needs a directory.
	InProject bool
}

// Found reports whether the agent is used on this machine.
func (a Agent) Found(env Env) bool {
	if a.Dir != "" {
		if info, err := os.Stat(a.Dir); err == nil && info.IsDir() {
			return true
		}
	}
	return a.Program != "" && env.findProgram(a.Program) != ""
}

// PayloadDecoder reads the payloads of an agent's hooks.
type PayloadDecoder interface {
	// Events lists the agent's own names of the hook events that carry a boundary.
	Events() []string
	// Decode reads the payload of one hook call. An event that is not a boundary gives neither a boundary nor an
	// error.
	Decode(event string, payload []byte) ([]events.Boundary, error)
	// Settle finds the end of a tool call whose after-boundary never came.
	Settle(call Call) End
}

// End describes the end of a call in an agent's own record.
type End struct {
	Outcome Outcome
	At      time.Time // when that was written down, by the clock of the machine; zero if it is not told
	Unbegun bool      // the same is written down of a call that was refused: it may never have begun
	// Finished is true if a command ended by itself.
	Finished bool
	// Answered is the time at which the model got the result, after all hooks of the call; zero if unknown.
	Answered time.Time
}

// Call names a tool call whose window is still open.
type Call struct {
	Transcript string // absolute path of the session file, as its boundary reported it
	Subagent   string // the agent's id of the subagent that made the call, "" for the main conversation
	CallID     string
	Class      events.ToolClass
	Background bool // the call has a result already and went on in the background: the question is whether it has ended
}

// Outcome is the fate of a tool call. The zero value is OutcomeUnknown.
type Outcome int

// The outcomes of a call. A call that was interrupted has run: its changes stay.
const (
	OutcomeUnknown  Outcome = iota // no evidence, or evidence that does not split the two
	OutcomeRan                     // it ran, in full or in part
	OutcomeRejected                // it never ran: refused by the user, by a rule or by another hook
)

// String returns the outcome as one word.
func (o Outcome) String() string {
	switch o {
	case OutcomeRan:
		return "ran"
	case OutcomeRejected:
		return "rejected"
	case OutcomeUnknown:
	}
	return "unknown"
}
