package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/cells"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/quality"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/refs"
)

// qualitySchema names the form of the JSON output; docs/schema/quality-1.schema.json describes it.
const qualitySchema = "git-trace.quality/1"

func (a *app) qualityCommand() *cli.Command {
	return readingCommand(&cli.Command{
		Name:      "quality",
		Usage:     "how complete the records of conversations are, for whom",
		UsageText: "git trace quality [--json] [--gate] [<conversation> | <file>]…",
		Description: "Judges stored records (all, or those that are named), session files and files of exchange formats by 34\n" +
			"checks for four kinds of readers. A score says how complete a record is, not how good the work was.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "gate", Usage: "exit with status 1 if a record has fewer than two steps or no tool call"},
			jsonFlag(), colorFlag(),
		},
	}, a.quality)
}

// judged is a record with its report.
type judged struct {
	Trace   string `json:"trace"`
	Agent   string `json:"agent"`
	Session string `json:"session"`
	File    string `json:"file,omitempty"`
	quality.Report
}

// mean is how a set of records serves a persona.
type mean struct {
	Persona quality.Persona `json:"persona"`
	Score   float64         `json:"score"`
	Bar     quality.Bar     `json:"bar"`
	Reached bool            `json:"reached"` // by each record and by all together
}

func (a *app) quality(c *cli.Context, ops operands) error {
	q := &judge{app: a, ctx: c.Context}
	faults := q.all(ops.all())
	if q.fatal != nil {
		return q.fatal
	}
	if err := a.tellQuality(q.list, c.Bool("json"), len(faults) > 0); err != nil {
		return err
	}
	if err := a.allFaults(faults); err != nil {
		return err
	}
	for i := range q.list {
		if c.Bool("gate") && !q.list[i].Gate {
			return silent(exitFinding)
		}
	}
	return nil
}

// tellQuality writes the reports, and the means of all.
func (a *app) tellQuality(list []judged, asJSON, faulty bool) error {
	means := meansOf(list)
	switch {
	case asJSON:
		return writeJSON(quietWriter{a.std.out}, struct {
			Schema  string   `json:"schema"`
			Records []judged `json:"records"`
			Means   []mean   `json:"means"`
		}{qualitySchema, append([]judged{}, list...), means})
	case len(list) > 0:
		return a.drawQuality(list, means)
	case !faulty:
		fmt.Fprintln(a.std.err, "git-trace: hint: no conversation has a stored record")
	}
	return nil
}

// judge gathers reports.
type judge struct {
	app   *app
	ctx   context.Context
	list  []judged
	fatal error // nothing can be judged

	repo  *refs.Repo
	store *store.Store
}

// all judges what the words name: files that exist, otherwise conversations; every stored record if there are no words.
func (q *judge) all(words []string) []error {
	defer func() {
		if q.store != nil {
			_ = q.store.Close()
		}
	}()
	if len(words) == 0 {
		if q.fatal = q.open(); q.fatal != nil {
			return nil
		}
		var faults []error
		for r, err := range q.store.Walk(q.ctx) {
			if err != nil {
				faults = append(faults, err)
				continue
			}
			q.add(r, "")
		}
		return faults
	}
	var faults []error
	for _, word := range words {
		var err error
		if info, statErr := os.Stat(word); statErr == nil && !info.IsDir() {
			if err = q.file(word); err != nil {
				err = fileFault(word, err)
			}
		} else {
			err = q.stored(word)
		}
		if err != nil {
			faults = append(faults, err)
		}
	}
	return faults
}

func (q *judge) open() error {
	if q.store != nil {
		return nil
	}
	repo, err := q.app.repo()
	if err != nil {
		return err
	}
	q.repo, q.store = repo, store.Open(repo)
	return nil
}

