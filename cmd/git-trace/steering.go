package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/internal/version"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/steering"
	"github.com/git-trace/git-trace/records/treetrace"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/report/span"
	"github.com/git-trace/git-trace/view"
	"github.com/git-trace/git-trace/view/exchange"
	"github.com/git-trace/git-trace/view/facts"
	"github.com/git-trace/git-trace/view/lookup"
)

// steeringSchema names the form of the JSON output; docs/schema/steering-1.schema.json describes it.
const steeringSchema = "git-trace.steering/1"

// steeringScope is the form of the operands of steering commands.
const steeringScope = "[<conversation> | <revision range>]…"

// wordTable reads the word table that an option names; nil for the English one.
func wordTable(c *call) (*steering.Words, error) {
	name := c.String("words")
	if name == "" {
		return nil, nil
	}
	raw, err := os.ReadFile(name)
	if err != nil {
		return nil, exit.Fail(exit.Unchecked, exchange.FileFault(name, refs.PathCause(err)), "")
	}
	english, err := steering.English()
	if err != nil {
		return nil, err
	}
	known, err := english.With(raw)
	if err != nil {
		return nil, exit.Fail(exit.Unchecked, exchange.FileFault(name, err), "")
	}
	return known, nil
}

func steeringCommand() *command {
	return &command{
		Name: "steering",
		Does: "how people steered agents: what was declined, failed, corrected and given up",
		Form: "git trace steering [--json | --write <directory>] [--redact-auto] [--words <file>] " + steeringScope,
		About: "Reads all recorded conversations, the named ones, or the ones that wrote lines of the commits of a\n" +
			"range. It says how each prompt relates to the previous one, what failed, and which prompt corrected\n" +
			"it. Calls, edits and commits count more than words. --write puts tree.json, lessons, evals and all\n" +
			"other files of TreeTrace 0.3 into a directory. The exit status is 4 when a secret must not leave.",
		Options: options("json", "redact-auto", "words", "write"),
		Examples: []example{
			{"git trace steering main..topic", "what was declined, corrected and given up on a branch"},
		},
		Run:    (*app).steering,
		Traits: bounded | anew,
		Shows:  []string{"", "--json"},
	}
}

// atHandText says which conversations lessons and handoff take without an operand.
const atHandText = "Without an operand it takes the current work: the conversations with lines in commits that " +
	"the upstream\nof the branch does not have, and the newest one; HEAD takes all. See git trace steering."

func lessonsCommand() *command {
	return &command{
		Name:    "lessons",
		Does:    "lessons for agents from corrections by people",
		Form:    "git trace lessons [--json] [--redact-auto] [--words <file>] " + steeringScope,
		About:   "One line for each lesson, with the prompts that prove it. " + atHandText,
		Options: options("json", "redact-auto", "words"),
		Examples: []example{
			{"git trace lessons >LESSONS.md", "what agents should remember"},
		},
		Run:    func(a *app, c *call, ops operands) error { return a.steered(c, ops, treetrace.Lessons) },
		Traits: bounded | anew,
		Shows:  []string{"", "--json"},
	}
}

func handoffCommand() *command {
	return &command{
		Name: "handoff",
		Does: "the state of the work, for the next agent or person",
		Form: "git trace handoff [--json] [--redact-auto] [--words <file>] " + steeringScope,
		About: "The goal, open tasks, uncommitted and failing work, valid decisions, constraints, dead ends " +
			"and lessons.\n" +
			atHandText,
		Options: options("json", "redact-auto", "words"),
		Examples: []example{
			{"git trace handoff 4f2a", "the state of a conversation, for the next agent or person"},
		},
		Run:    func(a *app, c *call, ops operands) error { return a.steered(c, ops, treetrace.Handoff) },
		Traits: bounded | anew,
		Shows:  []string{"", "--json"},
	}
}

func (a *app) steering(c *call, ops operands) error {
	dir := c.String("write")
	switch {
	case dir != "" && c.Bool("json"):
		return exit.Usage("options '--json' and '--write' exclude each other")
	case dir != "":
		return a.steered(c, ops, func(d *treetrace.Document) ([]byte, error) { return nil, writeFiles(dir, d) })
	}
	return a.steered(c, ops, treetrace.Screen)
}

// steered makes the requested document. It writes the document with form, or as JSON.
func (a *app) steered(c *call, ops operands, form func(*treetrace.Document) ([]byte, error)) error {
	if c.Bool("json") {
		form = steeringJSON
	}
	repo, known, err := a.recorded(c.Context)
	if err != nil {
		return err
	}
	defer known.Close()
	e := &exporter{app: a, ctx: c.Context, repo: repo, known: known,
		out: &terminal.StickyWriter{Writer: terminal.Quietly(a.std.out)}}
	if err := e.choose(ops.All()); err != nil {
		return lookup.ReportAmbiguous(a.std.err, err)
	}
	if name := c.Name; len(ops.All()) == 0 && name != "steering" {
		if err := e.chooseAtHand(name); err != nil {
			return err
		}
	}
	e.force = len(e.traces) > 0 // conversations are always shown if they were named
	e.names = !c.IsSet("write") // lists on the screen cite prompts; the files of the format cite nodes
	return e.writeTree(c, form)
}

