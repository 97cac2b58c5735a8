package claudecode

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/hookfile"
	"github.com/git-trace/git-trace/agents/userfile"
)

// hookTimeout is after how many seconds Claude ends a hook. The handler is done long before; without a limit of its own
// the hook of SessionEnd is ended after about a second.
const hookTimeout = 10

// hookEvents are the events that get an entry. StopFailure, PostCompact and CwdChanged are decoded but not asked for:
// clients from before early 2026 do not know them, and such a client skips the whole settings file, the user's own
// settings with it. What the three tell is known without them: the next prompt or the session's end closes a failed turn,
// PreCompact comes before PostCompact, and every payload has the current directory.
var hookEvents = [...]string{
	"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop", "SubagentStart",
	"SubagentStop", "PreCompact", "SessionEnd",
}

// entries are the hooks as they shall be. Tool events match every tool: a tool that no list knows may write, a pattern that
// spares the readers would have to be a negative one, and a hook for a reader is over in a few milliseconds.
func (c *Client) entries() []hookfile.Entry {
	list := make([]hookfile.Entry, len(hookEvents))
	for i, event := range hookEvents {
		list[i] = hookfile.Entry{Event: event, Command: hookfile.Command(c.env.Binary, Name, event), Timeout: hookTimeout}
		if strings.Contains(event, "ToolUse") {
			list[i].Matcher = "*"
		}
	}
	return list
}

// ours tells whether a command of a settings file calls this program for this agent, wherever the program lies or lay.
func (c *Client) ours(command string) bool {
	binary, agent, _, ok := hookfile.ParseCommand(command)
	if !ok || agent != Name {
		return false
	}
	base := binary[strings.LastIndexAny(binary, `/\`)+1:]
	return binary == c.env.Binary || base == "git-trace" || base == "git-trace.exe" || binary == "git"
}

// change is one file to write: to nil, for deletion, or to a content.
type change struct {
	file   userfile.File
	data   []byte
	action capability.Action
}

// Plan lists what Install would do.
func (c *Client) Plan(ctx context.Context, target capability.Target) ([]capability.Action, error) {
	changes, err := c.prepare(ctx, target)
	return actions(changes), err
}

// Install puts the entries into the settings file, and for personal settings the ignore rule before them.
func (c *Client) Install(ctx context.Context, target capability.Target) ([]capability.Action, error) {
	changes, err := c.prepare(ctx, target)
	if err != nil {
		return nil, err
	}
	return apply(changes)
}

func (c *Client) prepare(ctx context.Context, target capability.Target) ([]change, error) {
	if err := checkBinary(c.env.Binary); err != nil {
		return nil, err
	}
	path, err := c.settingsPath(target)
	if err != nil {
		return nil, err
	}
	file, err := readSettings(path)
	if err != nil {
		return nil, err
	}
	data, changed, err := hookfile.Install(file.Data, c.entries(), c.ours)
	if err != nil {
		return nil, settingsError(path, err)
	}
	var changes []change
	if target.Scope == capability.ScopeRepo {
		rule, err := prepareExclude(ctx, target)
		if err != nil {
			return nil, err
		}
		changes = append(changes, rule...)
	}
	if len(changed) > 0 {
		changes = append(changes, change{file, data, action(file, data, changed, "")})
	}
	return changes, nil
}

func prepareExclude(ctx context.Context, target capability.Target) ([]change, error) {
	wanted, err := wantsExclude(ctx, localRoot(target.Repo))
	if err != nil || !wanted {
		return nil, err
	}
	file, err := readExclude(target.Repo)
	if err != nil {
		return nil, err
	}
	if _, there := dropExclude(file.Data); there {
		return nil, nil // a rule of the user's takes the file back in; that is their choice
	}
	data := addExclude(file.Data)
	return []change{{file, data, action(file, data, nil, "ignore "+localPattern)}}, nil
}

// Remove takes out the entries of any version, and the ignore rule.
func (c *Client) Remove(_ context.Context, target capability.Target) ([]capability.Action, error) {
	path, err := c.settingsPath(target)
	if err != nil {
		return nil, err
	}
	file, err := readSettings(path)
	if err != nil {
		return nil, err
	}
	data, changed, err := hookfile.Remove(file.Data, c.ours)
	if err != nil {
		return nil, settingsError(path, err)
	}
	var changes []change
	if len(changed) > 0 {
		if data == nil && file.Linked() { // a link to nothing would be worse than one to empty settings
			data = []byte("{}\n")
		}
		changes = append(changes, change{file, data, action(file, data, changed, "")})
	}
	if target.Scope == capability.ScopeRepo {
		rules, err := readExclude(target.Repo)
		if err != nil {
			return nil, err
		}
		if data, found := dropExclude(rules.Data); found {
			changes = append(changes, change{rules, data, action(rules, data, nil, "no longer ignore "+localPattern)})
		}
	}
	return apply(changes)
}

func action(file userfile.File, data []byte, events []string, detail string) capability.Action {
	a := capability.Action{Op: capability.OpUpdate, Path: file.Path, Events: events, Detail: detail}
	switch {
	case file.Data == nil:
		a.Op = capability.OpCreate
	case data == nil:
		a.Op = capability.OpDelete
	}
	return a
}

func actions(changes []change) []capability.Action {
	list := make([]capability.Action, 0, len(changes))
	for _, change := range changes {
		list = append(list, change.action)
	}
	return list
}

// apply writes the changes in order and lists those that were done.
func apply(changes []change) ([]capability.Action, error) {
	for i, change := range changes {
		var err error
		if change.data == nil {
			err = change.file.Delete()
		} else {
			err = change.file.Replace(change.data)
		}
		if err != nil {
			return actions(changes[:i]), &capability.InstallError{
				Code: capability.CodeSettingsUnwritable, Message: "write " + change.file.Path, Err: err,
				Hint: "check the permissions of the file and its directory, and try again",
			}
		}
	}
	return actions(changes), nil
}

func readSettings(path string) (userfile.File, error) {
	file, err := userfile.Read(path)
	if err != nil {
		return file, &capability.InstallError{
			Code: capability.CodeSettingsUnreadable, Message: "read " + path, Err: err,
			Hint: "mend the file, or choose other settings with --global or --project-settings",
		}
	}
	return file, nil
}

func settingsError(path string, err error) error {
	e := &capability.InstallError{
		Code: capability.CodeSettingsInvalid, Message: "read " + path, Err: err,
		Hint: "mend the file and try again; Claude Code cannot read it either, and nothing was changed",
	}
	if errors.Is(err, hookfile.ErrShape) {
		e.Code = capability.CodeSettingsShape
	}
	return e
}

// checkBinary refuses a path that a settings file or a shell could not carry.
func checkBinary(path string) error {
	if filepath.IsAbs(path) && utf8.ValidString(path) && !strings.ContainsAny(path, "\x00\n\r") {
		return nil
	}
	return &capability.InstallError{
		Code: capability.CodeBinary, Message: fmt.Sprintf("the program's path %q cannot stand in a hook command", path),
		Hint: "install git-trace under an absolute path of plain text",
	}
}
