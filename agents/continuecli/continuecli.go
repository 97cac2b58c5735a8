// Package continuecli reads the sessions of Continue, of its command line and of its extensions for editors.
//
// A session is one JSON document, ~/.continue/sessions/<id>.json, that is rewritten with each change: a history of
// messages. The message with the calls has their results. It has no times, and only the whole session has a count of
// tokens; the tokens of the prompts do not include the cache.
//
// git-trace installs no hooks there.
package continuecli

import (
	"cmp"
	"path/filepath"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/toolcall"
)

// Name is the agent's name in events and records.
const Name = "continue"

func New(env capability.Env) capability.Agent {
	files := sessions{env}
	return capability.Agent{
		Name: Name, Title: "Continue", Parser: files.parser(), Discoverer: files, Identifier: files,
		Program: "cn", Dir: files.root(),
	}
}

func (s sessions) root() string {
	return cmp.Or(s.env.Lookup("CONTINUE_GLOBAL_DIR"), filepath.Join(s.env.Home, ".continue"))
}

// tools lists the tools of Continue that change files.
var tools = toolcall.Tools{
	"Read": toolcall.Reads, "read_file": toolcall.Reads, "builtin_read_file": toolcall.Reads,
	"Write": toolcall.Writes, "create_new_file": toolcall.Writes, "builtin_create_new_file": toolcall.Writes,
	"Edit": toolcall.Replaces, "MultiEdit": toolcall.Replaces, "single_find_and_replace": toolcall.Replaces,
	"multi_edit": toolcall.Replaces, "Bash": toolcall.Runs, "run_terminal_command": toolcall.Runs,
	"builtin_run_terminal_command": toolcall.Runs,
}
