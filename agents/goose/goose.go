// Package goose reads the sessions of Goose.
//
// Newer versions store all sessions in one SQLite database, ~/.local/share/goose/sessions/sessions.db, with a row for
// each session and a row for each message. Older versions store a file of JSON lines for each session in the same
// directory: a line about the session, then a line for each message. Messages have the same form in both.
//
// Single answers have no token counts. A session has one, in which the prompts' tokens include the cache. Times are in
// whole seconds.
//
// Goose has no hooks that git-trace could install.
package goose

import (
	"path/filepath"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/toolcall"
)

// Name is the agent's name in events and records.
const Name = "goose"

func New(env capability.Env) capability.Agent {
	files := sessions{env}
	return capability.Agent{
		Name: Name, Title: "Goose", Parser: files.parser(), Discoverer: files, Identifier: files,
		Program: "goose", Dir: files.root(),
		Resumer: capability.ResumeBy{"goose", "session", "--resume", "--session-id"},
	}
}

// root returns the directory of the sessions.
func (s sessions) root() string {
	if app := s.env.Lookup("APPDATA"); app != "" {
		return filepath.Join(app, "Block", "goose", "data", "sessions")
	}
	return filepath.Join(s.env.DataDir(), "goose", "sessions")
}

// tools lists tools of Goose, with their effects on files.
var tools = toolcall.Tools{
	"developer__shell": toolcall.Runs, "shell": toolcall.Runs,
	"developer__text_editor": toolcall.Edits, "text_editor": toolcall.Edits,
	"developer__write": toolcall.Writes, "write": toolcall.Writes, "developer__edit": toolcall.Replaces,
	"edit": toolcall.Replaces,
}
