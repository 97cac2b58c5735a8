package facts

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/agents/recorder"
	"github.com/git-trace/git-trace/blame/gitblame"
	"github.com/git-trace/git-trace/blame/trail"
	"github.com/git-trace/git-trace/correlate/belief"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view"
)

// The limits of data about commits and the work tree in records; larger data is left out.
const (
	mostDiff        = 16 << 10 // bytes of uncommitted changes when a conversation began
	mostPatch       = 64 << 10 // bytes of a commit's patch
	mostRecordFiles = 500      // files of a commit whose lines are listed
)

// For finds facts about conversations in the log and the repository, for their records.
func For(repo *refs.Repo) recorder.Gatherer {
	places := NewBirthplaces(repo)
	return func(ctx context.Context, head, prior *records.Record) (*recorder.Facts, error) {
		g, err := newGathering(ctx, repo, places)
		if err != nil {
			return nil, err
		}
		defer g.close()
		return g.of(head, prior)
	}
}

// gathering holds the state while facts are gathered for one conversation, or for several in turn.
type gathering struct {
	ctx         context.Context
	repo        *refs.Repo
	places      *Birthplaces
	objects     *refs.Objects
	head, prior *records.Record
	trace       events.TraceID

	story    callStory
	known    *view.Reader // a view of the log without records
	lines    *view.Lineage
	removals []removal
	held     []view.Anchored // lines of the conversation in commits
	tracker  *trail.Tracker
	history  *gitblame.History // the changes of many conversations; nil if git is called for each
}

func newGathering(ctx context.Context, repo *refs.Repo, places *Birthplaces) (*gathering, error) {
	known, err := view.Open(ctx, repo, view.Options{LogOnly: true})
	if err != nil {
		return nil, err
	}
	return &gathering{ctx: ctx, repo: repo, known: known, places: places, objects: repo.Objects()}, nil
}

// `of` returns the facts for a conversation.
func (g *gathering) of(head, prior *records.Record) (*recorder.Facts, error) {
	g.head, g.prior, g.trace = head, prior, events.TraceID(head.TraceID)
	g.story, g.held = callStory{}, nil
	return g.facts()
}

func (g *gathering) close() {
	if g.tracker != nil {
		_ = g.tracker.Close()
	}
	_ = g.objects.Close()
	g.known.Close()
}

func (g *gathering) facts() (*recorder.Facts, error) {
	told, err := g.known.Log().ByTrace(g.trace)
	if err != nil {
		return nil, err
	}
	own, err := g.known.Log().OwnWriter()
	if err != nil {
		return nil, err
	}
	g.story.read(g.trace, told, own)
	g.removals = g.findRemovals()
	if g.lines, err = g.known.Lines(); err != nil {
		return nil, err
	}
	if g.held, err = g.lines.Anchors(g.trace, func(*events.AnchorOwner) bool { return true }); err != nil {
		return nil, err
	}
	out := &recorder.Facts{Unaccounted: g.story.unaccounted(), Note: g.story.note}
	if g.story.here { // the agent ran on this machine, as this user
		out.System, out.Shell = new(runtime.GOOS), records.Text(shellName(os.Getenv("SHELL")))
	}
	g.begin(out)
	if err := g.link(out); err != nil {
		return nil, err
	}
	trails, err := g.trails()
	if err != nil {
		return nil, err
	}
	outlive(out.Links, trails)
	out.Terminal = g.terminal(out, trails)
	if out.Revision == "" {
		return out, nil
	}
	if out.Patch, err = g.patch(out.Revision); err != nil {
		return nil, err
	}
	if g.prior == nil || g.prior.Attribution == nil || g.prior.Attribution.Revision["revision"] != out.Revision {
		out.Files, err = g.files(out.Revision)
	}
	return out, err
}

