package installer

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/hookfile"
	"github.com/git-trace/git-trace/agents/userfile"
)

// Place is the location of a target's hooks.
type Place struct {
	Path string // the absolute path of the file
	Root string // the directory that already exists: the home directory or the root of the work tree
	Made string // for a file of the user: the list of directories that were made for it
	// Ignored is the path, relative to Root and with slashes, of a personal file in the work tree; "" for all other files.
	Ignored string
	// Rule lists the files of the ignore rule, if there are more than this one. Ruled is true if another file of the agent
	// has the rule.
	Rule  []string
	Ruled bool
	// OnlyAtTop is true if the agent reads the file only when it is started in the root of the work tree.
	OnlyAtTop bool
}

// Format makes the content of the file. Its functions are pure; a nil document means a missing file.
type Format interface {
	// Install returns the document with git-trace's part, and the events whose entries changed.
	Install(doc []byte) (out []byte, changed []string, err error)
	// Remove returns the document without git-trace's part, nil if nothing else remains, and the events that had an entry.
	Remove(doc []byte) (out []byte, changed []string, err error)
	// Inspect describes git-trace's part of the document.
	Inspect(doc []byte) (hookfile.State, error)
}

// Installer is the installer for one agent.
type Installer struct {
	Env    capability.Env
	Agent  string // the name in hook commands
	Title  string // the name in messages
	Format Format
	// User is the user's directory for the agent, an absolute path. Repo is the directory in a work tree. File is the path
	// of the file below both.
	User, Repo, File string
	OnlyAtTop        bool // the agent reads the file in a work tree only when it is started in its root
	// Own returns the location of a target's file, for an agent with other places; otherwise it is nil.
	Own func(capability.Target) (Place, error)
	// Refuse returns an error if nothing may be installed at a target.
	Refuse func(capability.Target) error
	// Obstacles and DisabledBy return, for Status, other reasons why the hooks of a target do not run; both may be nil.
	Obstacles  Obstacles
	DisabledBy func(capability.Target) []string
}

// Obstacles returns reasons why the hooks of a target do not run.
type Obstacles func(context.Context, capability.Target) ([]capability.Obstacle, error)

// Untrusted reports an obstacle in a work tree that the user does not trust.
func Untrusted(trusts func(dir string) bool, one capability.Obstacle) Obstacles {
	return func(_ context.Context, target capability.Target) ([]capability.Obstacle, error) {
		if target.Scope == capability.ScopeUser || trusts(target.Repo.WorkTree) {
			return nil, nil
		}
		return []capability.Obstacle{one}, nil
	}
}

var _ capability.HookInstaller = (*Installer)(nil)

// Plan returns the actions that Install would take.
func (in *Installer) Plan(ctx context.Context, target capability.Target) ([]capability.Action, error) {
	p, err := in.prepare(ctx, target)
	return p.Actions(), err
}

// Install writes git-trace's part, after the ignore rule.
func (in *Installer) Install(ctx context.Context, target capability.Target) ([]capability.Action, error) {
	p, err := in.prepare(ctx, target)
	if err != nil {
		return nil, err
	}
	return p.apply()
}

func (in *Installer) prepare(ctx context.Context, target capability.Target) (p plan, err error) {
	err = in.prepareInto(ctx, &p, target)
	return p, err
}

// prepareInto adds the actions of Install to a plan.
func (in *Installer) prepareInto(ctx context.Context, p *plan, target capability.Target) error {
	if err := checkBinary(in.Env.Binary); err != nil {
		return err
	}
	if in.Refuse != nil {
		if err := in.Refuse(target); err != nil {
			return err
		}
	}
	place, file, err := in.open(target)
	if err != nil {
		return err
	}
	data, changed, err := in.Format.Install(file.Data)
	if err != nil {
		return in.explain(place.Path, err)
	}
	if place.Ignored != "" {
		if err := in.prepareRule(ctx, p, target, place); err != nil {
			return err
		}
	}
	if len(changed) > 0 {
		p.add(file, data, place, capability.Action{Events: changed})
	}
	return nil
}

// Remove removes git-trace's part, of any version, and the ignore rule.
func (in *Installer) Remove(_ context.Context, target capability.Target) ([]capability.Action, error) {
	place, file, err := in.open(target)
	if err != nil {
		return nil, err
	}
	data, changed, err := in.Format.Remove(file.Data)
	if err != nil {
		return nil, in.explain(place.Path, err)
	}
	var p plan
	if len(changed) > 0 {
		if data == nil && file.Linked() { // a link without a target would be worse than a link to empty settings
			data = []byte("{}\n")
		}
		p.add(file, data, place, capability.Action{Events: changed})
	}
	if place.Ignored != "" && !place.Ruled {
		if err := in.removeRule(&p, target, place); err != nil {
			return nil, err
		}
	}
	return p.apply()
}

