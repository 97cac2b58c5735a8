package assemble

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/rawjson"
)

// The limits of the hook output that is kept.
const (
	maxHookOutput  = 500      // bytes of one run
	maxHookOutputs = 64 << 10 // bytes of all runs of a conversation
)

// Hook adds a run of a client's hook: its name, its outcome, its call, and the beginning of its output.
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

// HookCount adds n runs of hooks of an event, by outcome.
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

// maxHooks limits the number of hook runs in one line.
const maxHooks = 1000

// maxHookMember limits the size of a member of another program's hook data that is kept, in bytes.
const maxHookMember = 4 << 10

// Saw keeps the data of opentraces' own hook about a call or the end of a turn, in a metadata member. It leaves out the
// result of the call, because the call already has it.
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

// byCall converts a list to an object with the call ids as names.
func byCall(list []json.RawMessage) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for _, one := range list {
		if call := rawjson.MemberText(one, hookCall); call != "" {
			out[call] = one
		}
	}
	return out
}
