package doctor

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/trails"
)

// Untraced reports the agents on this machine that are not traced, if others are. It leaves out the agents in the
// parameter `told`.
func (d *Doctor) Untraced(ctx context.Context, told ...string) []Finding {
	return slices.DeleteFunc(d.untracedFindings(ctx, d.examineAgents(ctx)), func(f Finding) bool {
		isNew := func(name string) bool { return !slices.Contains(told, name) }
		return len(f.agents) > 0 && !slices.ContainsFunc(f.agents, isNew)
	})
}

// Past reports conversations of the work tree that exist only in session files, one finding an agent. It gives the day
// on which the agent deletes the first of them.
func (d *Doctor) Past(now time.Time) (past []Finding) {
	stored := d.storedAt()
	engine := trails.New(d.repo, d.log, nil)
	for _, agent := range agents.All(d.env) {
		if agent.Discoverer == nil || !agent.Found(d.env) {
			continue
		}
		sessions, err := agent.Discoverer.ProjectSessions(d.repo.WorkTree, time.Time{})
		if err != nil {
			continue // skip unreadable session files
		}
		n, oldest := 0, now
		for _, s := range sessions {
			trace := events.NewTraceID(agent.Name, s.ID)
			at, known := stored[trace]
			if s.ID == "" || known && !at.Before(s.Changed) || engine.Heard(trace, s.Changed) {
				continue
			}
			if n++; s.Changed.Before(oldest) {
				oldest = s.Changed
			}
		}
		if n == 0 {
			continue
		}
		what := fmt.Sprintf("%s of %s with this work tree %s in session files alone", numbers.Count(n, "conversation"),
			agent.Title, numbers.Agree(n, "is", "are"))
		if agent.Kept != nil {
			const day = 24 * time.Hour
			what += fmt.Sprintf(", which it deletes after %s; the oldest goes ", numbers.Count(int(agent.Kept()/day), "day"))
			if left := int(oldest.Add(agent.Kept()).Sub(now) / day); left > 0 {
				what += "in " + numbers.Count(left, "day")
			} else {
				what += "within a day"
			}
		}
		past = append(past, Finding{What: what, Mend: "git trace backfill keeps those whose lines were committed"})
	}
	return past
}
