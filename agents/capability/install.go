package capability

import (
	"context"

	"github.com/git-trace/git-trace/refs"
)

// HookInstaller adds git-trace's entries to an agent's hook settings and removes them.
type HookInstaller interface {
	// Plan returns the actions that Install would take now; none if the target is up to date.
	Plan(ctx context.Context, target Target) ([]Action, error)
	// Install brings the target up to date and returns its actions.
	Install(ctx context.Context, target Target) ([]Action, error)
	// Remove removes everything that Install added, in any version and with any path of the program, and returns its
	// actions.
	Remove(ctx context.Context, target Target) ([]Action, error)
	// Status returns the state of the target, without changing anything.
	Status(ctx context.Context, target Target) (Status, error)
}

// Scope says to which sessions the hooks of a target apply.
type Scope string

// The scopes of a target.
const (
	ScopeUser    Scope = "user"    // every session of this user, in any directory
	ScopeRepo    Scope = "repo"    // this user's sessions in one repository, in files that are never committed
	ScopeProject Scope = "project" // everybody's sessions in a project, through settings that the project commits
)

// Target is a place for hooks.
type Target struct {
	Scope Scope
	Repo  *refs.Repo // repository with a work tree; not needed for ScopeUser
}

// Op is the kind of an Action.
type Op string

// The kinds of actions on a file.
const (
	OpCreate Op = "create"
	OpUpdate Op = "update"
	OpDelete Op = "delete"
)

// Action is a change of one file.
type Action struct {
	Op     Op       `json:"op"`
	Path   string   `json:"path"`
	Events []string `json:"events,omitempty"` // the hook events whose entries change
	Detail string   `json:"detail,omitempty"` // a description of a change that is not about entries of hook events
}

// Status is the state of the hooks of a target.
type Status struct {
	Installed bool     `json:"installed"`             // every entry exists and none is stale
	Settings  string   `json:"settings"`              // the path of the settings file
	OnlyAtTop bool     `json:"only_at_top,omitempty"` // read only if the agent is started at the work tree's root
	Present   []string `json:"present,omitempty"`
	Missing   []string `json:"missing,omitempty"`
	// Stale holds the events whose entry calls another path of the program, may not run, or may run without the agent
	// waiting for it.
	Stale []string `json:"stale,omitempty"`
	// Binary is the program that the entries call; BinaryFound reports whether it exists and is executable.
	Binary      string `json:"binary,omitempty"`
	BinaryFound bool   `json:"binary_found"`
	// DisabledBy are settings files that disable all hooks of the agent.
	DisabledBy []string `json:"disabled_by,omitempty"`
	// Obstacles holds other reasons why existing entries do not run.
	Obstacles []Obstacle `json:"obstacles,omitempty"`
	// Foreign holds other programs' hooks in the same file that run after a tool and may change the tool's files.
	Foreign []ForeignHook `json:"foreign,omitempty"`
}

// ForeignHook is a hook of another program in the agent's settings.
type ForeignHook struct {
	Event   string `json:"event"`
	Command string `json:"command"`
}

// Obstacle is a reason why installed hooks do not run.
type Obstacle struct {
	What string `json:"what"` // the reason in lower case, a sentence without a full stop
	Mend string `json:"mend"` // a command or another action that removes the obstacle
	// Untrusted is true if the agent waits until its user allows the hooks.
	Untrusted bool `json:"untrusted,omitempty"`
}

// HookTrust is an agent's list of the hooks that its user allows. It is changed only with the user's consent.
type HookTrust interface {
	// Ask describes, in a few lines for the user, the consent that Allow needs.
	Ask(target Target) string
	// Allow records the consent for git-trace's current hooks of a target, and for no others.
	Allow(ctx context.Context, target Target) ([]Action, error)
}

// InstallCode is a reason why hooks could not be installed or removed.
type InstallCode string

// The reasons that callers may check for.
const (
	CodeSettingsInvalid    InstallCode = "settings_invalid"    // the file is not in a format that the agent reads
	CodeSettingsShape      InstallCode = "settings_shape"      // the right format, but hooks are in another place
	CodeSettingsUnreadable InstallCode = "settings_unreadable" // cannot be read
	CodeSettingsUnwritable InstallCode = "settings_unwritable" // cannot be written
	CodeSettingsTracked    InstallCode = "settings_tracked"    // personal settings that the repository tracks
	CodeTarget             InstallCode = "bad_target"          // the agent has no such place for hooks
	CodeBinary             InstallCode = "bad_binary"          // the program's path cannot be used in a hook command
)

// InstallError is a failed installation or removal; all its changes were undone.
type InstallError struct {
	Code    InstallCode
	Message string // the failure in lower case
	Hint    string // advice for the user
	Err     error  // the cause, if that is another error
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