// Status returns the state of the hooks, and the obstacles to running them.
func (in *Installer) Status(ctx context.Context, target capability.Target) (capability.Status, error) {
	place, err := in.Place(target)
	if err != nil {
		return capability.Status{}, err
	}
	status := capability.Status{Settings: place.Path, OnlyAtTop: place.OnlyAtTop}
	file, err := in.read(target, place)
	if err != nil {
		return status, err
	}
	state, err := in.Format.Inspect(file.Data)
	if err != nil {
		return status, in.explain(place.Path, err)
	}
	status.Present, status.Missing, status.Stale = state.Present, state.Missing, state.Stale
	if settings, shared := in.Format.(Settings); shared {
		status.Foreign = settings.foreign(file.Data)
	}
	status.Installed = len(state.Missing) == 0 && len(state.Stale) == 0
	if len(state.Commands) > 0 {
		status.Binary, _, _, _ = hookfile.ParseCommand(state.Commands[0])
		_, err := exec.LookPath(status.Binary)
		status.BinaryFound = err == nil
	}
	if in.DisabledBy != nil {
		status.DisabledBy = in.DisabledBy(target)
	}
	if in.Obstacles != nil && len(state.Present)+len(state.Stale) > 0 {
		status.Obstacles, err = in.Obstacles(ctx, target)
	}
	return status, err
}

func (in *Installer) open(target capability.Target) (Place, userfile.File, error) {
	place, err := in.Place(target)
	if err != nil {
		return Place{}, userfile.File{}, err
	}
	file, err := in.read(target, place)
	return place, file, err
}

// read returns the content of a target's file. Anybody may have made the files of a work tree, so a link that leads out
// of it is not followed.
func (in *Installer) read(target capability.Target, place Place) (file userfile.File, err error) {
	if target.Scope == capability.ScopeUser {
		file, err = userfile.Read(place.Path)
	} else {
		file, err = userfile.ReadIn(place.Root, place.Path)
	}
	if err != nil {
		hint := "mend the file, or choose other settings with --global or --project-settings"
		if errors.Is(err, userfile.ErrOutside) {
			hint = "nothing is written through it: replace the link by a directory, " +
				"or install for the user with `git trace init --global`"
		}
		return file, &capability.InstallError{Code: capability.CodeSettingsUnreadable, Message: "read " + place.Path,
			Err: err, Hint: hint}
	}
	return file, nil
}

func (in *Installer) explain(path string, err error) error {
	e := &capability.InstallError{
		Code: capability.CodeSettingsInvalid, Message: "read " + path, Err: err,
		Hint: "mend the file and try again; " + in.Title + " cannot read it either, and nothing was changed",
	}
	switch {
	case errors.Is(err, ErrForeign):
		e.Code, e.Hint = capability.CodeSettingsShape, "move the file away and try again; nothing was changed"
	case errors.Is(err, hookfile.ErrShape):
		e.Code = capability.CodeSettingsShape
	}
	return e
}

// Ours returns a test for a command in a settings file: does it call this program for the agent, whatever its path?
func Ours(binary, agent string) hookfile.Ours {
	return func(command string) bool {
		program, name, _, ok := hookfile.ParseCommand(command)
		if !ok || name != agent {
			return false
		}
		base := strings.TrimSuffix(program[strings.LastIndexAny(program, `/\`)+1:], ".exe")
		return program == binary || base == "git-trace" || base == capability.HookProgram || program == "git"
	}
}

// OthersOnly reports whether a file exists that has no git-trace hook command for an agent, in any form.
func OthersOnly(path, agent string) bool {
	file, err := userfile.Read(path)
	return err == nil && file.Data != nil && !strings.Contains(string(file.Data), " hook "+agent+" ")
}

// checkBinary rejects a path that cannot be written in a settings file or a shell command.
func checkBinary(path string) error {
	if path == capability.HookProgram ||
		filepath.IsAbs(path) && utf8.ValidString(path) && !strings.ContainsAny(path, "\x00\n\r") {
		return nil
	}
	return &capability.InstallError{
		Code: capability.CodeBinary, Message: fmt.Sprintf("the program's path %q cannot stand in a hook command", path),
		Hint: "install git-trace under an absolute path of plain text",
	}
}
