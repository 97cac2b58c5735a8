package assemble

import (
	"strings"

	"github.com/git-trace/git-trace/records"
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

// HookCount counts hooks of an event, by how they ended.
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

// maxHooks is the number of hooks that a line may tell of.
const maxHooks = 1000
