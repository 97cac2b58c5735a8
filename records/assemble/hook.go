package assemble

import "github.com/git-trace/git-trace/records"

// Hook takes a hook that the client ran, as far as its name, its outcome and the call go that it was run for.
func (c *Conversation) Hook(run records.HookRun) {
	c.HookCount(run.Event, run.Outcome, 1)
	c.remark(func(s *state) {
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

// maxHooks is how many hooks a line may tell of.
const maxHooks = 1000
