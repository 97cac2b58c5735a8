package main

import (
	"bytes"
	"os"

	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/records/steering"
	"github.com/git-trace/git-trace/records/treetrace"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/report/export"
	"github.com/git-trace/git-trace/view/exchange"
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
		return a.steered(c, ops, func(d *treetrace.Document) ([]byte, error) { return nil, export.Files(dir, d) })
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
	e := a.exporter(repo, known)
	if err := e.Choose(c.Context, ops.All()); err != nil {
		return lookup.ReportAmbiguous(a.std.err, err)
	}
	if len(ops.All()) == 0 && c.Name != "steering" {
		if err := e.ChooseAtHand(c.Name); err != nil {
			return err
		}
	}
	e.Force = len(e.Traces) > 0 // conversations are always shown if they were named
	e.Names = !c.IsSet("write") // lists on the screen cite prompts; the files of the format cite nodes
	return writeTree(c, e, form)
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
