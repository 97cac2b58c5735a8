package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/quality"
	"github.com/git-trace/git-trace/view/lookup"
)

// qualitySchema names the form of the JSON output; docs/schema/quality-1.schema.json describes it.
const qualitySchema = "git-trace.quality/1"

func qualityCommand() *command {
	return &command{
		Name: "quality",
		Does: "how complete the records of conversations are",
		Form: "git trace quality [--json] [--gate] [<conversation> | <file>]…",
		About: "Checks stored records (all or the named ones), session files and files of exchange formats. Its 34\n" +
			"checks serve four kinds of readers. A score says how complete a record is, not how good the work\n" +
			"was.",
		Options: options("gate", "json", "color"),
		Examples: []example{
			{"git trace quality 4f2a", "what the record of a conversation has, and what is missing"},
		},
		Run:    (*app).quality,
		Traits: bounded,
		Tries:  []string{"", "--json"},
	}
}

// judged is a record with its report.
type judged struct {
	Trace   string `json:"trace"`
	Agent   string `json:"agent"`
	Session string `json:"session"`
	File    string `json:"file,omitempty"`
	quality.Report
}

// mean holds a persona's average score for a set of records.
type mean struct {
	Persona quality.Persona `json:"persona"`
	Score   float64         `json:"score"`
	Bar     quality.Bar     `json:"bar"`
	Reached bool            `json:"reached"` // each record and all together reach it
}

func (a *app) quality(c *call, ops operands) error {
	q := &judge{recordReader: recordReader{app: a, ctx: c.Context}}
	defer q.close()
	faults := q.all(ops.All())
	if q.fatal != nil {
		return q.fatal
	}
	if err := q.tell(c.Bool("json"), len(faults) > 0); err != nil {
		return err
	}
	if err := terminal.Faults(a.std.err, faults); err != nil {
		return err
	}
	for i := range q.list {
		if c.Bool("gate") && !q.list[i].Gate {
			return exit.Silent(exit.Finding)
		}
	}
	return nil
}

// tell writes the reports, and the means of all.
func (q *judge) tell(asJSON, faulty bool) error {
	means, out := meansOf(q.list), terminal.Quietly(q.app.std.out)
	switch {
	case asJSON:
		return writeJSON(out, struct {
			Schema  string   `json:"schema"`
			Records []judged `json:"records"`
			Means   []mean   `json:"means"`
		}{qualitySchema, append([]judged{}, q.list...), means})
	case len(q.list) > 0:
		short, err := q.short()
		if err != nil {
			return err
		}
		_, err = io.WriteString(out, drawQuality(q.list, means, short))
		return err
	case !faulty:
		fmt.Fprintln(q.app.std.err, lookup.NoneStored)
	}
	return nil
}

// judge collects reports.
type judge struct {
	recordReader
	list []judged
}

// all judges the named files or conversations. Without words it judges every stored record.
func (q *judge) all(words []string) []error {
	if len(words) == 0 {
		if q.open() != nil {
			return nil
		}
		var faults []error
		for r, err := range q.known.Prompts().Records.Walk(q.ctx) {
			if err == nil {
				err = q.addStored(r)
			}
			if err != nil {
				faults = append(faults, err)
			}
		}
		return faults
	}
	var faults []error
	for _, word := range words {
		err := q.read(word, func(r *records.Record, file string) error {
			if file == "" {
				return q.addStored(r)
			}
			q.add(r, file)
			return nil
		})
		if q.fatal != nil {
			return nil
		}
		if err != nil {
			faults = append(faults, err)
		}
	}
	return faults
}

// addStored judges a stored record, under its usual short name.
func (q *judge) addStored(r *records.Record) error {
	c, _, err := q.known.Conversation(events.TraceID(r.TraceID))
	if err != nil {
		return err
	}
	q.list = append(q.list, judged{Trace: r.TraceID, Agent: c.Agent, Session: c.Session, Report: quality.Assess(r)})
	return nil
}

// short abbreviates the ids of all judged records like the ids of stored records.
func (q *judge) short() (func(events.TraceID) string, error) {
	var ids []events.TraceID
	if q.known != nil {
		var err error
		if ids, err = q.known.IDs(); err != nil {
			return nil, err
		}
	}
	for i := range q.list {
		ids = append(ids, events.TraceID(q.list[i].Trace))
	}
	return lookup.Abbreviator(lookup.DigitsOf(ids)), nil
}

func (q *judge) add(r *records.Record, file string) {
	q.list = append(q.list, judged{
		Trace: r.TraceID, Agent: r.Agent.Name, Session: r.SessionID, File: strings.ToValidUTF8(file, "\ufffd"),
		Report: quality.Assess(r),
	})
}

// meansOf returns the average scores, one a persona; empty without records.
func meansOf(list []judged) []mean {
	out := []mean{}
	if len(list) == 0 {
		return out
	}
	for i, p := range quality.Personas() {
		m := mean{Persona: p, Bar: quality.BarOf(p), Reached: true}
		for j := range list {
			m.Score += list[j].Scores[i].Score
			m.Reached = m.Reached && list[j].Scores[i].Reached
		}
		m.Score = float64(int(m.Score/float64(len(list))*10+0.5)) / 10
		m.Reached = m.Reached && m.Score >= m.Bar.Mean
		out = append(out, m)
	}
	return out
}

// scoreWidth returns the width of a column of scores. The largest score is 100.0.
func scoreWidth(p quality.Persona) int { return max(len(p), len("100.0")) }

// drawQuality draws a line for each record, the missing parts if there is only one record, and the averages.
func drawQuality(list []judged, means []mean, short func(events.TraceID) string) string {
	const mostID = 36
	ids := make([]string, len(list))
	n := len("trace")
	for i := range list {
		ids[i] = cells.Cut(cells.Safe(short(events.TraceID(list[i].Trace))), mostID)
		n = max(n, cells.Width(ids[i]))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %-12s %6s %6s  gate", cells.Pad("trace", n), "agent", "steps", "calls")
	personas := quality.Personas()
	for _, p := range personas {
		fmt.Fprintf(&b, "  %*s", scoreWidth(p), p)
	}
	b.WriteByte('\n')
	for i := range list {
		j := &list[i]
		gate := "ok"
		if !j.Gate {
			gate = "-"
		}
		fmt.Fprintf(&b, "%s  %-12s %6d %6d  %-4s", cells.Pad(ids[i], n), cells.Cut(cells.Safe(j.Agent), 12), j.Steps, j.Calls,
			gate)
		for k, s := range j.Scores {
			fmt.Fprintf(&b, "  %*.1f", scoreWidth(personas[k]), s.Score)
		}
		b.WriteByte('\n')
	}
	if len(list) == 1 {
		list[0].lacks(&b)
		return b.String()
	}
	fmt.Fprintf(&b, "%s  %-12s %6s %6s  %-4s", cells.Pad("mean", n), "", "", "", "")
	for k, m := range means {
		fmt.Fprintf(&b, "  %*.1f", scoreWidth(personas[k]), m.Score)
	}
	b.WriteByte('\n')
	return b.String()
}

// lacks writes the checks that a record does not fully pass.
func (j *judged) lacks(b *strings.Builder) {
	for _, s := range j.Scores {
		for _, c := range s.Checks {
			if c.Share != nil && *c.Share < 1 {
				fmt.Fprintf(b, "  %-4s %3.0f %%  %s\n", c.ID, *c.Share*100, c.What)
			}
		}
	}
	for _, fault := range j.Faults {
		fmt.Fprintf(b, "  fault: %s\n", cells.Safe(fault))
	}
}
