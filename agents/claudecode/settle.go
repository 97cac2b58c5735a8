package claudecode

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/transcript"
	"github.com/git-trace/git-trace/events"
)

// settleWindow is the size of the part at the end of a session file that is searched for the result of a call.
const settleWindow = 1 << 20

// Settle searches the session file for the result of a tool call. As long as the file has no result, the end is
// unknown. Some results mean either that the call was refused or that it was interrupted (see End.Unbegun).
func (c *Client) Settle(call capability.Call) capability.End {
	if !payload.CallID(call.CallID) || (call.Subagent != "" && !payload.SessionID(call.Subagent)) {
		return capability.End{}
	}
	if call.Background {
		return settleBackground(call)
	}
	id := []byte(`"` + call.CallID + `"`)
	for _, path := range sessionFiles(payload.AbsPath(call.Transcript), call.Subagent) {
		file, err := transcript.Open(path)
		if err != nil {
			continue
		}
		var end capability.End
		for line := range file.Lines(settleWindow) {
			if !bytes.Contains(line, id) || !bytes.Contains(line, []byte(`"tool_result"`)) {
				continue
			}
			if found, ok := parseResult(line, call.CallID); ok {
				end = capability.End{Outcome: found.outcome(call.Class), At: found.at, Unbegun: found.ambiguous(call.Class)}
				break
			}
		}
		_ = file.Close()
		return end
	}
	return capability.End{}
}

// result describes the end of a call, from a session line.
type result struct {
	failed    bool
	text      string // the beginning of the text for the model
	denial    string // the reason why a call has no real result, in the form of newer clients
	beforeRun bool
	afterRun  bool
	at        time.Time // the time of the line
}

// parseResult decodes a session line of the type user that contains the result of the call.
func parseResult(line []byte, callID string) (result, bool) {
	var user struct {
		Type    string `json:"type"`
		Message struct {
			Content []struct {
				Type    string          `json:"type"`
				ID      string          `json:"tool_use_id"`
				Content json.RawMessage `json:"content"`
				Failed  bool            `json:"is_error"`
			} `json:"content"`
		} `json:"message"`
		Denial    string `json:"toolDenialKind"`
		BeforeRun bool   `json:"toolDenialBeforeRun"`
		AfterRun  bool   `json:"toolDenialAfterRun"`
		Time      string `json:"timestamp"`
	}
	if json.Unmarshal(line, &user) != nil || user.Type != "user" {
		return result{}, false
	}
	for _, block := range user.Message.Content {
		if block.Type != "tool_result" || block.ID != callID {
			continue
		}
		return result{
			failed: block.Failed, text: firstText(block.Content),
			denial: user.Denial, beforeRun: user.BeforeRun, afterRun: user.AfterRun, at: payload.Time(user.Time),
		}, true
	}
	return result{}, false
}

// firstText returns the text of a result's content, which is a text or a list of blocks.
func firstText(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var blocks []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(content, &blocks) != nil || len(blocks) == 0 {
		return ""
	}
	return blocks[0].Text
}

// `ambiguous` reports whether a result can mean both that a call was refused and that it was interrupted.
func (r result) ambiguous(class events.ToolClass) bool {
	return r.failed && !r.beforeRun && !r.afterRun && r.denial != "interrupted" && class != events.ToolEdits &&
		strings.HasPrefix(r.text, refusalOrInterruption) && !strings.Contains(r.text, refusalWithReason)
}

// outcome returns the outcome of the call. The newest clients say whether a refused call had started. Others have only
// the text, which is the same for a call refused with Esc and a call interrupted with Esc. An edit tool is too quick to
// be interrupted.
func (r result) outcome(class events.ToolClass) capability.Outcome {
	switch {
	case r.beforeRun:
		return capability.OutcomeRejected
	case r.afterRun || !r.failed || r.denial == "interrupted":
		return capability.OutcomeRan
	case r.denial == "permission-rule" || strings.HasPrefix(r.denial, "automode-") || hasAnyPrefix(r.text, refusals):
		return capability.OutcomeRejected
	case strings.HasPrefix(r.text, refusalOrInterruption):
		if r.ambiguous(class) {
			return capability.OutcomeRan // or it never ran (see End.Unbegun); in any case it has ended
		}
		return capability.OutcomeRejected
	case r.denial != "" || strings.HasPrefix(r.text, "<tool_use_error>"):
		return capability.OutcomeUnknown // cancelled together with another call, before or after it started
	}
	return capability.OutcomeRan
}

const (
	refusalOrInterruption = "The user doesn't want to "
	refusalWithReason     = "the user said:" // typed into the permission prompt
)

// refusals lists the beginnings of the results of calls that a rule, a mode or a hook refused.
var refusals = []string{
	"Permission for ",
	"Permission to ",
	"Claude requested permissions to ",
	"This command requires approval",
	"PreToolUse:",
	"Hook PreToolUse:",
}

func hasAnyPrefix(text string, prefixes []string) bool {
	for _, prefix := range prefixes {
		if strings.HasPrefix(text, prefix) {
			return true
		}
	}
	return false
}
