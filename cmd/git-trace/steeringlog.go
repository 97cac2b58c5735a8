package main

import (
	"context"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/agents/recorder"
	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/blame/trail"
	"github.com/git-trace/git-trace/correlate/unseen"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/steering"
	"github.com/git-trace/git-trace/refs"
)

// steeringLog reads what the log knows of conversations, for steering: which calls never ran, which patches they made,
// and what became of these.
type steeringLog struct {
	reader   *index.Index
	objects  *refs.Objects
	searcher *unseen.Search
	tracker  *trail.Tracker
	brackets []events.Fingerprint // of lines that say nothing
}

func newSteeringLog(ctx context.Context, repo *refs.Repo, reader *index.Index) (*steeringLog, error) {
	l := &steeringLog{reader: reader, objects: repo.Objects(), searcher: unseen.New(repo, reader), brackets: brackets()}
	var err error
	l.tracker, err = trail.New(ctx, repo, reader, blame.NewEvidence(repo, reader, l.searcher).WithSettler(settler()))
	if err != nil {
		l.searcher.Close()
		_ = l.objects.Close()
		return nil, err
	}
	return l, nil
}

func (l *steeringLog) close() {
	_ = l.tracker.Close()
	l.searcher.Close()
	_ = l.objects.Close()
}

// known is what the log knows of a conversation; nil where no hook told of it.
func (l *steeringLog) known(r *records.Record) (*steering.Known, error) {
	trace := events.TraceID(r.TraceID)
	recorded, err := l.reader.ByTrace(trace)
	if err != nil {
		return nil, err
	}
	if len(recorded) == 0 {
		return nil, nil
	}
	k := &knownReader{
		steeringLog: l, trace: trace, steps: recorder.PromptSteps(r), calls: map[string]refs.OID{},
		prompts: map[int]refs.OID{},
		out:     &steering.Known{Prompts: map[int]int{}, Tasks: map[int]bool{}, Rejected: map[string]bool{}},
	}
	for prompt, step := range k.steps {
		k.out.Prompts[step] = prompt
	}
	for _, e := range recorded {
		if err := k.take(e); err != nil {
			return nil, err
		}
	}
	k.out.There = k.there
	return k.out, nil
}

// knownReader gathers what the events of one conversation say.
type knownReader struct {
	*steeringLog
	trace   events.TraceID
	steps   map[int]int         // by prompt
	calls   map[string]refs.OID // the snapshot at the beginning of each call
	prompts map[int]refs.OID    // and at each prompt
	now     int                 // the last prompt
	out     *steering.Known
}

func (k *knownReader) take(e events.Event) error {
	switch e.Type {
	case events.PromptSubmitted:
		d := events.DataOf[events.PromptData](e)
		k.now = d.Index
		if step := k.steps[d.Index]; d.Kind == "task" && step > 0 {
			k.out.Tasks[step] = true
		}
	case events.SnapshotTaken:
		if d := events.DataOf[events.SnapshotData](e); d.Role == "prompt" && !d.Tree.IsZero() {
			k.prompts[k.now] = d.Tree
		}
	case events.WindowOpened:
		if d := events.DataOf[events.WindowData](e); !d.Tree.IsZero() {
			k.calls[e.ToolCall] = d.Tree
		}
	case events.WindowClosed:
		if events.DataOf[events.WindowData](e).Status == "rejected" {
			k.out.Rejected[e.ToolCall] = true
		}
	case events.PatchRecorded:
		if d := events.DataOf[events.PatchData](e); e.Trace == k.trace && e.ToolCall != "" && d.Owner == events.OwnerAI {
			return k.patch(e.ToolCall, &d)
		}
	default:
	}
	return nil
}

