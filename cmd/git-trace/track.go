package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/git-trace/git-trace/blame/trail"
	"github.com/git-trace/git-trace/correlate/belief"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/route"
	"github.com/git-trace/git-trace/view"
	"github.com/git-trace/git-trace/view/lookup"
)

func trackCommand() *command {
	return &command{
		name: "track",
		does: "the trail of a patch: created, committed, carried through rewrites, and what is left of it",
		form: "git trace track [--json] <id> | <commit> | <path>[:<line>[-<line>]] | [:]<function>[:<path>] …",
		about: "An id names a patch, or the source of several: a tool call, a prompt (4f2a#3), a conversation. For\n" +
			"a commit it follows the patches that added its lines; for a file or lines in the work tree, the\n" +
			"patches that wrote them. The remaining lines are the lines that blame gives to the patch today,\n" +
			"also at another place: a line that only moved up or down is untouched. For a function it shows the\n" +
			"commits that changed it, with the prompts, through renames of the file; its name is a word of its\n" +
			"function line. :<function> says that it is not an id, a branch or a path. git trace help blame\n" +
			"says what a function is. The exit status is 1 when the id does not exist, or nothing is recorded\n" +
			"about it.",
		options: options("json", "color"),
		examples: []example{
			{"git trace track '4f2a#1'", "the fate of one prompt's lines"},
			{"git trace track server.go:3", "the fate of the change that added a line"},
			{"git trace track Close:server.go", "the history of a function"},
		},
		run:    (*app).track,
		traits: anew,
		shows:  []string{"a:3", "--json a:3", "HEAD"},
	}
}

func (a *app) track(c *call, ops operands) error {
	wanted := ops.all()
	if len(wanted) == 0 {
		return exit.Fail(exit.Misuse, errors.New("name something to track"),
			"git trace track <id> | <commit> | <path>[:<line>] | <function>")
	}
	repo, known, err := a.recorded(c.Context)
	if err != nil {
		return err
	}
	defer known.Close()
	views, err := newViewer(c.Context, repo, known)
	if err != nil {
		return err
	}
	defer views.close()
	tracker, err := views.follow()
	if err != nil {
		return err
	}
	f := patchFinder{app: a, viewer: views, tracker: tracker}
	for _, arg := range wanted {
		if err := f.find(arg); err != nil {
			return lookup.ReportAmbiguous(a.std.err, err)
		}
	}
	list := []*trail.Trail{}
	for _, p := range f.found {
		one, err := p.follow(tracker)
		if err != nil {
			return blameFailure(err)
		}
		list = append(list, one)
	}
	if c.Bool("json") {
		document := trail.JSON(list)
		document.Functions = f.functions
		return writeJSON(terminal.Quietly(a.std.out), document)
	}
	screen, err := a.screen(repo, c.String("color"))
	if err != nil {
		return err
	}
	d := &trackDrawer{showDrawer: newShowDrawer(screen, views)}
	d.gather(list)
	for i := range len(f.functions) + len(list) {
		if n := len(f.functions); i < n {
			d.function(f.functions[i])
		} else {
			d.trail(list, i-n)
		}
		if _, err := io.Copy(screen.Out, strings.NewReader(d.take())); err != nil {
			return errors.Join(err, screen.Close())
		}
	}
	return screen.Close()
}

// patchFinder collects the patches that arguments mean, each once.
type patchFinder struct {
	*app
	*viewer
	tracker *trail.Tracker
	found   []foundPatch

	functions []*trail.FunctionJSON
}

// foundPatch is the writer of some lines, and a path with these lines if one is known.
type foundPatch struct {
	owner events.AnchorOwner
	path  string
}

func (p *foundPatch) follow(tracker *trail.Tracker) (*trail.Trail, error) {
	if p.owner.Patch == "" {
		return tracker.Claim(&p.owner, p.path)
	}
	return tracker.Patch(p.owner.Patch, p.path)
}

