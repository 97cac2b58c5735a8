package doctor

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/trails"
)

// Recent is the age up to which doctor mentions a conversation without hooks.
const Recent = 7 * 24 * time.Hour

// unheardFindings reports conversations in the work tree that no hook reported, although the hooks of their agents are
// installed.
func (d *Doctor) unheardFindings(all []Agent) []Finding {
	listed := d.listed()
	if listed == nil {
		return nil
	}
	since := time.Now().Add(-Recent)
	if listed.Since.After(since) {
		since = listed.Since
	}
	engine := trails.New(d.repo, d.log, nil)
	stored, gaps := sync.OnceValue(d.storedAt), sync.OnceValue(d.gaps)
	var out []Finding
	for i := range all {
		one := &all[i]
		if one.agent.Discoverer == nil || !one.touched() {
			continue
		}
		sessions, err := one.agent.Discoverer.ProjectSessions(d.repo.WorkTree, since)
		if err != nil {
			continue // skip unreadable session files
		}
		var unheard, lost spell
		for _, s := range sessions {
			trace := events.NewTraceID(one.Name, s.ID)
			if s.ID == "" || engine.Heard(trace, s.Changed) || stored()[trace].After(s.Changed) {
				continue
			}
			of := &unheard
			if slices.ContainsFunc(gaps(), func(g gap) bool { return g.holds(s.Changed) }) {
				of = &lost
			}
			if of.n++; s.Changed.After(of.last) {
				of.last = s.Changed
			}
		}
		out = append(out, unheard.finding(one.Name, "went on here without a report of its hooks",
			"the next commit reads it, as git trace record does; `git trace init --agent "+one.Name+
				" --global` reports all that come")...)
		out = append(out, lost.finding(one.Name, "went on here and the log has lost its events",
			"git trace backfill finds what is committed of it")...)
	}
	return out
}

// spell counts conversations, with the time of the last activity.
type spell struct {
	n    int
	last time.Time
}

// finding returns a finding about the conversations, if there are any.
func (s spell) finding(agent, what, mend string) []Finding {
	if s.n == 0 {
		return nil
	}
	return []Finding{{
		What: fmt.Sprintf("%s: %s %s, the last %s: what is committed of it counts as a person's until its session file "+
			"is read", agent, numbers.Count(s.n, "conversation"), what, numbers.Ago(s.last, time.Now())),
		Mend: mend,
	}}
}

// gap is a period whose events the log has lost. A zero time is an open end.
type gap struct{ from, to time.Time }

func (g gap) holds(at time.Time) bool { return at.After(g.from) && (g.to.IsZero() || at.Before(g.to)) }

// gaps returns the gaps of the log, including those that the log does not note.
func (d *Doctor) gaps() (out []gap) {
	reader, err := index.Open(d.repo)
	if err != nil {
		return nil // checkLog reports it
	}
	defer reader.Close()
	losses, _ := d.log.Losses()
	noted, _ := reader.ByType(events.CaptureIncomplete) // skip unreadable events
	for _, e := range noted {
		if data := events.DataOf[events.IncompleteData](e); data.Boundary == "log" {
			losses = append(losses, events.Loss{From: data.First})
		}
	}
	for _, lost := range losses {
		before, _, _ := reader.Event(lost.From - 1)
		after, _, _ := reader.Event(lost.From)
		out = append(out, gap{before.Time, after.Time})
	}
	return out
}

// untoldFindings reports calls in session files that no hook reported, one finding an agent, with their number and
// first day.
func (d *Doctor) untoldFindings(now time.Time) []Finding {
	reader, err := index.Open(d.repo)
	if err != nil {
		return nil // checkLog reports it
	}
	defer reader.Close()
	recorded, err := reader.ByType(events.CaptureIncomplete)
	if err != nil {
		return nil
	}
	type untold struct {
		calls       int
		since, last time.Time
	}
	of := map[string]*untold{}
	for _, e := range recorded {
		data := events.DataOf[events.IncompleteData](e)
		if data.Reason != trails.ReasonCallsNotReported || now.Sub(e.Time) > Recent {
			continue
		}
		if of[e.Agent] == nil {
			of[e.Agent] = &untold{since: data.Since}
		}
		one := of[e.Agent]
		one.calls, one.last = one.calls+len(data.Calls), e.Time
		if data.Since.Before(one.since) {
			one.since = data.Since
		}
	}
	var out []Finding
	for _, name := range slices.Sorted(maps.Keys(of)) {
		one := of[name]
		out = append(out, Finding{
			What: fmt.Sprintf("%s: since %s its hooks did not tell of %s that its session files tell, "+
				"found %s: what these declare "+
				"is its own, what else changed meanwhile nobody's", name, one.since.Local().Format("2 Jan 15:04"),
				numbers.Count(one.calls, "call"), numbers.Ago(one.last, now)),
			Mend: "git trace doctor looks at its hooks; sub-agents, panels and sessions that began before " +
				"`git trace init` may run none",
		})
	}
	return out
}

// storedAt returns the times at which conversations were last stored. A conversation that backfill has read since its
// end needs no mention.
func (d *Doctor) storedAt() map[events.TraceID]time.Time {
	out := map[events.TraceID]time.Time{}
	reader, err := index.Open(d.repo)
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

// longestCommand is the number of bytes of a hook's command that are shown.
const longestCommand = 60

// foreignHooks lists hooks of other programs that may change an agent's files, and whose end no hook reports.
func (d *Doctor) foreignHooks(ctx context.Context) (notes []string) {
	for _, one := range d.examineAgents(ctx) {
		if !one.Traced || one.agent.Traits.HooksEnd {
			continue
		}
		for _, target := range one.Targets {
			for _, hook := range target.Foreign {
				command, _, more := strings.Cut(hook.Command, "\n")
				if more || len(command) > longestCommand {
					command = strings.ToValidUTF8(command[:min(len(command), longestCommand)], "") + "…"
				}
				notes = append(notes, fmt.Sprintf("%s: another hook runs after each tool (%s in %s): of lines that it adds "+
					"nobody knows that the agent caused them", one.Name, command, d.shorten(target.Settings)))
			}
		}
	}
	return notes
}

// untestedBytes is the size in bytes of the largest session file that doctor reads.
const untestedBytes = 64 << 20

// `untested` lists agents whose newest session file of this work tree is newer than the tested versions of its parser.
func (d *Doctor) untested(ctx context.Context, now time.Time) (notes []string) {
	for _, agent := range agents.All(d.env) {
		if agent.Parser == nil || agent.Discoverer == nil {
			continue
		}
		sessions, err := agent.Discoverer.ProjectSessions(d.repo.WorkTree, now.Add(-Recent))
		if err != nil || len(sessions) == 0 {
			continue // skip unreadable session files
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
			notes = append(notes, agent.Name+": "+d.shorten(last.Path)+": "+what)
		}
	}
	return notes
}

// noSteps is a sink that drops the steps of a session file.
type noSteps struct{}

// Step drops a step.
func (noSteps) Step(*records.Step) error { return nil }

// Late drops a result.
func (noSteps) Late(int, records.Observation) error { return nil }
