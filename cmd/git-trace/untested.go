package main

import (
	"context"
	"os"
	"time"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/records"
)

// untestedBytes is how large a session file may be that doctor reads.
const untestedBytes = 64 << 20

// printUntested tells of agents whose newest session file of this work tree is newer than what the parser was tested
// with.
func (h *health) printUntested(ctx context.Context, s *screen) error {
	t := rows{screen: s}
	for _, agent := range agents.All(h.env) {
		if agent.Parser == nil || agent.Discoverer == nil {
			continue
		}
		sessions, err := agent.Discoverer.ProjectSessions(h.repo.WorkTree, time.Now().Add(-recentSession))
		if err != nil || len(sessions) == 0 {
			continue // session files that cannot be read say nothing
		}
		last := sessions[len(sessions)-1]
		if info, err := os.Stat(last.Path); err != nil || info.Size() > untestedBytes {
			continue
		}
		parsed, err := agent.Parser.Parse(ctx, last.Path, agents.ParseOptions{Session: last.ID}, noSteps{})
		if err != nil {
			continue
		}
		if what := agent.Untested(parsed.Head); what != "" {
			t.row("note", agent.Name+": "+h.shorten(last.Path)+": "+what, "")
		}
	}
	return t.write()
}

// noSteps drops the steps of a session file.
type noSteps struct{}

// Step drops a step.
func (noSteps) Step(*records.Step) error { return nil }

// Late drops a result.
func (noSteps) Late(int, records.Observation) error { return nil }