func (k *knownReader) patch(call string, d *events.PatchData) error {
	p := steering.Patch{
		ID: string(d.Patch), Call: call, Path: events.RawPath(d.Path), Added: telling(d, k.brackets), Removed: d.OldCount,
		Created: d.Before.IsZero(), Deleted: d.After.IsZero(),
	}
	for _, run := range d.Kept {
		if p.Removed -= run.Count; run.Why == "space" || run.Why == "reformatted" {
			p.Restyled = true
		}
	}
	p.Removed = max(p.Removed, 0)
	for _, id := range d.Previous {
		p.Previous = append(p.Previous, string(id))
	}
	tr, err := k.tracker.Patch(d.Patch, p.Path)
	if err != nil {
		return blameFailure(err)
	}
	p.Fate = fate(tr)
	k.out.Patches = append(k.out.Patches, p)
	return nil
}

// telling is how many lines of a patch say something: those that it brought, without blank ones and lone brackets.
func telling(d *events.PatchData, brackets []events.Fingerprint) int {
	kept := 0
	for _, run := range d.Kept {
		kept += run.Count
	}
	lines, err := events.DecodeFingerprints(d.Lines)
	if err != nil {
		lines = nil
	}
	silent := 0
	for _, line := range lines {
		if line.Blank() || slices.Contains(brackets, line) {
			silent++
		}
	}
	return max(d.NewCount-kept-silent, 0)
}

// brackets are the lines that hold nothing else.
func brackets() []events.Fingerprint {
	var out []events.Fingerprint
	for _, line := range [...]string{"{", "}", "(", ")", "[", "]", "};", "},", ");", "),", "];", "],", "})", "});", "}),",
		"end"} {
		out = append(out, events.FingerprintOf([]byte(line)))
	}
	return out
}

// fate is what became of a patch. A person changed its lines before the commit if theirs stand in the first commit that
// has lines of it, or in none yet.
func fate(tr *trail.Trail) *steering.Fate {
	f := &steering.Fate{State: string(tr.Now.State), Alive: tr.Now.Alive, Dropped: tr.Now.Dropped}
	for _, p := range tr.Now.Places {
		if p.Commit.IsZero() {
			f.Uncommitted += p.Count
		}
	}
	f.Uncommitted = min(f.Uncommitted, f.Alive)
	for _, one := range tr.Now.Changed {
		f.Changed += one.Lines
		first := one.Commit.IsZero() || len(tr.Steps) == 0 || one.Commit == tr.Steps[0].Commit
		if one.Owner != nil && one.Owner.Kind == events.OwnerHuman && first {
			f.Human += one.Lines
		}
	}
	for _, one := range tr.Now.Reverted {
		f.Reverted += one.Lines
	}
	for _, one := range tr.Now.Lost {
		f.Lost += one.Lines
	}
	for i := range tr.Steps {
		id := tr.Steps[i].Commit
		gone := slices.ContainsFunc(tr.Steps, func(s trail.Step) bool { return s.From == id })
		if text := id.String(); !gone && !slices.Contains(f.Commits, text) {
			f.Commits = append(f.Commits, text)
		}
	}
	if tr.Now.State == trail.Orphaned || tr.Now.State == trail.Dropped {
		f.Dropped = max(f.Dropped, tr.Lines)
	}
	return f
}

// there looks a path up in the snapshot at the beginning of a call; of a call that reads, in that of its prompt.
func (k *knownReader) there(call string, prompt int, path string) (bool, string) {
	tree, found := k.calls[call]
	if !found {
		tree, found = k.prompts[prompt]
	}
	if !found {
		return false, ""
	}
	at := tree
	for rest := path; ; {
		name, below, more := strings.Cut(rest, "/")
		entries, err := k.objects.Tree(at)
		if err != nil {
			return false, "" // the snapshot is no longer kept
		}
		i := slices.IndexFunc(entries, func(e refs.TreeEntry) bool { return e.Name == name })
		if i < 0 {
			return false, tree.String()
		}
		if !more {
			return true, tree.String()
		}
		if !entries[i].IsDir() {
			return false, tree.String()
		}
		at, rest = entries[i].OID, below
	}
}
