// Package continuecli reads the sessions of Continue, both its command line and its editor extensions.
//
// A session is one JSON document, ~/.continue/sessions/<id>.json, with a history of messages; it is rewritten with each
// change. The message with the calls also has their results. There are no times, and only the whole session has token
// counts; the prompts' tokens do not include the cache.
//
// git-trace installs no hooks in Continue.
package continuecli

import (
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
	return s.env.Dir("CONTINUE_GLOBAL_DIR", ".continue")
}

// tools lists tools of Continue, with their effects on files.
var tools = toolcall.Tools{
	"Read": toolcall.Reads, "read_file": toolcall.Reads, "builtin_read_file": toolcall.Reads,
	"Write": toolcall.Writes, "create_new_file": toolcall.Writes, "builtin_create_new_file": toolcall.Writes,
	"Edit": toolcall.Replaces, "MultiEdit": toolcall.Replaces, "single_find_and_replace": toolcall.Replaces,
	"multi_edit": toolcall.Replaces, "Bash": toolcall.Runs, "run_terminal_command": toolcall.Runs,
	"builtin_run_terminal_command": toolcall.Runs,
}
