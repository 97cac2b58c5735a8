package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/numbers"
	"github.com/git-trace/git-trace/trails"
)

// recentSession is how long a conversation that no hook reported is worth mentioning.
const recentSession = 7 * 24 * time.Hour

// unheardFindings tells of conversations in the work tree that went on while no hook reported them, of agents whose
// hooks are there.
func (h *health) unheardFindings(all []agentHealth) []finding {
	listed := h.listing()
	if listed == nil {
		return nil
	}
	since := time.Now().Add(-recentSession)
	if listed.Since.After(since) {
		since = listed.Since
	}
	engine := trails.New(h.repo, h.log, nil)
	stored := sync.OnceValue(h.storedAt)
	var out []finding
	for i := range all {
		one := &all[i]
		if one.agent.Discoverer == nil || !one.touched() {
			continue
		}
		sessions, err := one.agent.Discoverer.ProjectSessions(h.repo.WorkTree, since)
		if err != nil {
			continue // session files that cannot be read say nothing
		}
		n, last := 0, time.Time{}
		for _, s := range sessions {
			trace := events.NewTraceID(one.Name, s.ID)
			if s.ID == "" || engine.Heard(trace, s.Changed) || stored()[trace].After(s.Changed) {
				continue
			}
			if n++; s.Changed.After(last) {
				last = s.Changed
			}
		}
		if n > 0 {
			out = append(out, finding{
				What: fmt.Sprintf("%s: %s went on here without a report of its hooks, the last %s: its lines count as a person's",
					one.Name, plural(n, "conversation"), numbers.Ago(last, time.Now())),
				Mend: "git trace backfill finds what is committed of it; `git trace init --agent " + one.Name +
					" --global` reports all that come",
			})
		}
	}
	return out
}

// storedAt is when conversations were stored last: what backfill read since a conversation went on is no news.
func (h *health) storedAt() map[events.TraceID]time.Time {
	out := map[events.TraceID]time.Time{}
	reader, err := index.Open(h.repo)
	if err != nil {
		return out
	}
	defer reader.Close()
	recorded, err := reader.ByType(events.RecordStored)
	if err != nil {
		return out
	}
	for _, e := range recorded {
		if e.Time.After(out[e.Trace]) {
			out[e.Trace] = e.Time
		}
	}
	return out
}

// touched tells whether hooks of ours are there for the agent.
func (one *agentHealth) touched() bool {
	for i := range one.Targets {
		if one.Targets[i].touched() {
			return true
		}
	}
	return false
}

// longestCommand is how much of a hook's command is shown, in bytes.
const longestCommand = 60

// printForeign tells of hooks of others that may write anew what an agent wrote, where nothing tells when they have
// ended.
func (h *health) printForeign(ctx context.Context, s *screen) error {
	t := rows{screen: s}
	for _, one := range h.agentsHealth(ctx) {
		if !one.Traced || one.agent.Traits.HooksEnd {
			continue
		}
		for _, target := range one.Targets {
			for _, hook := range target.Foreign {
				command, _, more := strings.Cut(hook.Command, "\n")
				if more || len(command) > longestCommand {
					command = strings.ToValidUTF8(command[:min(len(command), longestCommand)], "") + "…"
				}
				t.row("note", fmt.Sprintf("%s: another hook runs after each tool (%s in %s): of lines that it adds nobody knows "+
					"that the agent caused them",
					one.Name, command, h.shorten(target.Settings)), "")
			}
		}
	}
	return t.write()
}