// add notes an owner's lines, each trail once. A person's lines have a trail if they have a patch.
func (f *patchFinder) add(owner events.AnchorOwner, path string) {
	key := trail.KeyOf(&owner, path)
	if key != "" && !slices.ContainsFunc(f.found, func(p foundPatch) bool {
		return trail.KeyOf(&p.owner,
			p.path) == key
	}) {
		f.found = append(f.found, foundPatch{owner, path})
	}
}

// lineRange matches "<path>:<line>" and "<path>:<line>-<line>".
var lineRange = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(.+):(\d+)(?:-(\d+))?$`) })

// looksLikePath reports whether an argument looks like the name of a file, and not like an id.
func looksLikePath(name string) bool {
	_, err := os.Lstat(name)
	return err == nil || strings.ContainsAny(name, "/.") && !strings.HasPrefix(name, "b3")
}

// find reads an argument as lines of a file if the file exists or the form fits a file, otherwise as an id.
func (f *patchFinder) find(arg string) error {
	if name, is := strings.CutPrefix(arg, ":"); is {
		return f.function(name)
	}
	if p, named, err := placeOf(arg); named && looksLikePath(p.name) {
		if err != nil {
			return err
		}
		return f.lines(p)
	}
	r := lookup.Resolver{Repo: f.viewer.repo, Known: f.viewer.known}
	o, err := r.Resolve(f.ctx, arg)
	if err != nil {
		if info, missing := os.Lstat(arg); missing == nil && info.Mode().IsRegular() {
			return f.lines(fileLines{name: arg, first: 1})
		}
		var several *lookup.Ambiguous
		if errors.As(err, &several) || strings.ContainsAny(arg, "#@") || o.Trace != "" {
			return err
		}
		return f.function(arg)
	}
	before := len(f.found)
	if err := f.object(arg, o); err != nil {
		return err
	}
	switch {
	case len(f.found) > before:
	case o.Kind == lookup.CommitObject:
		return exit.Fail(exit.Finding, fmt.Errorf("nothing is recorded of commit %.10s", o.Commit),
			"git trace show "+o.Commit.String()[:10]+" says what git knows")
	default:
		return exit.Fail(exit.Finding, fmt.Errorf("'%s' has no known line", cells.Message(arg)),
			lookup.SeeObject(cells.Message(arg), o))
	}
	return nil
}

// object adds the patches that an object made or contains.
func (f *patchFinder) object(name string, o lookup.Object) error {
	var wrote []view.Written
	var err error
	switch o.Kind {
	case lookup.PatchObject:
		f.add(events.AnchorOwner{Patch: o.Patch}, "")
	case lookup.ToolCallObject:
		wrote, err = f.known.WrittenBy(f.ctx, o.ToolCall)
	case lookup.StepObject:
		calls, failed := lookup.StepCalls(f.ctx, f.known, name, o)
		if failed != nil {
			return failed
		}
		wrote, err = f.known.Written(o.Trace, func(_ int, call string) bool { return slices.Contains(calls, call) })
	case lookup.TraceObject:
		wrote, err = f.known.Written(o.Trace, func(int, string) bool { return true })
	case lookup.PromptObject:
		wrote, err = f.known.Written(o.Trace, func(prompt int, _ string) bool { return prompt == o.Prompt })
	case lookup.CommitObject:
		err = f.commit(o.Commit)
	case lookup.EventObject:
		err = f.event(o.Event)
	}
	for _, w := range wrote {
		f.add(w.Owner, w.Path)
	}
	if err == nil && len(wrote) == 0 && (o.Kind == lookup.TraceObject || o.Kind == lookup.PromptObject) {
		return f.published(o)
	}
	return err
}

// published adds the committed lines of a conversation or prompt that another clone published without its calls.
func (f *patchFinder) published(o lookup.Object) error {
	found, _, err := f.known.Conversation(o.Trace)
	if err != nil {
		return err
	}
	list := []view.Conversation{found}
	if err := f.known.Complete(f.ctx, list); err != nil {
		return err
	}
	for _, c := range list[0].Commits {
		known, err := belief.Of(f.known.Log(), c.Commit)
		if err != nil {
			return err
		}
		f.believed(known, func(owner *events.AnchorOwner) bool {
			return owner.Trace == o.Trace && (o.Kind == lookup.TraceObject || owner.Prompt == o.Prompt)
		})
	}
	return nil
}

// event adds the patches of an event.
func (f *patchFinder) event(e events.Event) error {
	switch e.Type {
	case events.PatchRecorded:
		f.add(events.AnchorOwner{Patch: events.DataOf[events.PatchData](e).Patch}, "")
	case events.CommitAnchored:
		f.believed(belief.Weigh(events.DataOf[events.CommitData](e).Commit, []events.Event{e}, e.Writer), everybody)
	default:
		return exit.Fail(exit.Finding, fmt.Errorf("event @%d is a %s, not a patch", e.Seq, e.Type),
			"git trace events lists the events")
	}
	return nil
}

// commit adds the patches whose lines a commit added.
func (f *patchFinder) commit(id refs.OID) error {
	known, err := belief.Of(f.known.Log(), id)
	if err == nil {
		f.believed(known, everybody)
	}
	return err
}

func everybody(*events.AnchorOwner) bool { return true }

// believed adds the patches of the owners of a commit's lines that of accepts.
func (f *patchFinder) believed(known *belief.Commit, of func(*events.AnchorOwner) bool) {
	for i := range known.Files {
		for k := range known.Files[i].Runs {
			if owner := known.Files[i].Runs[k].Owner; of(owner) {
				f.add(*owner, known.Files[i].Path)
			}
		}
	}
}

// lines adds the patches that wrote lines of a file in the work tree.
func (f *patchFinder) lines(p fileLines) error {
	path, err := pathInside(f.viewer.repo, p.name)
	if err != nil {
		return err
	}
	before, last := len(f.found), p.last
	for line := p.first; line <= max(last, 1); line++ {
		owner, count, err := f.tracker.Line(path, line)
		if err != nil {
			return blameFailure(err)
		}
		if line > count {
			if count == 0 {
				return noLines(p.name)
			}
			return exit.Fail(exit.Git, fmt.Errorf("'%s' has %s", p.name, numbers.Count(count, "line")), "")
		}
		if p.last == 0 { // the whole file
			last = count
		}
		f.add(owner.AnchorOwner(), path)
	}
	if len(f.found) == before {
		place := p.name
		if p.last > 0 {
			place += ":" + strconv.Itoa(p.first)
		}
		return exit.Fail(exit.Finding, fmt.Errorf("no hook saw who wrote %s", place),
			"it is older than the recording, or the recording has a gap; see git trace status")
	}
	return nil
}

func noLines(name string) error {
	return exit.Fail(exit.Git, fmt.Errorf("'%s' has no lines that git blame knows: it is missing, empty or not tracked",
		name),
		"paths are relative to the current directory, as for git blame")
}

// pathInside returns a file argument in git's form, relative to the top of the work tree.
func pathInside(repo *refs.Repo, name string) (string, error) {
	if repo.Bare() {
		return filepath.ToSlash(filepath.Clean(name)), nil
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	rel, ok := route.Relative(repo, abs)
	if !ok {
		return "", exit.Fail(exit.Git, fmt.Errorf("'%s' is outside of the work tree", name), "")
	}
	return rel, nil
}

// placeText writes a run of lines in the form that track accepts as an argument.
func placeText(r trail.Run) string {
	if r.Count == 1 {
		return fmt.Sprintf("%s:%d", r.Path, r.Start)
	}
	return fmt.Sprintf("%s:%d-%d", r.Path, r.Start, r.Start+r.Count-1)
}
