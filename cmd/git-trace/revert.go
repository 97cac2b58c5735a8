package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
	"github.com/git-trace/git-trace/upkeep/restore"
	"github.com/git-trace/git-trace/upkeep/restore/backward"
	"github.com/git-trace/git-trace/upkeep/restore/weave"
	"github.com/git-trace/git-trace/view"
	"github.com/git-trace/git-trace/view/lookup"
)

// revertSchema names the form of the JSON output; docs/schema/revert-1.schema.json describes it.
const revertSchema = "git-trace.revert/1"

func revertCommand() *command {
	return &command{
		Name: "revert",
		Does: "take back what a prompt, a call, a conversation or a commit's agents wrote",
		Form: "git trace revert [--dry-run] [--force] [--json] <work> [--] [<path>…]",
		About: "Removes the work from the files of the work tree, and keeps everything that came later. The work\n" +
			"is a prompt (4f2a#3), a step (4f2a:12), a tool call (toolu_…), a patch, a conversation (4f2a), or\n" +
			"a commit, which means the lines of agents in it. Lines that still belong to the work are removed.\n" +
			"Lines that the work removed come back in their place. A file that it created is removed if nobody\n" +
			"else wrote in it, and a file that it deleted comes back. The index, HEAD and the stash stay as\n" +
			"they are.\n\n" +
			"If somebody changed what the work wrote, both versions stand between conflict markers, and the\n" +
			"exit status is 1. Lines of others are never removed. Either all files change or none, and revert\n" +
			"prints the command that brings the present state back. If hooks of this clone did not see the\n" +
			"work, revert finds its lines in commits of HEAD, by the log of this clone or a signed log.",
		Options: append(options("dry-run"),
			[]optionUse{opt("force", "the replaced content is not saved"), jsonFlag(), colorFlag()}...),
		Examples: []example{
			{"git trace revert --dry-run 4f2a#3", "whose lines would go, and which come back"},
			{"git trace revert 4f2a#3 -- server.go", "undo what prompt 3 did to a file, and nothing that came later"},
		},
		Run:    (*app).revert,
		Traits: common,
		Tries:  []string{"1234#1", "-n HEAD", "--json nosuch"},
	}
}

// revertedFiles is the JSON output.
type revertedFiles struct {
	restored
	Files     []revertedFile `json:"files"` // files that the work changed
	Conflicts int            `json:"conflicts"`
}

type revertedFile struct {
	Path       string `json:"path"`
	PathBase64 string `json:"path_base64,omitempty"`
	Taken      int    `json:"taken"` // lines of the work that are removed
	Back       int    `json:"back"`  // lines that are restored
	Conflicts  int    `json:"conflicts"`
	Left       string `json:"left,omitempty"` // the reason why it is not changed
}

func (a *app) revert(c *call, ops operands) error {
	words := ops.All()
	if len(words) == 0 || ops.Dashed && len(ops.List) != 1 {
		return exit.Usage("one prompt, call, conversation or commit is needed: git trace revert 4f2a#3 [-- <path>…]")
	}
	repo, known, err := a.recordedIn(c.Context, a.workTree)
	if err != nil {
		return err
	}
	defer known.Close()
	paths, err := pathsHere(repo, words[1:])
	if err != nil {
		return err
	}
	t := taking{app: a, c: c, repo: repo, known: known, name: words[0]}
	if err := t.find(); err != nil {
		return lookup.ReportAmbiguous(a.std.err, err)
	}
	gone, end, err := takeTurn(repo, c.Bool("dry-run"))
	if err != nil {
		return err
	}
	defer end()
	return t.take(paths, gone)
}

// taking is an undo of some work.
type taking struct {
	*app
	c     *call
	repo  *refs.Repo
	known *lookup.Conversations
	name  string // of the work, as the person typed it
	work  backward.Work
	steps []backward.Step
}

