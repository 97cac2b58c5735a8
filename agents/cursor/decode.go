package cursor

import (
	"cmp"
	"encoding/json"
	"path"
	"runtime"
	"strings"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/events"
)

// kinds lists the hook events that are boundaries, in the order in which they occur.
var kinds = payload.Events{
	{Name: "sessionStart", Kind: events.SessionStart},
	{Name: "beforeSubmitPrompt", Kind: events.PromptSubmit},
	{Name: "preToolUse", Kind: events.ToolBefore},
	{Name: "postToolUse", Kind: events.ToolAfter},
	{Name: "postToolUseFailure", Kind: events.ToolFailed},
	{Name: "subagentStart", Kind: events.SubagentStart},
	{Name: "subagentStop", Kind: events.SubagentEnd},
	{Name: "stop", Kind: events.TurnEnd},
	{Name: "sessionEnd", Kind: events.SessionEnd},
	{Name: "afterTabFileEdit", Kind: events.Completed},
}

// wire is a hook payload with the fields of all events.
type wire struct {
	payload.Fields
	Conversation string          `json:"conversation_id"`
	Completion   string          `json:"completion_id"` // the conversation in Firebender
	Generation   string          `json:"generation_id"`
	Roots        []string        `json:"workspace_roots"`
	WorkTree     string          `json:"repo_working_dir"` // set by Firebender
	Agent        string          `json:"subagent_id"`
	AgentType    string          `json:"subagent_type"`
	Parent       string          `json:"parent_conversation_id"`
	Tool         string          `json:"tool_name"`
	CallID       string          `json:"tool_use_id"`
	Input        json.RawMessage `json:"tool_input"`
	File         string          `json:"file_path"`
	Edits        []tabEdit       `json:"edits"`
}

// tabEdit is an edit of Cursor Tab: new text that replaced old text in a range. The line is the first line of the
// range.
type tabEdit struct {
	Old   string `json:"old_string"`
	New   string `json:"new_string"`
	Range struct {
		Line   int `json:"start_line_number"`
		Column int `json:"start_column"`
	} `json:"range"`
	OldLine string `json:"old_line"`
}

// input is tool_input with the fields of all tools that write. In some versions, it is JSON text.
type input struct {
	Path     string `json:"file_path"`
	Target   string `json:"path"`
	Content  string `json:"content"`
	Contents string `json:"contents"`
	Old      string `json:"old_string"`
	New      string `json:"new_string"`
	Command  string `json:"command"`
	Dir      string `json:"working_directory"`
}

// decoder returns the decoder of hook payloads.
func (c *Client) decoder() capability.PayloadDecoder {
	return payload.Decoder[wire]{Env: c.env, Agent: c.name, Kinds: c.kinds, Fields: fields, Fill: c.fill}
}

func fields(w *wire) payload.Fields {
	f := w.Fields
	f.Session = cmp.Or(w.Conversation, w.Session, w.Completion)
	f.Subagent, f.SubagentType, f.PromptID = w.Agent, w.AgentType, w.Generation
	f.Cwd, f.Transcript = native(cmp.Or(w.Cwd, w.WorkTree)), native(w.Transcript)
	if w.Parent != "" && w.Parent != f.Session { // a subagent has a separate conversation
		f.Subagent, f.Session = cmp.Or(f.Subagent, f.Session), w.Parent
	}
	if payload.AbsPath(f.Cwd) == "" && len(w.Roots) > 0 {
		f.Cwd = native(w.Roots[0])
	}
	return f
}

// fillTab adds the text of Cursor Tab. Its completions are a conversation separate from the chat.
func (c *Client) fillTab(b *events.Boundary, w *wire) bool {
	b.Session, b.Prompt = "tab-"+b.Session, nil
	raw, _ := json.Marshal(w.Edits) // texts and numbers: no error is possible
	call := payload.Call{
		ID: "accepted-" + payload.Fingerprint(path.Base(w.File), raw), Name: events.ToolCompletion, Class: events.ToolEdits,
		Path: native(w.File),
	}
	for _, e := range w.Edits {
		at := &events.Place{Line: e.Range.Line, Column: e.Range.Column, Text: e.OldLine}
		call.Edits = append(call.Edits, events.DeclaredEdit{Old: e.Old, New: e.New, At: at})
	}
	payload.NeedModel(b)
	return call.Describe(b, c.env.Home).Class == events.ToolEdits && len(call.Edits) > 0
}

func (c *Client) fill(b *events.Boundary, w *wire) bool {
	if b.Kind == events.Completed {
		return c.fillTab(b, w)
	}
	if !payload.OfCall(b.Kind) {
		return true
	}
	raw := w.Input
	var text string
	if json.Unmarshal(raw, &text) == nil {
		raw = json.RawMessage(text)
	}
	var in input
	_ = json.Unmarshal(raw, &in) // a field of another type counts as missing
	call := payload.Call{
		ID: w.CallID, Name: w.Tool, Class: tools.Class(w.Tool), Input: &raw, Path: native(cmp.Or(in.Path, in.Target)),
		Command: in.Command, Dir: native(in.Dir), Edits: []events.DeclaredEdit{{Old: in.Old, New: in.New + in.Content +
			in.Contents}},
	}
	call.Describe(b, c.env.Home)
	if call.Class != events.ToolReads {
		payload.NeedModel(b)
	}
	return true
}

// tools lists the built-in tools of Cursor and Firebender.
var tools = payload.Tools{
	{events.ToolEdits, []string{"Write", "Edit", "StrReplace", "EditNotebook", "Delete"}},
	{events.ToolRuns, []string{"Shell", "Bash"}},
	{events.ToolReads, []string{"Read", "Grep", "Glob", "LS", "SemanticSearch", "WebSearch", "WebFetch", "Task",
		"TodoWrite", "ReadLints", "AskQuestion"}},
}

// `native` returns a path in the form of this operating system.
func native(path string) string {
	if runtime.GOOS == "windows" && strings.HasPrefix(path, "/") && len(path) > 2 && path[2] == ':' {
		return path[1:]
	}
	return path
}
