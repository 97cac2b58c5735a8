package capability

import (
	"context"

	"github.com/git-trace/git-trace/refs"
)

// HookInstaller puts git-trace's entries into an agent's hook settings and takes them out again.
type HookInstaller interface {
	// Plan lists the actions that Install would do now; the list is empty for an installed target.
	Plan(ctx context.Context, target Target) ([]Action, error)
	// Install brings the target up to date and lists its actions.
	Install(ctx context.Context, target Target) ([]Action, error)
	// Remove removes everything that Install put in, of any version and any path of the program, and lists its actions.
	Remove(ctx context.Context, target Target) ([]Action, error)
	// Status reports the state of the target, without changing anything.
	Status(ctx context.Context, target Target) (Status, error)
}

// Scope says whose sessions the hooks of a target see.
type Scope string

// The scopes of a target.
const (
	ScopeUser    Scope = "user"    // every session of this user, in any directory
	ScopeRepo    Scope = "repo"    // this user's sessions in one repository, in files that are never committed
	ScopeProject Scope = "project" // everybody's sessions in a project, through settings that the project commits
)

// Target is one place for hooks.
type Target struct {
	Scope Scope
	Repo  *refs.Repo // with a work tree; not needed for ScopeUser
}

// Op is the kind of an Action.
type Op string

// The actions of an installer on a file.
const (
	OpCreate Op = "create"
	OpUpdate Op = "update"
	OpDelete Op = "delete"
)

// Action is one change of a file.
type Action struct {
	Op     Op       `json:"op"`
	Path   string   `json:"path"`
	Events []string `json:"events,omitempty"` // the hook events whose entries change
	Detail string   `json:"detail,omitempty"` // what changes when it is not entries of hook events
}

// Status is the health of the hooks of a target.
type Status struct {
	Installed bool     `json:"installed"`             // every entry is present and none is stale
	Settings  string   `json:"settings"`              // path of the settings file
	OnlyAtTop bool     `json:"only_at_top,omitempty"` // read only where the agent is started at the top of the work tree
	Present   []string `json:"present,omitempty"`
	Missing   []string `json:"missing,omitempty"`
	// Stale are the events whose entry calls another path of the program, or can be kept from running or from being waited
	// for.
	Stale []string `json:"stale,omitempty"`
	// Binary is the program that the entries call; BinaryFound reports whether it is there and executable.
	Binary      string `json:"binary,omitempty"`
	BinaryFound bool   `json:"binary_found"`
	// DisabledBy are settings files that switch off every hook of the agent.
	DisabledBy []string `json:"disabled_by,omitempty"`
	// Obstacles are other reasons why entries that are there do not run.
	Obstacles []Obstacle `json:"obstacles,omitempty"`
	// Foreign are other programs' hooks in the same file that run after a tool, and may change the tool's files.
	Foreign []ForeignHook `json:"foreign,omitempty"`
}

// ForeignHook is a hook that somebody else has put among the agent's.
type ForeignHook struct {
	Event   string `json:"event"`
	Command string `json:"command"`
}

// Obstacle keeps installed hooks from running.
type Obstacle struct {
	What string `json:"what"` // lower case, a sentence without full stop
	Mend string `json:"mend"` // a command, or another action
	// Untrusted is true if the agent waits for its user to allow the hooks.
	Untrusted bool `json:"untrusted,omitempty"`
}

// HookTrust is an agent's record of the hooks that its user allows. It changes only with the user's consent.
type HookTrust interface {
	// Ask describes, in a few lines for the user, the consent that Allow needs.
	Ask(target Target) string
	// Allow records the consent for our present hooks of a target, and for no others.
	Allow(ctx context.Context, target Target) ([]Action, error)
}

// InstallCode names a reason why hooks could not be installed or removed.
type InstallCode string

// The reasons that callers may branch on.
const (
	CodeSettingsInvalid    InstallCode = "settings_invalid"    // not the format the agent reads
	CodeSettingsShape      InstallCode = "settings_shape"      // the right format, but hooks are not where they must be
	CodeSettingsUnreadable InstallCode = "settings_unreadable" // cannot be read
	CodeSettingsUnwritable InstallCode = "settings_unwritable" // cannot be written
	CodeSettingsTracked    InstallCode = "settings_tracked"    // personal settings that the repository tracks
	CodeTarget             InstallCode = "bad_target"          // the agent has no such place for hooks
	CodeBinary             InstallCode = "bad_binary"          // the program's path is impossible in a hook command
)

// InstallError is a failed installation or removal, with all its changes undone.
type InstallError struct {
	Code    InstallCode
	Message string // lower case, what failed
	Hint    string // advice to the user
	Err     error  // the cause, if another error is
}

// Error returns the message and its cause.
func (e *InstallError) Error() string {
	if e.Err == nil {
		return e.Message
	}
	return e.Message + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *InstallError) Unwrap() error { return e.Err }
