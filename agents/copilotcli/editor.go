package copilotcli

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/agents/toolcall"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records/rawjson"
)

// EditorName is the name of Copilot in VS Code in events and records. The editor runs the hooks in Copilot CLI's files.
const EditorName = "copilot-vscode"

// EditorTools lists the tools of Copilot in VS Code.
var EditorTools = toolcall.Tools{
	"read_file": toolcall.Reads, "create_file": toolcall.Writes, "replace_string_in_file": toolcall.Replaces,
	"multi_replace_string_in_file": toolcall.Replaces, "apply_patch": toolcall.Patches, "run_in_terminal": toolcall.Runs,
	"list_dir": toolcall.Looks, "file_search": toolcall.Looks, "grep_search": toolcall.Looks,
	"semantic_search": toolcall.Looks, "get_errors": toolcall.Looks, "fetch_webpage": toolcall.Looks,
	"manage_todo_list": toolcall.Looks, "runSubagent": toolcall.Looks,
}

// editorStop is the event at the end of a turn in the editor. Copilot CLI also has this event, but uses another one.
const editorStop = "Stop"

// editorKinds lists the events that the editor uses from a hooks file of Copilot CLI.
var editorKinds = payload.Events{
	{Name: "sessionStart", Kind: events.SessionStart},
	{Name: "userPromptSubmitted", Kind: events.PromptSubmit},
	{Name: "preToolUse", Kind: events.ToolBefore},
	{Name: "postToolUse", Kind: events.ToolAfter},
	{Name: editorStop, Kind: events.TurnEnd},
}

// editorWire is a payload of the editor. Some versions write the names of the common members in camel case.
type editorWire struct {
	payload.Fields
	CamelSession string          `json:"sessionId"`
	Tool         string          `json:"tool_name"`
	CallID       string          `json:"tool_use_id"`
	Input        json.RawMessage `json:"tool_input"`
}

// Editor returns the decoder of the editor's payloads.
func Editor(env capability.Env) capability.PayloadDecoder {
	return payload.Decoder[editorWire]{
		Env: env, Agent: EditorName, Kinds: editorKinds,
		Fields: func(w *editorWire) payload.Fields {
			w.Session += w.CamelSession
			return w.Fields
		},
		Fill: func(b *events.Boundary, w *editorWire) bool {
			if !payload.OfCall(b.Kind) {
				return sessionOf(b.Transcript) == "" // otherwise it is from Copilot CLI, which has another event for this
			}
			if EditorTools.Describe(b, w.CallID, w.Tool, inputOf(w.Input), env.Home).Class != events.ToolReads {
				payload.NeedModel(b)
			}
			if b.Kind == events.ToolAfter {
				written(b.Tool)
				b.Time = env.Time()
			}
			return true
		},
	}
}

// inputOf returns the input of a call: an object, an object given as a text, or a patch.
func inputOf(raw json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return raw
	}
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		return json.RawMessage(text)
	}
	var in rawjson.Members
	return in.Text("input", text).End()
}

// patience limits the wait for a call's edits at its end; the constant maxEdited is the greatest size of a file that is
// checked, in bytes.
const (
	patience  = 400 * time.Millisecond
	maxEdited = 4 << 20
)

// `written` waits until the files of a call have their new content, because the editor may report the end of a call
// before it has written them (microsoft/vscode#315926).
func written(tool *events.ToolUse) {
	for limit := time.Now().Add(patience); time.Now().Before(limit); time.Sleep(patience / 20) {
		missing := false
		for _, edit := range tool.Edits {
			missing = missing || !bytes.Contains(sessionfile.Small(edit.Path, maxEdited), []byte(edit.New))
		}
		if !missing {
			return
		}
	}
}

// `both` decodes payloads of Copilot CLI and of the editor.
type both struct {
	capability.PayloadDecoder
	env    capability.Env
	editor capability.PayloadDecoder
}

// Events returns the names of the events of Copilot CLI and of the editor.
func (d both) Events() []string { return append(d.PayloadDecoder.Events(), editorStop) }

// Decode decodes the payload of one hook call. Payloads of the editor contain the name of their event. For these
// events, payloads of Copilot CLI do not contain it.
func (d both) Decode(event string, data []byte) ([]events.Boundary, error) {
	named := bytes.Contains(data, []byte(`"hook_event_name"`)) || bytes.Contains(data, []byte(`"hookEventName"`))
	if d.env.Lookup("COPILOT_CLI") == "" && (event == editorStop || named && editorKinds.Kind(event) != "") {
		return d.editor.Decode(event, data)
	}
	return d.PayloadDecoder.Decode(event, data)
}