// chooseAtHand chooses the newest conversation, and those with lines in the branch's commits that its upstream does not
// have.
func (e *exporter) chooseAtHand(command string) error {
	newest, err := e.known.Newest("", 1)
	if err != nil || len(newest) == 0 {
		return err
	}
	all, err := e.known.Conversations()
	if err != nil {
		return err
	}
	ahead := map[string]bool{} // commits that the upstream does not have
	if upstream := span.Upstream(e.ctx, e.repo, "HEAD"); upstream != "" {
		if list, err := e.repo.Git(e.ctx, nil, "rev-list", upstream+"..HEAD", "--"); err == nil {
			for id := range strings.FieldsSeq(string(list)) {
				ahead[id] = true
			}
		}
	}
	if len(ahead) > 0 {
		if err := e.known.Complete(e.ctx, all); err != nil {
			return err
		}
	}
	for i := range all {
		here := func(c view.CommitLines) bool { return ahead[c.Commit.String()] }
		if all[i].Trace == newest[0].Trace || slices.ContainsFunc(all[i].Commits, here) {
			e.traces = append(e.traces, all[i].Trace)
		}
	}
	if len(e.traces) < len(all) {
		fmt.Fprintf(e.app.std.err, "git-trace: hint: the current work, %d of %s; git trace %s HEAD takes all that wrote "+
			"lines\n", len(e.traces), numbers.Count(len(all), "conversation"), command)
	}
	return nil
}

// writeTree writes the tree of the wanted conversations with form. The gate checks every text first.
func (e *exporter) writeTree(c *call, form func(*treetrace.Document) ([]byte, error)) error {
	known, err := wordTable(c)
	if err != nil {
		return err
	}
	gate, err := exchange.NewGate(e.ctx, e.repo)
	if err != nil {
		return err
	}
	o := steering.Options{Version: version.Number, Words: known}
	if !e.repo.Bare() {
		o.Project = filepath.Base(e.repo.WorkTree)
		root, err := gate.Text(filepath.ToSlash(e.repo.WorkTree))
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
			return e.app.allFaults(faults)
		}
		fmt.Fprintln(e.app.std.err, noneStored)
		if !c.Bool("json") {
			return nil
		}
	}
	if gate.Short, err = e.known.Short(); err != nil {
		return err
	}
	stored := func(trace events.TraceID) (*records.Record, error) {
		read, err := e.known.Record(e.ctx, trace)
		return read.Record, err
	}
	if err := gate.Pass(d, c.Bool("redact-auto"), stored); err != nil {
		return err
	}
	text, err := form(d)
	if err != nil {
		return err
	}
	if _, err := e.out.Write(text); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return e.app.allFaults(faults)
}

// steered returns the document of the wanted conversations, with the log's facts about them.
func (e *exporter) steered(o steering.Options) (d *treetrace.Document, faults []error, err error) {
	b, err := steering.New(o)
	if err != nil {
		return nil, nil, err
	}
	log, err := facts.OpenSteering(e.ctx, e.repo, e.known.Reader)
	if err != nil {
		return nil, nil, err
	}
	defer log.Close()
	short, err := e.known.Short()
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
		if e.names {
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

// steeringView joins failures, chains, rejections, lessons and the state of the work.
type steeringView struct {
	Schema     string              `json:"schema"`
	Project    string              `json:"project"`
	Stats      treetrace.Stats     `json:"stats"`
	Nodes      []steeringNode      `json:"nodes"`
	Failures   []treetrace.Failure `json:"failures"`
	Chains     []treetrace.Chain   `json:"chains"`
	Rejections []treetrace.Placed  `json:"rejections"`
	Lessons    []treetrace.Lesson  `json:"lessons"`
	Handoff    treetrace.Brief     `json:"handoff"`
}

// steeringNode is a prompt with the members that lists need.
type steeringNode struct {
	ID      string         `json:"id"`
	Trace   string         `json:"trace,omitempty"`
	Session string         `json:"session"`
	Kind    string         `json:"kind"`
	By      string         `json:"by"`
	Status  string         `json:"status"`
	Title   string         `json:"title"`
	Git     *treetrace.Git `json:"git,omitempty"`
}

func steeringJSON(d *treetrace.Document) ([]byte, error) {
	v := steeringView{
		Schema: steeringSchema, Project: d.Project.Name, Stats: d.Stats, Nodes: []steeringNode{}, Failures: d.Failures,
		Chains: d.CorrectionChains, Rejections: d.Placed(), Lessons: d.Lessons,
		Handoff: d.Brief,
	}
	for i := range d.Nodes {
		n := &d.Nodes[i]
		v.Nodes = append(v.Nodes, steeringNode{n.ID, d.TraceOf(n.Session), n.Session, n.Kind, n.KindBy, n.Status, n.Title,
			n.Git})
	}
	var out bytes.Buffer
	err := writeJSON(&out, v)
	return out.Bytes(), err
}

// writeFiles writes all files of the format below a directory. Each file is written completely, or stays unchanged. It
// does not follow a link that leads out of the directory.
func writeFiles(dir string, d *treetrace.Document) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return exit.Fail(exit.Unchecked, fmt.Errorf("make directory '%s': %w", dir, refs.PathCause(err)), "")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return exit.Fail(exit.Unchecked, fmt.Errorf("open directory '%s': %w", dir, refs.PathCause(err)), "")
	}
	defer func() { _ = root.Close() }()
	return treetrace.Files(d, func(file treetrace.File) error {
		if err := writeIn(root, file); err != nil {
			return exit.Fail(exit.Unchecked, fmt.Errorf("write '%s': %w", path.Join(filepath.ToSlash(dir), file.Name),
				refs.PathCause(err)), "")
		}
		return nil
	})
}

func writeIn(root *os.Root, file treetrace.File) error {
	name := filepath.FromSlash(file.Name)
	if below := filepath.Dir(name); below != "." {
		if err := root.MkdirAll(below, 0o777); err != nil {
			return err
		}
	}
	temporary := name + ".new"
	if err := root.WriteFile(temporary, file.Data, 0o666); err != nil {
		return errors.Join(err, root.Remove(temporary))
	}
	return root.Rename(temporary, name)
}
