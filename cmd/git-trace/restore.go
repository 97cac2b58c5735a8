package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/agents/shell"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
	"github.com/git-trace/git-trace/trails/route"
	"github.com/git-trace/git-trace/upkeep/restore"
	"github.com/git-trace/git-trace/view"
	"github.com/git-trace/git-trace/view/lookup"
)

// restoreSchema names the form of the JSON output; docs/schema/restore-1.schema.json describes it.
const restoreSchema = "git-trace.restore/1"

func restoreCommand() *command {
	return &command{
		Name: "restore",
		Does: "restore files as they were at a prompt or a call",
		Form: "git trace restore [--dry-run] [--after] [--force] [--json] <moment> [--] <path>…",
		About: "Gives files of the work tree the content and the mode that they had at a prompt (4f2a#3), a step\n" +
			"(4f2a:12), a tool call (toolu_…) or an event (@17): when the prompt was sent or the call began.\n" +
			"With --after, when it ended. Restored lines keep their former owners.\n\n" +
			"It touches only the named paths, and not the index. A directory means the files in it. A file that\n" +
			"did not exist then is deleted if you name it; in a directory it stays and is reported. Nothing is\n" +
			"written through a link, into submodules, or outside of a sparse checkout. If something fails,\n" +
			"nothing changes.\n\n" +
			"Content that is in no commit, not in the index and in no snapshot is replaced only with --force. A\n" +
			"snapshot keeps the present state, and restore prints the command that brings it back. It names the\n" +
			"owners of lines that it removes. On a terminal it asks before it removes lines that the named\n" +
			"conversation did not write.",
		Options: append(options("dry-run"), slices.Concat(options("before", "after"),
			[]optionUse{opt("force", "the replaced content is not saved"), jsonFlag(), colorFlag()})...),
		Examples: []example{
			{"git trace restore --dry-run 4f2a#3 .", "show what it would restore"},
			{"git trace restore 4f2a#3 -- server.go", "a file as it was when prompt 3 was sent"},
		},
		Run:    (*app).restore,
		Traits: common,
		Tries:  []string{"1234#1 a", "-n @1 .", "HEAD a"},
	}
}

// restored lists the restored files, in JSON.
type restored struct {
	Schema string         `json:"schema"`
	DryRun bool           `json:"dry_run"`
	Tree   refs.OID       `json:"tree"`
	Paths  []restoredPath `json:"paths"`
	Left   []restoredPath `json:"left"`
	Same   int            `json:"same"`
	Lost   []lostLines    `json:"lost"` // lines that the restore removes, by owner
	Undo   *string        `json:"undo"` // the moment before; null if nothing was done or nothing is recorded

	lost string // the lost lines in words
	back int    // lines that a revert restores
}

type restoredPath struct {
	Path       string `json:"path"`
	PathBase64 string `json:"path_base64,omitempty"`
	Action     string `json:"action"` // changed, created, deleted or left
	Why        string `json:"why,omitempty"`
}

