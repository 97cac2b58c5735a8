package assemble

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/rawjson"
)

// Limits of the kept output of hooks.
const (
	maxHookOutput  = 500      // bytes of one
	maxHookOutputs = 64 << 10 // bytes of all of a conversation
)

// Hook takes a hook that the client ran: its name, its outcome, its call, and the beginning of its output.
func (c *Conversation) Hook(run records.HookRun) {
	c.HookCount(run.Event, run.Outcome, 1)
	if run.Output = strings.TrimSpace(run.Output); len(run.Output) > maxHookOutput {
		run.Output = strings.ToValidUTF8(run.Output[:maxHookOutput], "") + "…"
	}
	c.remark(func(s *state) {
		if s.HookOutput += len(run.Output); s.HookOutput > maxHookOutputs {
			run.Output = ""
		}
		run.After = s.Next
		s.appendTo("hooks", run)
	})
}

// HookCount counts hooks of an event, by outcome.
func (c *Conversation) HookCount(event, outcome string, n int64) {
	if n <= 0 || n > maxHooks {
		return
	}
	c.remark(func(s *state) {
		if s.Hooks == nil {
			s.Hooks = map[string]map[string]int64{}
		}
		if s.Hooks[event] == nil {
			if len(s.Hooks) >= maxReasons {
				return
			}
			s.Hooks[event] = map[string]int64{}
		}
		if s.Hooks[event][outcome] > 0 || len(s.Hooks[event]) < maxReasons {
			s.Hooks[event][outcome] += n
		}
	})
}

// maxHooks bounds the hooks of a line.
const maxHooks = 1000

// maxHookMember bounds a kept member of another program's hook data.
const maxHookMember = 4 << 10

// Saw keeps the data of opentraces' own hook about one call or a turn's end, under a member of the metadata. It leaves
// out the result of the call, which the call has.
func (c *Conversation) Saw(member, time string, data []byte) {
	value := map[string]any{"timestamp": time}
	d := rawjson.NewDecoder(data)
	for d.Open(); d.Member(); {
		name := string(d.Key())
		raw := slices.Clone(d.Raw())
		if name == "tool_use_id" {
			name = hookCall
		}
		if name != "tool_response" && len(raw) <= maxHookMember && len(value) < maxReasons {
			value[name] = json.RawMessage(raw)
		}
	}
	if d.Err() != nil || member != records.MetaHookStop && value[hookCall] == nil {
		c.Skip("opentraces_hook")
		return
	}
	c.Append(member, "", value)
	c.Take()
}

// hookCall is the member with the call's id.
const hookCall = "tool_call_id"

// byCall makes an object by the call's id of a list.
func byCall(list []json.RawMessage) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for _, one := range list {
		if call := rawjson.MemberText(one, hookCall); call != "" {
			out[call] = one
		}
	}
	return out
}
