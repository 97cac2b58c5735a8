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
	Tested     string // the newest version whose session files the tests have; "" if these do not name the version
	// Program is the name of the agent's command. Dir is the absolute path of its directory of settings or of sessions.
	// If one of them exists, the agent is used on this machine. An agent may have neither.
	Program, Dir string
	// Skills is the directory of a project in which the agent searches skills; it also searches "skills" below Dir. It
	// is empty for an agent without known skills.
	Skills string
	// Kept returns how long the agent keeps an unchanged session file; nil if it deletes none.
	Kept func() time.Duration
	// Stands are names of files that represent their directory: files beside one are parts of its session, or other
	// copies of it. The first existing one counts.
	Stands []string
	// InProject is true if sessions are in the project itself: the discoverer needs a directory.
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
	// Decode reads the payload of one hook call. For an event that is not a boundary it returns no boundary and no error.
	Decode(event string, payload []byte) ([]events.Boundary, error)
	// Settle finds the end of a tool call whose after-boundary never came.
	Settle(call Call) End
}

// Call names a tool call whose window is still open.
type Call struct {
	Transcript string // absolute path of the session file, as its boundary reported it
	Subagent   string // the agent's id of the subagent that made the call, "" for the main conversation
	CallID     string
	Class      events.ToolClass
	Background bool // the call has a result, and its program continued in the background: has it ended?
}

// The end of a call, according to an agent's own record.
type (
	End     = events.CallEnd
	Outcome = events.CallOutcome
)

// The outcomes of a tool call.
const (
	OutcomeUnknown  = events.OutcomeUnknown
	OutcomeRan      = events.OutcomeRan
	OutcomeRejected = events.OutcomeRejected
)