// find finds the work's changes.
func (t *taking) find() error {
	o, err := (&lookup.Resolver{Repo: t.repo, Known: t.known}).Resolve(t.c.Context, t.name)
	if err != nil {
		return err
	}
	t.work = backward.Work{Trace: o.Trace, Prompt: o.Prompt, Patch: o.Patch, Commit: o.Commit}
	switch o.Kind {
	case lookup.ToolCallObject:
		t.work.Calls = []string{o.ToolCall}
	case lookup.StepObject:
		if t.work.Calls, err = lookup.StepCalls(t.c.Context, t.known, t.name, o); err != nil {
			return err
		}
	case lookup.EventObject, lookup.WhyObject:
		return exit.Fail(exit.Finding, fmt.Errorf("'%s' did not write anything", t.name), "git trace log lists conversations")
	default:
	}
	if o.Kind != lookup.CommitObject {
		steps, seen, err := backward.Find(t.known.Log(), t.work)
		if err != nil || seen {
			t.steps = steps
			return err
		}
	}
	return t.findCommitted()
}

// findCommitted finds the work's changes in commits.
func (t *taking) findCommitted() (err error) {
	var commits []refs.OID
	if !t.work.Commit.IsZero() {
		commits = []refs.OID{t.work.Commit}
	} else {
		lines, err := t.known.Lines()
		if err != nil {
			return err
		}
		held, err := lines.Anchors(t.work.Trace, t.work.Owns)
		if err != nil {
			return err
		}
		for i := range held {
			commits = append(commits, held[i].Commit)
		}
	}
	var strangers []string
	t.steps, strangers, err = backward.Committed(t.c.Context, t.repo, t.known.Log(), t.known.Searcher(), t.work, commits)
	if err != nil {
		return err
	}
	switch {
	case len(t.steps) > 0:
	case len(strangers) > 0:
		return exit.Fail(exit.Finding,
			fmt.Errorf("'%s': only the log of another clone has it (%s, not signed), and revert does not trust that",
				t.name, cells.Safe(strangers[0])), "git trace show "+t.name+" shows its claim")
	default:
		return t.nothing()
	}
	return nil
}

// nothing returns the error for work without changes. It names the conversation's prompts that have changes.
func (t *taking) nothing() error {
	err := fmt.Errorf("'%s': no change of it is known here, in the work tree or in commits of HEAD", t.name)
	hint := lookup.SeeObject(t.name, lookup.Object{Trace: t.work.Trace, Prompt: t.work.Prompt})
	lines, failed := t.known.Lines()
	short, unnamed := t.known.Short()
	if t.work.Trace == "" || t.work.Prompt == 0 || failed != nil || unnamed != nil {
		return exit.Fail(exit.Finding, err, hint)
	}
	held, failed := lines.Anchors(t.work.Trace, func(*events.AnchorOwner) bool { return true })
	prompts := map[int]bool{}
	for i := range held {
		prompts[held[i].Owner.Prompt] = true
	}
	if delete(prompts, 0); failed != nil || len(prompts) == 0 {
		return exit.Fail(exit.Finding, err, hint)
	}
	var named []string
	for _, n := range slices.Sorted(maps.Keys(prompts)) {
		named = append(named, short(t.work.Trace)+"#"+strconv.Itoa(n))
	}
	return exit.Fail(exit.Finding, err, "commits have lines of "+numbers.SomeOf(named)+"; "+hint)
}

