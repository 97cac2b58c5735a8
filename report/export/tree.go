package export

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/internal/version"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/steering"
	"github.com/git-trace/git-trace/records/treetrace"
	"github.com/git-trace/git-trace/report/span"
	"github.com/git-trace/git-trace/view"
	"github.com/git-trace/git-trace/view/exchange"
	"github.com/git-trace/git-trace/view/facts"
	"github.com/git-trace/git-trace/view/lookup"
)

// ChooseAtHand chooses the newest conversation, and those with lines in the branch's commits that its upstream does not
// have.
func (e *Exporter) ChooseAtHand(command string) error {
	newest, err := e.Known.Newest("", 1)
	if err != nil || len(newest) == 0 {
		return err
	}
	all, err := e.Known.Conversations()
	if err != nil {
		return err
	}
	ahead := map[string]bool{} // commits that the upstream does not have
	if upstream := span.Upstream(e.ctx, e.Repo, "HEAD"); upstream != "" {
		if list, err := e.Repo.Git(e.ctx, nil, "rev-list", upstream+"..HEAD", "--"); err == nil {
			for id := range strings.FieldsSeq(string(list)) {
				ahead[id] = true
			}
		}
	}
	if len(ahead) > 0 {
		if err := e.Known.Complete(e.ctx, all); err != nil {
			return err
		}
	}
	for i := range all {
		here := func(c view.CommitLines) bool { return ahead[c.Commit.String()] }
		if all[i].Trace == newest[0].Trace || slices.ContainsFunc(all[i].Commits, here) {
			e.Traces = append(e.Traces, all[i].Trace)
		}
	}
	if len(e.Traces) < len(all) {
		fmt.Fprintf(e.Err, "git-trace: hint: the current work, %d of %s; git trace %s HEAD takes all that wrote "+
			"lines\n", len(e.Traces), numbers.Count(len(all), "conversation"), command)
	}
	return nil
}

// Tree holds the inputs of a tree of prompts.
type Tree struct {
	Words  *steering.Words // nil for the English ones
	Redact bool            // remove texts that must not leave
	Always bool            // also write a tree without conversations
}

// Write writes the tree of the wanted conversations with form. The gate checks every text first.
func (t Tree) Write(e *Exporter, form func(*treetrace.Document) ([]byte, error)) error {
	gate, err := exchange.NewGate(e.ctx, e.Repo)
	if err != nil {
		return err
	}
	o := steering.Options{Version: version.Number, Words: t.Words}
	if !e.Repo.Bare() {
		o.Project = filepath.Base(e.Repo.WorkTree)
		root, err := gate.Text(filepath.ToSlash(e.Repo.WorkTree))
		if err != nil {
			return err
		}
		o.Roots = []string{root}
	}
	d, faults, err := e.steered(o)
	if err != nil {
		return err
	}
	if len(d.Sessions) == 0 {
		if len(faults) > 0 {
			return terminal.Faults(e.Err, faults)
		}
		fmt.Fprintln(e.Err, lookup.NoneStored)
		if !t.Always {
			return nil
		}
	}
	if gate.Short, err = e.Known.Short(); err != nil {
		return err
	}
	stored := func(trace events.TraceID) (*records.Record, error) {
		read, err := e.Known.Record(e.ctx, trace)
		return read.Record, err
	}
	if err := gate.Pass(d, t.Redact, stored); err != nil {
		return err
	}
	text, err := form(d)
	if err != nil {
		return err
	}
	if _, err := e.Out.Write(text); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return terminal.Faults(e.Err, faults)
}

// steered returns the document of the wanted conversations, with the log's facts about them.
func (e *Exporter) steered(o steering.Options) (d *treetrace.Document, faults []error, err error) {
	b, err := steering.New(o)
	if err != nil {
		return nil, nil, err
	}
	log, err := facts.OpenSteering(e.ctx, e.Repo, e.Known.Reader)
	if err != nil {
		return nil, nil, err
	}
	defer log.Close()
	short, err := e.Known.Short()
	if err != nil {
		return nil, nil, err
	}
	e.byTime = true
	faults, err = e.each(func(r *records.Record) error {
		known, err := log.Known(r)
		if err != nil {
			return err
		}
		one := &steering.Conversation{Record: r, Known: known}
		if e.Names {
			one.Name = promptNames(r, short)
		}
		b.Add(one)
		return nil
	})
	if err != nil {
		return nil, faults, err
	}
	return b.Document(), faults, nil
}

// promptNames returns a function that names the prompt of a step as git trace show accepts it.
func promptNames(r *records.Record, short func(events.TraceID) string) func(step int) string {
	numbers, id := view.PromptNumbers(r), short(events.TraceID(r.TraceID))
	return func(step int) string {
		if n := numbers[step]; n > 0 {
			return id + "#" + strconv.Itoa(n)
		}
		return id + ":" + strconv.Itoa(max(step, 1))
	}
}
