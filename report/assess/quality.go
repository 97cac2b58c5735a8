package assess

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/quality"
	"github.com/git-trace/git-trace/view/lookup"
)

// qualitySchema names the form of the JSON output; docs/schema/quality-1.schema.json describes it.
const qualitySchema = "git-trace.quality/1"

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

// Judge collects reports.
type Judge struct {
	Reader
	List []judged
}

// All judges the named files or conversations. Without words it judges every stored record.
func (q *Judge) All(words []string) (faults []error, fatal error) {
	if len(words) == 0 {
		if err := q.open(); err != nil {
			return nil, err
		}
		for r, err := range q.Known.Prompts().Records.Walk(q.Ctx) {
			if err == nil {
				err = q.addStored(r)
			}
			if err != nil {
				faults = append(faults, err)
			}
		}
		return faults, nil
	}
	for _, word := range words {
		err := q.read(word, func(r *records.Record, file string) error {
			if file == "" {
				return q.addStored(r)
			}
			q.add(r, file)
			return nil
		})
		if q.fatal != nil {
			return nil, q.fatal
		}
		if err != nil {
			faults = append(faults, err)
		}
	}
	return faults, nil
}

// Passes reports whether every record passes the gate.
func (q *Judge) Passes() bool {
	return !slices.ContainsFunc(q.List, func(j judged) bool { return !j.Gate })
}

// Answer returns the reports and their means, for --json.
func (q *Judge) Answer() any {
	return struct {
		Schema  string   `json:"schema"`
		Records []judged `json:"records"`
		Means   []mean   `json:"means"`
	}{qualitySchema, append([]judged{}, q.List...), meansOf(q.List)}
}

// Draw draws the reports.
func (q *Judge) Draw(w io.Writer) error {
	short, err := q.short()
	if err == nil {
		_, err = io.WriteString(w, drawQuality(q.List, meansOf(q.List), short))
	}
	return err
}

// addStored judges a stored record, under its usual short name.
func (q *Judge) addStored(r *records.Record) error {
	c, _, err := q.Known.Conversation(events.TraceID(r.TraceID))
	if err != nil {
		return err
	}
	q.List = append(q.List, judged{Trace: r.TraceID, Agent: c.Agent, Session: c.Session, Report: quality.Assess(r)})
	return nil
}

// short abbreviates the ids of all judged records like the ids of stored records.
func (q *Judge) short() (func(events.TraceID) string, error) {
	var ids []events.TraceID
	if q.Known != nil {
		var err error
		if ids, err = q.Known.IDs(); err != nil {
			return nil, err
		}
	}
	for i := range q.List {
		ids = append(ids, events.TraceID(q.List[i].Trace))
	}
	return lookup.Abbreviator(lookup.DigitsOf(ids)), nil
}

func (q *Judge) add(r *records.Record, file string) {
	q.List = append(q.List, judged{
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