func (a *app) restore(c *call, ops operands) error {
	words := ops.All()
	switch {
	case len(words) == 0 || ops.Dashed && len(ops.List) != 1:
		return exit.Usage("a prompt or a call is needed, then paths: git trace restore 4f2a#3 -- <path>…")
	case len(words) == 1:
		return exit.Usage("which files? '.' stands for all that is here and below")
	case c.Bool("before") && c.Bool("after"):
		return exit.Usage("--before and --after exclude each other")
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
	then, err := a.momentNamed(c.Context, &lookup.Resolver{Repo: repo, Known: known}, words[0], c.Bool("after"))
	if err != nil {
		return lookup.ReportAmbiguous(a.std.err, err)
	}
	gone, end, err := takeTurn(repo, c.Bool("dry-run"))
	if err != nil {
		return err
	}
	defer end()
	taken, err := takeSnapshot(c.Context, repo)
	if err != nil {
		return err
	}
	plan, err := restore.Make(c.Context, repo, then.Tree, taken.Tree, paths, gone)
	if err != nil {
		return refused(err)
	}
	out := restored{Schema: restoreSchema, DryRun: c.Bool("dry-run"), Tree: then.Tree, Same: plan.Same}
	if err := a.putBack(c, repo, known, then, taken.Tree, plan, &out, plan.Contents()); err != nil {
		return err
	}
	if c.Bool("json") {
		return writeJSON(terminal.Quietly(a.std.out), out)
	}
	return a.printRestored(&out, repo, plan, words[1:])
}

// takeTurn waits until no other process writes files. It returns the paths that a killed restore had deleted. A dry run
// does not wait, and changes nothing.
func takeTurn(repo *refs.Repo, dry bool) (gone []string, end func(), err error) {
	if dry {
		return nil, func() {}, nil
	}
	turn, err := restore.Begin(repo)
	if err != nil {
		return nil, nil, err
	}
	return turn.Gone(), turn.End, nil
}

// putBack executes a plan, unless it would remove more than the person wants. The contents come from the timeline.
func (a *app) putBack(c *call, repo *refs.Repo, known *lookup.Conversations, then namedMoment, now refs.OID,
	plan *restore.Plan, out *restored, contents map[string]refs.OID,
) (err error) {
	if out.Lost, err = a.loss(repo, known, then.Moment, now, plan); err != nil {
		return err
	}
	if then.takes != nil {
		out.Lost = then.takes(out.Lost)
	}
	if out.lost, err = lossText(known, out.Lost); err != nil {
		return err
	}
	if len(plan.Unsaved) > 0 && !c.Bool("force") && !out.DryRun {
		return unsaved(plan.Unsaved)
	}
	if !out.DryRun && !c.Bool("json") && !c.Bool("force") && ofOthers(out.Lost, then.trace) {
		if err := a.mayLose(out.lost, c.Name); err != nil {
			return err
		}
	}
	if !out.DryRun && len(plan.Changes) > 0 {
		if out.Undo, err = a.carryOut(c.Context, repo, plan, contents); err != nil {
			return err
		}
	}
	out.tell(plan)
	return nil
}

// namedMoment is a snapshot, and the conversation that its name contains; "" for none.
type namedMoment struct {
	view.Moment
	trace events.TraceID
	takes func([]lostLines) []lostLines // corrects the lost lines of a diff; nil if they need no correction
}

// momentNamed returns the snapshot that a word means.
func (a *app) momentNamed(ctx context.Context, r *lookup.Resolver, word string, after bool) (m namedMoment, err error) {
	p, known, err := r.PlaceNamed(ctx, word)
	switch {
	case err != nil:
		return m, err
	case !known:
		return m, exit.Fail(exit.Finding, fmt.Errorf("'%s' is not a prompt, step or call", word),
			"git trace log lists conversations; files of a commit come back with git restore --source")
	}
	m.trace = p.Trace
	m.Moment, err = r.Moment(ctx, word, p, after)
	return m, err
}

// pathsHere returns paths of the command line relative to the top of the work tree. It does not follow links.
func pathsHere(repo *refs.Repo, words []string) ([]string, error) {
	out := make([]string, len(words))
	for i, word := range words {
		abs, err := filepath.Abs(filepath.FromSlash(word))
		if err != nil {
			return nil, err
		}
		inside, ok := route.Relative(repo, abs)
		if abs == filepath.Clean(repo.WorkTree) {
			inside, ok = "", true
		}
		if word == "" || !ok {
			return nil, exit.Fail(exit.Git, fmt.Errorf("'%s' is not in this work tree", word), "")
		}
		if inside == "." {
			inside = ""
		}
		out[i] = path.Clean("/" + inside)[1:]
	}
	return out, nil
}

func refused(err error) error {
	var refusal *restore.Refusal
	if errors.As(err, &refusal) {
		return exit.Fail(exit.Finding, err, refusal.Hint)
	}
	return err
}

// unsaved returns the error for content that would be replaced, and could not be restored.
func unsaved(paths []string) error {
	what := paths[0]
	if n := len(paths) - 1; n > 0 {
		what += " and " + numbers.Count(n, "other file")
	}
	return exit.Fail(exit.Finding, fmt.Errorf("%s: its content is in no commit, not staged and in no snapshot", what),
		"commit or stash it, or replace it with --force")
}

// carryOut restores files. The timeline takes a snapshot before and after; the first keeps the present content.
func (a *app) carryOut(ctx context.Context, repo *refs.Repo, plan *restore.Plan, contents map[string]refs.OID) (
	undo *string, err error) {
	records := recorded.Is(repo)
	engine := runner.Engine(repo, events.OpenLog(repo))
	if records {
		if err := engine.Announce(ctx, time.Now(), contents); err != nil {
			return nil, err
		}
		if undo, err = a.wayBack(ctx, repo); err != nil {
			return nil, err
		}
	}
	err = plan.Do(ctx)
	if records {
		err = errors.Join(err, engine.Arrived(context.WithoutCancel(ctx), time.Now(), contents))
	}
	if errors.Is(err, restore.ErrNotKept) {
		return nil, exit.Fail(exit.Finding, err, "snapshots are removed after "+lookup.SnapshotExpiry+"; nothing was changed")
	}
	return undo, err
}

// wayBack returns the name of the snapshot that the timeline has just kept.
func (a *app) wayBack(ctx context.Context, repo *refs.Repo) (*string, error) {
	known, err := a.openConversations(ctx, repo)
	if err != nil {
		return nil, err
	}
	defer known.Close()
	seq, err := known.LastMoment(repo.WorktreeName())
	if err != nil || seq == 0 {
		return nil, err
	}
	name := fmt.Sprintf("@%d", seq)
	return &name, nil
}

// `tell` lists the action for each path.
func (r *restored) tell(plan *restore.Plan) {
	r.Paths, r.Left = []restoredPath{}, []restoredPath{}
	of := func(path, action, why string) restoredPath {
		return restoredPath{strings.ToValidUTF8(path, "\ufffd"), events.EncodeBytes(path), action, why}
	}
	for i := range plan.Changes {
		c := &plan.Changes[i]
		action, why := "changed", ""
		switch {
		case c.Deletes():
			action = "deleted"
		case !c.Over:
			action = "created"
		}
		if r.DryRun && slices.Contains(plan.Unsaved, c.Path) {
			why = "the present content is not saved; --force replaces it"
		}
		r.Paths = append(r.Paths, of(c.Path, action, why))
	}
	for _, l := range plan.Left {
		r.Left = append(r.Left, of(l.Path, "left", l.Why))
	}
}

// mostNamed limits the files in the command that undoes a restore. Only new files are named there: without their names
// they would not be removed.
const mostNamed = 8

func (a *app) printRestored(r *restored, repo *refs.Repo, plan *restore.Plan, words []string) error {
	var out strings.Builder
	would, width := "", len("deleted")
	if r.DryRun {
		would = "would be "
	}
	for _, p := range slices.Concat(r.Paths, r.Left) {
		action := would + p.Action
		if p.Action == "left" {
			action = p.Action
		}
		row := cells.Pad(action, len(would)+width) + "  " + cells.Safe(p.Path)
		if p.Why != "" {
			row += "  (" + p.Why + ")"
		}
		out.WriteString(row + "\n")
	}
	if r.lost != "" {
		out.WriteString(would + "taken away: " + cells.Safe(r.lost) + "\n")
	}
	if r.back > 0 {
		out.WriteString(would + "brought back: " + numbers.Count(r.back, "line") + "\n")
	}
	if len(r.Paths) == 0 && plan.Same > 0 {
		out.WriteString("nothing to do: " + numbers.Count(plan.Same, "file") + " as then\n")
	}
	if r.Undo != nil {
		if len(plan.Changes) <= mostNamed {
			words = namesHere(repo, plan)
		}
		out.WriteString("to go back: git trace restore " + *r.Undo + " -- " + cells.Safe(shell.Line(words)) + "\n")
	}
	_, err := io.WriteString(terminal.Quietly(a.std.out), out.String())
	return err
}

// namesHere returns the files of a plan relative to the person's directory.
func namesHere(repo *refs.Repo, plan *restore.Plan) []string {
	dir, _ := filepath.Abs(".")
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	var names []string
	for i := range plan.Changes {
		name, err := filepath.Rel(dir, filepath.Join(repo.WorkTree, filepath.FromSlash(plan.Changes[i].Path)))
		if err == nil {
			names = append(names, filepath.ToSlash(name))
		}
	}
	return names
}