// take removes the work's changes.
func (t *taking) take(paths, gone []string) error {
	ctx := t.c.Context
	follows, err := t.known.Tracker()
	if err != nil {
		return err
	}
	defer func() { _ = follows.Close() }()
	taken, err := takeSnapshot(ctx, t.repo)
	if err != nil {
		return err
	}
	owners := &backward.Owners{
		Work: t.work, Repo: t.repo,
		Lines: func(path string) ([]blame.Annotated, error) { return follows.Lines("", path) },
		Before: func(call string) refs.OID {
			m, err := t.known.Moment(ctx, view.Place{Call: call}, false)
			if err != nil {
				return refs.OID{}
			}
			return m.Tree
		},
	}
	labels := weave.Labels{Now: "now", Without: "without " + t.name}
	made, err := backward.Make(ctx, t.repo, taken.Tree, t.steps, owners, labels,
		func(path string) bool {
			return len(paths) == 0 || slices.ContainsFunc(paths, func(p string) bool { return view.Within(p, path) })
		})
	if err != nil {
		return err
	}
	var changed []string
	for i := range made.Files {
		if f := &made.Files[i]; f.Changed() {
			if changed = append(changed, f.Path); f.From != "" {
				changed = append(changed, f.From)
			}
		}
	}
	out := revertedFiles{restored: restored{Schema: revertSchema, DryRun: t.c.Bool("dry-run"), Tree: made.Tree}}
	out.Paths, out.Left, out.Lost = []restoredPath{}, []restoredPath{}, []lostLines{}
	plan := &restore.Plan{}
	if len(changed) > 0 {
		if plan, err = restore.Make(ctx, t.repo, made.Tree, taken.Tree, changed, gone); err != nil {
			return refused(err)
		}
		if recorded.Is(t.repo) { // the timeline keeps the present content, and others keep their lines
			plan.Unsaved = nil
		}
		remembered, err := plan.Remembered(ctx)
		if err != nil {
			return err
		}
		head, _, err := t.repo.Head()
		if err != nil {
			return err
		}
		then := namedMoment{view.Moment{Tree: made.Tree, Head: head}, t.work.Trace, t.ofWork}
		if err := t.putBack(t.c, t.repo, t.known, then, taken.Tree, plan, &out.restored, remembered); err != nil {
			return err
		}
	}
	out.tellFiles(made)
	return t.show(&out, plan, made)
}

// ofWork counts all lost lines for the work, because a revert removes only its lines. Among equal neighbouring lines,
// blank ones for example, a diff may name the wrong owner.
func (t *taking) ofWork(lost []lostLines) []lostLines {
	var own []lostLines
	others := 0
	for _, l := range lost {
		if w := &t.work; l.Contributor == events.OwnerAI && (w.Trace == "" || l.Trace != nil && *l.Trace == w.Trace) &&
			(w.Prompt == 0 || l.Prompt != nil && *l.Prompt == w.Prompt) {
			own = append(own, l)
		} else {
			others += l.Lines
		}
	}
	if len(own) == 0 {
		return lost
	}
	own[0].Lines += others
	return own
}

func (r *revertedFiles) tellFiles(made *backward.Reverted) {
	r.Files = []revertedFile{}
	for i := range made.Files {
		f := &made.Files[i]
		r.Conflicts += f.Conflicts
		r.back += f.Back
		if f.Refused {
			r.Conflicts++
		}
		r.Files = append(r.Files, revertedFile{Path: strings.ToValidUTF8(f.Path, "\ufffd"),
			PathBase64: events.EncodeBytes(f.Path), Taken: f.Taken, Back: f.Back, Conflicts: f.Conflicts, Left: f.Left})
	}
}

func (t *taking) show(out *revertedFiles, plan *restore.Plan, made *backward.Reverted) error {
	w := terminal.Quietly(t.std.out)
	if t.c.Bool("json") {
		if err := writeJSON(w, out); err != nil {
			return err
		}
		return out.finding()
	}
	if err := t.printRestored(&out.restored, t.repo, plan, nil); err != nil {
		return err
	}
	for i := range made.Files {
		f := &made.Files[i]
		var row string
		switch {
		case f.Refused:
			row = "CONFLICT  " + cells.Safe(f.Path) + ": " + f.Left
		case f.Conflicts > 0:
			row = "CONFLICT  " + cells.Safe(f.Path) + ": " + numbers.Count(f.Conflicts, "place") + " between <<<<<<< and >>>>>>>"
		case f.Left != "":
			row = "left  " + cells.Safe(f.Path) + "  (" + f.Left + ")"
		default:
			continue
		}
		if _, err := io.WriteString(w, row+"\n"); err != nil {
			return err
		}
	}
	return out.finding()
}

// finding is the error of a revert with conflicts.
func (r *revertedFiles) finding() error {
	if r.Conflicts == 0 {
		return nil
	}
	if r.DryRun {
		return exit.Fail(exit.Finding, fmt.Errorf("there would be %s", numbers.Count(r.Conflicts, "conflict")), "")
	}
	hint := "choose between both versions in the files"
	if r.Undo != nil && len(r.Paths) > 0 {
		hint += ", or go back as said above"
	}
	return exit.Fail(exit.Finding, fmt.Errorf("%s to settle by hand", numbers.Count(r.Conflicts, "conflict")), hint)
}