// shellName returns the name of a shell: bash for /usr/bin/bash.
func shellName(path string) string {
	name := path[strings.LastIndexAny(path, `/\`)+1:]
	return strings.TrimSuffix(strings.ToValidUTF8(name, ""), ".exe")
}

// begin adds the repository's state at the conversation's beginning.
func (g *gathering) begin(out *recorder.Facts) {
	address := g.places.Remote(g.ctx, g.head.Environment.VCS.Branch)
	if address != nil {
		out.Repository, out.Remote = assemble.Repository(*address)
	}
	base := g.story.base
	if base.IsZero() && g.head.TimestampStart != nil {
		if at, err := time.Parse(time.RFC3339Nano, *g.head.TimestampStart); err == nil {
			base = g.places.headAt(g.ctx, at)
		}
	}
	if base.IsZero() {
		return
	}
	out.Base = new(base.String())
	if g.prior != nil && g.prior.Environment.VCS.Diff != nil || g.story.tree.IsZero() || g.story.base.IsZero() {
		return
	}
	// the output of git-diff(1), without files that git did not know yet; the snapshot may have expired
	if diff, err := g.diff(mostDiff, "--diff-filter=a", base.String(), g.story.tree.String(), "--"); err == nil {
		out.Diff = diff
	}
}

var errLong = errors.New("longer than records hold")

// limited keeps its input, and fails if it is longer than the limit.
type limited struct {
	bytes.Buffer
	most int
}

func (l *limited) Write(p []byte) (int, error) {
	if l.Len()+len(p) > l.most {
		return 0, errLong
	}
	return l.Buffer.Write(p)
}

// diff returns the output of git-diff-tree(1) for two trees; nil if it is empty or long.
func (g *gathering) diff(most int, args ...string) (*string, error) {
	out := limited{most: most}
	cmd := g.repo.Command(g.ctx, append([]string{"--literal-pathspecs", "diff-tree", "-r", "-p", "--root",
		"--no-commit-id", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames"}, args...)...)
	cmd.Env = append(cmd.Env, g.repo.SideReadEnv()...)
	cmd.Stdout = &out
	err := cmd.Run()
	switch {
	case errors.Is(err, errLong):
		return nil, nil
	case err != nil || out.Len() == 0:
		return nil, err
	}
	return new(strings.ToValidUTF8(out.String(), "\ufffd")), nil
}

// patch returns the change of a commit in the files whose added lines are all the conversation's.
func (g *gathering) patch(revision string) (*string, error) {
	id, err := refs.ParseOID(revision)
	if err != nil {
		return nil, err
	}
	weighed, err := belief.All(g.ctx, g.known.Log(), g.known.Searcher(), []refs.OID{id})
	if err != nil || len(weighed) == 0 {
		return nil, err
	}
	known := weighed[0]
	commit, err := g.objects.Commit(id)
	if err != nil || len(commit.Parents) > 1 {
		return nil, nil //nolint:nilerr // it is not here, or a merge
	}
	var own []string
	for i := range known.Files {
		f := &known.Files[i]
		others := slices.ContainsFunc(f.Runs, func(r belief.Run) bool { return r.Owner.Trace != g.trace })
		if len(f.Runs) > 0 && !others {
			own = append(own, f.Path)
		}
	}
	if len(own) == 0 || len(own) > mostRecordFiles {
		return nil, nil
	}
	diff, err := g.diff(mostPatch, append([]string{revision, "--"}, own...)...)
	if err != nil {
		return nil, nil //nolint:nilerr // objects of a partial clone
	}
	return diff, nil
}

// trails follows every patch of the conversation, and the lines that a later search found.
func (g *gathering) trails() ([]*trail.Trail, error) {
	wanted := map[trail.Key]view.Anchored{}
	for _, id := range g.story.patches {
		wanted[trail.Key(id.Patch)] = view.Anchored{Path: events.RawPath(id.Path), Owner: events.AnchorOwner{Patch: id.Patch}}
	}
	for _, a := range g.held {
		if key := trail.KeyOf(&a.Owner, a.Path); key != "" {
			if _, known := wanted[key]; !known {
				wanted[key] = a
			}
		}
	}
	if len(wanted) == 0 {
		return nil, nil
	}
	tracker, err := g.track()
	if err != nil {
		return nil, err
	}
	var out []*trail.Trail
	for _, key := range slices.Sorted(maps.Keys(wanted)) {
		a := wanted[key]
		var one *trail.Trail
		if a.Owner.Patch != "" {
			one, err = tracker.Patch(a.Owner.Patch, a.Path)
		} else {
			one, err = tracker.Claim(&a.Owner, a.Path)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

// track opens the tracker of patches, once.
func (g *gathering) track() (*trail.Tracker, error) {
	if g.tracker == nil {
		tracker, err := g.known.Tracker()
		if err != nil {
			return nil, err
		}
		g.tracker = tracker.Briefly().Along(g.history)
	}
	return g.tracker, nil
}

// terminal returns the end of the conversation, by the fate of its lines. It reached its goal if a commit has its
// lines, at least half of them are left, none was reverted, and none is uncommitted. It was given up if no line is
// left. The end is unknown while a turn continues, or if git cannot answer.
func (g *gathering) terminal(out *recorder.Facts, list []*trail.Trail) *records.TerminalState {
	lines, alive := 0, 0
	stands, gone := out.Revision != "", true
	for _, tr := range list {
		if tr.Lines == 0 {
			continue
		}
		lines += tr.Lines
		alive += tr.Now.Alive
		switch tr.Now.State {
		case trail.Unsettled, trail.Stashed:
			return nil
		case trail.Reverted, trail.Orphaned:
			stands = false
		}
		stands = stands && len(tr.Now.Reverted) == 0 &&
			!slices.ContainsFunc(tr.Now.Places, func(p trail.Place) bool { return p.Commit.IsZero() })
		gone = gone && tr.Now.Alive == 0
	}
	switch {
	case lines == 0 || g.story.open:
		return nil
	case stands && 2*alive >= lines:
		return new(records.GoalReached)
	case gone && g.story.hooked:
		return new(records.Abandoned)
	}
	return nil
}

// callStory holds the events of a conversation about its calls.
type callStory struct {
	hooked  bool
	here    bool // hooks of this clone reported it
	open    bool // a turn continues
	called  bool
	base    refs.OID       // the commit that was checked out at its beginning
	tree    refs.OID       // the snapshot at its beginning
	note    *recorder.Note // the newest
	patches []events.PatchData
	calls   map[events.PatchID]string // the calls that made them
	shell   map[string]bool           // paths that calls changed without an edit; true while the file exists
	edited  map[string]bool
}

func (s *callStory) read(trace events.TraceID, told []events.Event, own string) {
	s.shell, s.edited, s.calls = map[string]bool{}, map[string]bool{}, map[events.PatchID]string{}
	classes, made := map[string]string{}, map[string]bool{}
	for _, e := range told {
		if slices.Contains(e.Method, events.Backfill) || slices.Contains(e.Method, events.Import) {
			continue
		}
		switch e.Type {
		case events.SessionStarted:
			d := events.DataOf[events.SessionData](e)
			s.begin(d.Head, d.Tree)
		case events.PromptSubmitted:
			s.hooked, s.open, s.here = true, true, s.here || e.Writer == own
		case events.OutcomeNoted:
			d := events.DataOf[events.NoteData](e)
			if success, reward, err := d.Values(); err == nil {
				s.note = &recorder.Note{Success: success, Reward: reward, At: e.Time}
			}
		case events.TurnEnded, events.SessionEnded:
			s.open = false
		case events.SnapshotTaken:
			if d := events.DataOf[events.SnapshotData](e); d.Scope == "full" {
				s.begin(d.Head, d.Tree)
			}
		case events.WindowOpened:
			d := events.DataOf[events.WindowData](e)
			s.begin(d.Head, refs.OID{})
			s.hooked, s.called, classes[e.ToolCall], s.here = true, true, d.Class, s.here || e.Writer == own
		case events.PatchRecorded:
			d := events.DataOf[events.PatchData](e)
			if e.Trace != trace || e.ToolCall == "" || d.Owner != events.OwnerAI {
				continue
			}
			s.patches, s.calls[d.Patch] = append(s.patches, d), e.ToolCall
			path := strings.ToValidUTF8(events.RawPath(d.Path), "\ufffd")
			if classes[e.ToolCall] == "edit" {
				s.edited[path] = true
				continue
			}
			made[path] = made[path] || d.Before.IsZero()
			s.shell[path] = !d.After.IsZero() || !made[path]
		default:
		}
	}
}

// begin keeps the first commit that was checked out, and the last tree before the first call.
func (s *callStory) begin(head, tree refs.OID) {
	if s.base.IsZero() {
		s.base = head
	}
	if !s.called && s.base == head && !tree.IsZero() {
		s.tree = tree
	}
}

// `unaccounted` returns the files that calls changed without an edit tool; nil if no hook reported calls. A file that
// such a call made and removed again does not count.
func (s *callStory) unaccounted() []string {
	if !s.hooked {
		return nil
	}
	out := []string{}
	for _, path := range slices.Sorted(maps.Keys(s.shell)) {
		if s.shell[path] && !s.edited[path] {
			out = append(out, path)
		}
	}
	return out
}
