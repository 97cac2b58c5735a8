package facts

import (
	"context"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/agents/recorder"
	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/blame/trail"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/steering"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view"
)

// Steering reads the facts of the log for steering: calls that never ran, the patches of each call, and the fate of
// the patches.
type Steering struct {
	view     *view.Reader
	Objects  *refs.Objects
	tracker  *trail.Tracker
	brackets []events.Fingerprint // fingerprints of lines that contain only brackets
}

func OpenSteering(ctx context.Context, repo *refs.Repo, known *view.Reader) (*Steering, error) {
	tracker, err := known.Tracker()
	if err != nil {
		return nil, err
	}
	return &Steering{view: known, Objects: repo.Objects(), tracker: tracker, brackets: brackets()}, nil
}

func (l *Steering) Close() {
	_ = l.tracker.Close()
	_ = l.Objects.Close()
}

// Known returns the log's facts about a conversation; nil if no hook reported the conversation.
func (l *Steering) Known(r *records.Record) (*steering.Known, error) {
	trace := events.TraceID(r.TraceID)
	course, err := l.view.Course(trace)
	if err != nil || course == nil {
		return nil, err
	}
	out := &steering.Known{Prompts: map[int]int{}, Tasks: map[int]bool{}, Rejected: course.Rejected}
	for prompt, step := range recorder.PromptSteps(r) {
		out.Prompts[step] = prompt
		if step > 0 && course.Tasks[prompt] {
			out.Tasks[step] = true
		}
	}
	for i := range course.Patches {
		if err := l.patch(out, course, &course.Patches[i]); err != nil {
			return nil, err
		}
	}
	at := func(call string, prompt int) (refs.OID, bool) {
		if call == "" && prompt == 0 {
			return course.Newest, !course.Newest.IsZero()
		}
		tree, found := course.Calls[call]
		if !found {
			tree, found = course.Prompts[prompt]
		}
		return tree, found
	}
	out.There = func(call string, prompt int, path string) (bool, string) {
		if tree, found := at(call, prompt); found {
			return l.there(tree, path)
		}
		return false, ""
	}
	out.Read = func(call string, prompt int, path string) ([]byte, string) {
		if tree, found := at(call, prompt); found {
			return l.manifest(tree, path)
		}
		return nil, ""
	}
	return out, nil
}

// mostManifest is the size in bytes of the largest manifest that is read.
const mostManifest = 1 << 20

// manifest returns a file of a snapshot, and the snapshot's id. The id is "" if the path is missing, too long or not a
// file.
func (l *Steering) manifest(tree refs.OID, path string) ([]byte, string) {
	entry, asked := l.entry(tree, path)
	if !asked || entry == nil || entry.IsDir() {
		return nil, ""
	}
	text, err := l.Objects.Blob(entry.OID)
	if err != nil || len(text) > mostManifest {
		return nil, ""
	}
	return text, tree.String()
}

func (l *Steering) patch(known *steering.Known, course *view.Course, of *view.CallPatch) error {
	d := &of.Data
	p := steering.Patch{
		ID: string(d.Patch), Call: of.Call, Path: events.RawPath(d.Path), Added: telling(d, l.brackets), Removed: d.OldCount,
		Created: d.Before.IsZero(), Deleted: d.After.IsZero(),
	}
	for _, run := range d.Kept {
		p.Removed -= run.Count
	}
	p.Removed = max(p.Removed, 0)
	for _, id := range d.Previous {
		p.Previous = append(p.Previous, string(id))
	}
	tr, err := l.tracker.Patch(d.Patch, p.Path)
	if err != nil {
		return blame.Explain(err)
	}
	p.Fate = fate(tr)
	p.Thrown = tr.Now.State == trail.Dropped && l.thrown(course, of)
	known.Patches = append(known.Patches, p)
	return nil
}

// telling returns the number of lines that a patch added, except blank lines and lines with only brackets.
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

// brackets returns the fingerprints of lines with only brackets.
func brackets() []events.Fingerprint {
	var out []events.Fingerprint
	for _, line := range [...]string{"{", "}", "(", ")", "[", "]", "};", "},", ");", "),", "];", "],", "})", "});", "}),",
		"end"} {
		out = append(out, events.FingerprintOf([]byte(line)))
	}
	return out
}

// fate returns the fate of a patch. A person changed its lines before the commit if the person's lines are in the first
// commit with lines of the patch, or in no commit yet.
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
		if one.Owner == nil || one.Owner.Kind != events.OwnerHuman {
			continue
		}
		if f.People += one.Lines; first {
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

// thrown reports whether a person removed all lines of a patch: they existed when a turn ended, and none was left when
// the next call began.
func (l *Steering) thrown(course *view.Course, of *view.CallPatch) bool {
	lines, err := events.DecodeFingerprints(of.Data.Lines)
	if lines = slices.DeleteFunc(lines, events.Fingerprint.Blank); err != nil || len(lines) == 0 || len(of.Data.Kept) > 0 {
		return false
	}
	path := events.RawPath(of.Data.Path)
	for _, pause := range course.Pauses {
		if pause.Prompt < of.Data.Prompt {
			continue
		}
		before, foundBefore := l.held(pause.Before, path)
		after, foundAfter := l.held(pause.After, path)
		all := !slices.ContainsFunc(lines, func(f events.Fingerprint) bool { return !before[f] })
		none := !slices.ContainsFunc(lines, func(f events.Fingerprint) bool { return after[f] })
		if foundBefore && foundAfter && all && none {
			return true
		}
	}
	return false
}

// `held` returns the lines of a file in a snapshot; none if the file is missing. `found` is false if that is unknown.
func (l *Steering) held(tree refs.OID, path string) (lines map[events.Fingerprint]bool, found bool) {
	entry, asked := l.entry(tree, path)
	if entry == nil {
		return nil, asked
	}
	blob, err := l.Objects.Blob(entry.OID)
	if err != nil {
		return nil, false
	}
	lines = map[events.Fingerprint]bool{}
	for line := range strings.Lines(string(blob)) {
		lines[events.FingerprintOf([]byte(strings.TrimSuffix(line, "\n")))] = true
	}
	return lines, true
}

// there looks up a path in a snapshot.
func (l *Steering) there(tree refs.OID, path string) (bool, string) {
	entry, asked := l.entry(tree, path)
	if !asked {
		return false, ""
	}
	return entry != nil, tree.String()
}

// entry returns a path's entry in a snapshot, nil if it is missing. `asked` is false if the snapshot is no longer kept.
func (l *Steering) entry(tree refs.OID, path string) (entry *refs.TreeEntry, asked bool) {
	at := tree
	for rest := path; ; {
		name, below, more := strings.Cut(rest, "/")
		entries, err := l.Objects.Tree(at)
		if err != nil {
			return nil, false
		}
		i := slices.IndexFunc(entries, func(e refs.TreeEntry) bool { return e.Name == name })
		switch {
		case i < 0:
			return nil, true
		case !more:
			return &entries[i], true
		case !entries[i].IsDir():
			return nil, true
		}
		at, rest = entries[i].OID, below
	}
}
