package show

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/blame/trail"
	"github.com/git-trace/git-trace/correlate/belief"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view"
	"github.com/git-trace/git-trace/view/lookup"
)

// `tracked` holds what became of the wanted patches and functions.
type tracked struct {
	trails    []*trail.Trail
	functions []*trail.FunctionJSON
}

// Track follows the patches and functions that words name: ids, commits, lines of files, functions.
func Track(views *Viewer, wanted []string) (*tracked, error) {
	tracker, err := views.follow()
	if err != nil {
		return nil, err
	}
	f := patchFinder{Viewer: views, tracker: tracker}
	for _, arg := range wanted {
		if err := f.find(arg); err != nil {
			return nil, err
		}
	}
	out := &tracked{trails: []*trail.Trail{}, functions: f.functions}
	for _, p := range f.found {
		one, err := p.follow(tracker)
		if err != nil {
			return nil, blame.Explain(err)
		}
		out.trails = append(out.trails, one)
	}
	return out, nil
}

// Document returns the answer for programs.
func (t *tracked) Document() trail.Document {
	document := trail.JSON(t.trails)
	document.Functions = t.functions
	return document
}

// Draw draws functions, then patches.
func (t *tracked) Draw(screen *terminal.Screen, views *Viewer) error {
	d := &trackDrawer{showDrawer: newShowDrawer(screen, views)}
	d.gather(t.trails)
	for i := range len(t.functions) + len(t.trails) {
		if n := len(t.functions); i < n {
			d.function(t.functions[i])
		} else {
			d.trail(t.trails, i-n)
		}
		if _, err := io.Copy(screen.Out, strings.NewReader(d.take())); err != nil {
			return err
		}
	}
	return nil
}

// patchFinder collects the patches that arguments mean, each once.
type patchFinder struct {
	*Viewer
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

// `add` notes an owner's lines, each trail once. A person's lines have a trail if they have a patch.
func (f *patchFinder) add(owner events.AnchorOwner, path string) {
	key := trail.KeyOf(&owner, path)
	if key != "" && !slices.ContainsFunc(f.found, func(p foundPatch) bool {
		return trail.KeyOf(&p.owner,
			p.path) == key
	}) {
		f.found = append(f.found, foundPatch{owner, path})
	}
}

// find reads an argument as the name of a function after a colon, as lines of a file (PATH:LINE), or as an id. If
// nothing has the id, it reads the argument as a file, otherwise as the name of a function.
func (f *patchFinder) find(arg string) error {
	if name, is := strings.CutPrefix(arg, ":"); is {
		return f.function(name)
	}
	if p, named, err := lookup.LinesOf(arg); named && lookup.LooksLikePath(p.Name) {
		if err != nil {
			return err
		}
		return f.lines(p)
	}
	r := lookup.Resolver{Repo: f.Viewer.Repo, Known: f.Viewer.known}
	o, err := r.Resolve(f.ctx, arg)
	if err != nil {
		if info, missing := os.Lstat(arg); missing == nil && info.Mode().IsRegular() {
			return f.lines(lookup.FileLines{Name: arg, First: 1})
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

// `published` adds the committed lines of a conversation or prompt that another clone published without its calls.
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

// `believed` adds the patches of those owners of a commit's lines that the function `of` accepts.
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
func (f *patchFinder) lines(p lookup.FileLines) error {
	path, err := lookup.PathInside(f.Viewer.Repo, p.Name)
	if err != nil {
		return err
	}
	before, last := len(f.found), p.Last
	for line := p.First; line <= max(last, 1); line++ {
		owner, count, err := f.tracker.Line(path, line)
		if err != nil {
			return blame.Explain(err)
		}
		if line > count {
			if count == 0 {
				return noLines(p.Name)
			}
			return exit.Fail(exit.Git, fmt.Errorf("'%s' has %s", p.Name, numbers.Count(count, "line")), "")
		}
		if p.Last == 0 { // the whole file
			last = count
		}
		f.add(owner.AnchorOwner(), path)
	}
	if len(f.found) == before {
		place := p.Name
		if p.Last > 0 {
			place += ":" + strconv.Itoa(p.First)
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

// placeText returns a run of lines in the form that git trace track accepts as an argument.
func placeText(r trail.Run) string {
	if r.Count == 1 {
		return fmt.Sprintf("%s:%d", r.Path, r.Start)
	}
	return fmt.Sprintf("%s:%d-%d", r.Path, r.Start, r.Start+r.Count-1)
}
