// Package copilotvscode reads the conversations of Copilot in VS Code.
//
// The editor keeps the chats of a workspace below its storage, workspaceStorage/<hash>/chatSessions: <id>.json is one
// document with a list of requests, and <id>.jsonl, of newer versions, a journal of changes of such a document. The
// extension keeps a transcript of events beside them, GitHub.copilot-chat/transcripts/<id>.jsonl; where a chat is in
// both the document counts. workspace.json has the directory.
//
// A request has the user's prompt and, in the metadata of its result, one round for each answer of the model, with its
// calls. Older ones have only the displayed parts: texts, names of tools, and edits. The session has no tokens, and
// single answers have no times.
//
// The editor runs the hooks in the files of Copilot CLI, and package copilotcli reads what they are sent. Its documents
// (code.visualstudio.com/docs/agents/reference/hooks-reference) are the source; the client was not observed.
package copilotvscode

import (
	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/copilotcli"
)

// Name is the agent's name in events and records.
const Name = copilotcli.EditorName

func New(env capability.Env) capability.Agent {
	files := sessions{env}
	return capability.Agent{
		Name: Name, Title: "Copilot in VS Code", Parser: files.parser(), Discoverer: files, Identifier: files,
		Program: "code", Decoder: copilotcli.Editor(env),
		Traits: capability.Traits{
			CallIDs: capability.CallIDsNative, Model: capability.ModelOfSession, Edits: capability.EditsReplaced,
			Notes: []string{"by the vendor's documentation, through the hooks of Copilot CLI; not tested with the client"},
		},
	}
}

// tools lists the tools of Copilot in VS Code.
var tools = copilotcli.EditorTools
