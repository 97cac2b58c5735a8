package installer

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/hookfile"
)

// ErrForeign reports a file with git-trace's name that another program wrote.
var ErrForeign = errors.New("the file was not written by git-trace")

// Settings holds entries in a settings file that others use too.
type Settings struct {
	Entries func() []hookfile.Entry // entries of the settings; not called in hooks
	Ours    hookfile.Ours
	// Comments is true if the agent accepts comments in the file.
	Comments bool
}

// Timeout is the number of seconds after which an agent stops a hook. A hook needs far less.
const Timeout = 10

// In returns the settings for an agent with another form of handlers.
func (s Settings) In(form hookfile.Form) Settings {
	grouped := s.Entries
	s.Entries = func() []hookfile.Entry {
		list := grouped()
		for i := range list {
			list[i].Form, list[i].Matcher = form, ""
		}
		return list
	}
	return s
}

// Commented returns the settings for an agent that accepts comments in the file.
func (s Settings) Commented() Settings {
	s.Comments = true
	return s
}

// `readable` returns an error if the agent cannot read a document.
func (s Settings) readable(doc []byte) error {
	if s.Comments {
		return nil
	}
	return hookfile.Strict(doc)
}

// Hooks returns the settings for an agent whose hooks have the form of Claude Code's: an entry for each event. The
// entries for tools match every tool, because an unlisted tool may write.
func Hooks(env capability.Env, agent string, timeout int, events func() []string) Settings {
	entries := func() (list []hookfile.Entry) {
		for _, event := range events() {
			entry := hookfile.Entry{Event: event, Command: hookfile.Command(env.Binary, agent, event), Timeout: timeout}
			if ofTool(event) {
				entry.Matcher = "*"
			}
			list = append(list, entry)
		}
		return list
	}
	return Settings{Entries: entries, Ours: Ours(env.Binary, agent)}
}

// ofTool reports whether an event concerns a tool call, so that its entry names the tools.
func ofTool(event string) bool {
	return strings.Contains(event, "ToolUse") || strings.HasSuffix(event, "Tool") || event == "PermissionRequest"
}

// Install adds the entries.
func (s Settings) Install(doc []byte) ([]byte, []string, error) {
	if err := s.readable(doc); err != nil {
		return nil, nil, err
	}
	return hookfile.Install(doc, s.Entries(), s.Ours)
}

// Remove removes the entries.
func (s Settings) Remove(doc []byte) ([]byte, []string, error) {
	if err := s.readable(doc); err != nil {
		return nil, nil, err
	}
	return hookfile.Remove(doc, s.Ours)
}

// Inspect compares the document with the entries.
func (s Settings) Inspect(doc []byte) (hookfile.State, error) {
	if err := s.readable(doc); err != nil {
		return hookfile.State{}, err
	}
	return hookfile.Inspect(doc, s.Entries(), s.Ours)
}

// afterTool lists the events of all agents after an edit, at which a formatter may run.
var afterTool = []string{"PostToolUse", "AfterTool", "afterFileEdit"}

// `foreign` returns other programs' hooks that run after a tool.
func (s Settings) foreign(doc []byte) []capability.ForeignHook {
	handlers, _ := hookfile.Locate(doc, func(command string) bool { return !s.Ours(command) })
	var out []capability.ForeignHook
	for _, h := range handlers {
		if slices.Contains(afterTool, h.Event) {
			out = append(out, capability.ForeignHook{Event: h.Event, Command: h.Command})
		}
	}
	return out
}

// OwnFile is a whole file of git-trace's own: a plugin, or a settings file that the agent reads in addition to others.
type OwnFile struct {
	Content []byte   // the expected content
	Events  []string // the events that it reports
	// Command returns the command line with which a file, of any version, calls git-trace; false for other programs'
	// files.
	Command func(doc []byte) (string, bool)
}

// Install returns the expected content, unless the file belongs to another program.
func (o OwnFile) Install(doc []byte) ([]byte, []string, error) {
	switch {
	case bytes.Equal(doc, o.Content):
		return doc, nil, nil
	case doc != nil && !o.ours(doc):
		return nil, nil, ErrForeign
	}
	return o.Content, o.Events, nil
}

// Remove deletes the file if it belongs to git-trace.
func (o OwnFile) Remove(doc []byte) ([]byte, []string, error) {
	if doc == nil || !o.ours(doc) {
		return doc, nil, nil
	}
	return nil, o.Events, nil
}

// Inspect returns the state of the file: missing, stale, or present if it has the expected content. A file of another
// program is an error.
func (o OwnFile) Inspect(doc []byte) (hookfile.State, error) {
	switch {
	case doc == nil:
		return hookfile.State{Missing: o.Events}, nil
	case !o.ours(doc):
		return hookfile.State{}, ErrForeign
	}
	command, _ := o.Command(doc)
	state := hookfile.State{Stale: o.Events, Commands: []string{command}}
	if bytes.Equal(doc, o.Content) {
		state.Present, state.Stale = o.Events, nil
	}
	return state, nil
}

func (o OwnFile) ours(doc []byte) bool {
	_, ours := o.Command(doc)
	return ours
}

// commandMark begins the line of an agent's plugin that contains the hook command.
const commandMark = "// command: "

// reporting is the part of the plugins that reports an event to git-trace and waits for it. It needs spawn.
//
//go:embed report.js
var reporting []byte

// Program returns a plugin that an agent loads. In its source, @REPORT@ is replaced with the function report(event,
// fields), @PROGRAM@ with the path of the program, @AGENT@ with the name of the agent, and @COMMAND@ with the hook
// command.
func Program(source []byte, binary, agent string, events []string) OwnFile {
	literal, _ := json.Marshal(binary) // JSON strings are valid in JavaScript
	content := bytes.ReplaceAll(source, []byte("@REPORT@\n"), reporting)
	content = bytes.ReplaceAll(content, []byte("@PROGRAM@"), literal)
	content = bytes.ReplaceAll(content, []byte("@AGENT@"), []byte(agent))
	content = bytes.ReplaceAll(content, []byte("@COMMAND@"), []byte(hookfile.Command(binary, agent, "EVENT")))
	return OwnFile{Content: content, Events: events, Command: commandBehind(commandMark, Ours(binary, agent))}
}