// stored judges the record of a conversation.
func (q *judge) stored(word string) error {
	if q.fatal = q.open(); q.fatal != nil {
		return q.fatal
	}
	list, err := q.store.List(q.ctx)
	if err != nil {
		return err
	}
	prefix := strings.ToLower(strings.TrimSuffix(word, "…"))
	var found []store.Entry
	for _, e := range list {
		if len(prefix) >= fewestDigits && strings.HasPrefix(string(e.Trace), prefix) {
			found = append(found, e)
		}
	}
	if len(found) == 0 {
		reader, err := q.app.openIndex(q.repo)
		if err != nil {
			return err
		}
		defer reader.Close()
		trace, err := findTrace(reader, word)
		if err != nil {
			return err
		}
		e, err := q.store.Find(q.ctx, trace)
		if err != nil {
			return fail(exitFinding, err, "")
		}
		found = append(found, e)
	}
	if len(found) > 1 {
		return fail(exitFinding, fmt.Errorf("id '%s' is ambiguous: %s begin with it", word, plural(len(found), "record")), "")
	}
	r, err := q.store.Read(found[0])
	if err != nil {
		return err
	}
	q.add(r, "")
	return nil
}

// file judges the records of a file.
func (q *judge) file(name string) error {
	format, found, err := identifyExchange(name)
	if err != nil {
		return err
	}
	if found {
		return eachRecord(format, name, func(_ int, r *records.Record) error {
			q.add(r, name)
			return nil
		})
	}
	env, err := agents.SystemEnv()
	if err != nil {
		return err
	}
	agent, found, err := agents.Identify(env, name)
	if err != nil {
		return err
	}
	if !found || agent.Parser == nil {
		return errUnknownFile
	}
	var steps records.Collector
	parsed, err := agent.Parser.Parse(q.ctx, name, agents.ParseOptions{}, &steps)
	if err != nil {
		return err
	}
	if len(steps.Steps) == 0 {
		return errors.New("holds no conversation")
	}
	parsed.Head.Steps = steps.Steps
	if _, err := records.Encode(parsed.Head); err != nil { // fills in what has defaults
		return err
	}
	q.add(parsed.Head, name)
	return nil
}

func (q *judge) add(r *records.Record, file string) {
	q.list = append(q.list, judged{
		Trace: r.TraceID, Agent: r.Agent.Name, Session: r.SessionID, File: strings.ToValidUTF8(file, "\ufffd"), Report: quality.Assess(r),
	})
}

// meansOf are the means of the scores, one a persona; none where there is no record.
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

// drawQuality draws a line for each record, what it lacks if it is the only one, and the means.
func (a *app) drawQuality(list []judged, means []mean) error {
	var b strings.Builder
	ids := make([]string, len(list))
	for i := range list {
		ids[i] = list[i].Trace
	}
	n := min(cells.UniqueLength(ids, 8), 36)
	fmt.Fprintf(&b, "%-*s  %-12s %6s %6s  gate", n, "trace", "agent", "steps", "calls")
	for _, p := range quality.Personas() {
		fmt.Fprintf(&b, "  %9s", p)
	}
	b.WriteByte('\n')
	for i := range list {
		j := &list[i]
		id := cells.Safe(j.Trace)
		gate := "ok"
		if !j.Gate {
			gate = "-"
		}
		fmt.Fprintf(&b, "%-*s  %-12s %6d %6d  %-4s", n, id[:min(n, len(id))], cells.Cut(cells.Safe(j.Agent), 12), j.Steps, j.Calls, gate)
		for _, s := range j.Scores {
			fmt.Fprintf(&b, "  %9.1f", s.Score)
		}
		b.WriteByte('\n')
	}
	if len(list) == 1 {
		list[0].lacks(&b)
	} else {
		fmt.Fprintf(&b, "%-*s  %-12s %6s %6s  %-4s", n, "mean", "", "", "", "")
		for _, m := range means {
			fmt.Fprintf(&b, "  %9.1f", m.Score)
		}
		b.WriteByte('\n')
	}
	_, err := quietWriter{a.std.out}.Write([]byte(b.String()))
	return err
}

// lacks lists the checks that a record does not pass in full.
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
