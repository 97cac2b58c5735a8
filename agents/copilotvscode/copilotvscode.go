// Package copilotvscode reads the conversations of Copilot in VS Code.
//
// The editor stores the chats of a workspace in workspaceStorage/<hash>/chatSessions: <id>.json is one document with a
// list of requests; <id>.jsonl, in newer versions, is a journal of changes of such a document. The extension stores a
// transcript of events next to them, GitHub.copilot-chat/transcripts/<id>.jsonl; if a chat is in both, the document is
// used. workspace.json has the directory.
//
// A request has the user's prompt and, in the metadata of its result, a round for each answer of the model, with the
// answer's calls. Older requests have only the displayed parts: texts, names of tools, and edits. There are no token
// counts, and single answers have no times.
//
// The editor runs the hooks in Copilot CLI's files; package copilotcli decodes their payloads. The source for this is
// the documentation (code.visualstudio.com/docs/agents/reference/hooks-reference); the client was not observed.
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
