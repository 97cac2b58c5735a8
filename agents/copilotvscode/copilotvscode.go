// Package copilotvscode reads the conversations of Copilot in VS Code.
//
// The editor keeps the chats of a workspace below its storage, workspaceStorage/<hash>/chatSessions: <id>.json is one
// document with a list of requests, and <id>.jsonl, of newer versions, a journal of changes of such a document. The
// extension keeps a transcript of events beside them, GitHub.copilot-chat/transcripts/<id>.jsonl; where a chat is in
// both the document counts. workspace.json tells the directory.
//
// A request has the user's prompt and, in the metadata of its result, one round for each answer of the model, with its
// calls. Older ones have only the displayed parts: texts, names of tools, and edits. The session has no tokens, and
// single answers have no times.
//
// The editor runs hooks, among them the hooks of Copilot CLI and of Claude Code; git-trace installs none for it yet.
package copilotvscode

import (
	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/toolcall"
)

// Name is the agent's name in events and records.
const Name = "copilot-vscode"

func New(env capability.Env) capability.Agent {
	files := sessions{env}
	return capability.Agent{
		Name: Name, Title: "Copilot in VS Code", Parser: files.parser(), Discoverer: files, Identifier: files,
		Program: "code",
	}
}

// tools lists the tools of Copilot that change files.
var tools = toolcall.Tools{
	"read_file": toolcall.Reads, "create_file": toolcall.Writes, "replace_string_in_file": toolcall.Replaces,
	"multi_replace_string_in_file": toolcall.Replaces, "apply_patch": toolcall.Patches, "run_in_terminal": toolcall.Runs,
}
