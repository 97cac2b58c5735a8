package capability

import (
	"os"
	"time"

	"github.com/git-trace/git-trace/events"
)

// Agent is a coding agent with its capabilities. A missing capability is nil.
type Agent struct {
	Name       string // the name in `git trace hook NAME EVENT` and in events: "claude-code"
	Title      string // the name for people: "Claude Code"
	Decoder    PayloadDecoder
	Installer  HookInstaller
	Trust      HookTrust
	Parser     SessionParser
	Discoverer SessionDiscoverer
	Identifier SessionIdentifier
	Resumer    Resumer
	Copier     Copier // nil if a part of a session cannot become a session
	Traits     Traits
	Tested     string // the newest version of which the tests have session files; "" if the files do not name it
	// Program is the name of the agent's command. Dir is the absolute path of its directory for settings or sessions. If
	// one of them exists, the agent is used on this machine. Both may be "".
	Program, Dir string
	// Skills is the directory in a project in which the agent looks for skills; it also looks in "skills" below Dir. It is
	// "" if the agent has no known skills.
	Skills string
	// Kept returns how long the agent keeps an unchanged session file; it is nil if the agent deletes none.
	Kept func() time.Duration
	// Stands holds names of files that represent their directory: other files in it are parts or copies of the session.
	// The first one that exists is used.
	Stands []string
	// InProject is true if the agent stores sessions in the project: the discoverer then needs a directory.
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

// PayloadDecoder decodes the payloads of an agent's hooks.
type PayloadDecoder interface {
	// Events returns the agent's names of the hook events that are boundaries.
	Events() []string
	// Decode decodes the payload of one hook call. For an event that is not a boundary, it returns no boundary and no
	// error.
	Decode(event string, payload []byte) ([]events.Boundary, error)
	// Settle finds the end of a tool call whose after-boundary is missing.
	Settle(call Call) End
}

// Call is a tool call whose window is still open.
type Call struct {
	Transcript string // the absolute path of the session file, from the boundary
	Subagent   string // the agent's id of the subagent that made the call; "" for the main conversation
	CallID     string
	Class      events.ToolClass
	Background bool // the call has a result, but its program continued in the background: has it ended?
}

// The end of a call, according to the agent's own data.
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
