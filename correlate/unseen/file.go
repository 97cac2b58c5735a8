package unseen

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/git-trace/git-trace/correlate"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails"
	"github.com/git-trace/git-trace/trails/linediff"
)

type file struct {
	*Search
	commit refs.OID
	age    *age
	change correlate.FileChange
	read   bool // the content was read; otherwise only its lines are counted, from git's figures
	lines  [][]byte
	added  []linediff.Range
	id     events.ChangeID

	elsewhere bool          // see Question
	others    bool          // only anchors of other clones count
	owners    map[int]claim // claims by line, from 0
}

// claim is the owner of a line and its evidence.
type claim struct {
	owner events.AnchorOwner
	tier  string
}

// `search` tries the kinds of evidence from strong to weak.
func (f *file) search(ctx context.Context) error {
	view := f.recall.View(f.believes)
	seen, err := f.link(view)
	if err == nil && !seen {
		err = f.linkUnlooked(ctx, view)
	}
	if err != nil {
		return err
	}
	if !seen {
		if err := errors.Join(f.sameChange(), f.rewritten()); err != nil { // rewritten wins over sameChange
			return err
		}
	}
	found, err := f.change.Explain(view, f.added)
	if err != nil {
		return err
	}
	for _, run := range found.File.Runs {
		for line := run.Start - 1; line < run.Start-1+run.Count; line++ {
			if _, done := f.owners[line]; !done && !vague(found.Owners[run.Owner]) {
				f.owners[line] = claim{found.Owners[run.Owner], run.Tier}
			}
		}
	}
	if err := f.byLines(found.Open); err != nil || f.index.Logs() == 1 {
		return err
	}
	return f.fromOthers()
}

// fromOthers searches the logs of other clones for the owners of lines that are still unknown. For example, a
// colleague's commit was picked here: this clone knows the content, but not its owners.
func (f *file) fromOthers() error {
	known, mode := f.owners, f.elsewhere
	f.owners, f.elsewhere, f.others = map[int]claim{}, true, true
	open := map[int]bool{}
	for _, r := range f.added {
		for line := r.Start; line < r.End; line++ {
			_, done := known[line]
			open[line] = !done
		}
	}
	err := errors.Join(f.sameChange(), f.rewritten(), f.sameLines(), f.byLines(open))
	maps.Copy(f.owners, known)
	f.elsewhere, f.others = mode, false
	return err
}

// link finds other names of the content or its path in the logs. The result `seen` reports whether a work tree had the
// content. A short content gets no other names unless the commit renamed it, because anybody may type it. For example:
// an agent wrote a.txt, and a person ran mv a.txt b.txt and committed b.txt with hooks switched off.
func (f *file) link(view *trails.View) (seen bool, err error) {
	if _, seen = view.Known.Get(f.change.Path, f.change.New); seen {
		return true, nil
	}
	blobs := f.change.Old
	specific := correlate.LettersIn(f.lines) >= correlate.MinSpecific
	if specific {
		blobs = append([]refs.OID{f.change.New}, blobs...)
	}
	for _, blob := range blobs {
		if blob.IsZero() {
			continue
		}
		for _, m := range latest(f.digest.Blob(blob), maxMentions) {
			e, found, err := f.index.At(m)
			if err != nil {
				return false, err
			}
			for _, name := range namesOf(&e, blob) {
				if !found || name == f.change.Path {
					continue
				}
				view.Known.Link(f.change.Path, name)
				v, known := view.Known.Get(name, f.change.New)
				if known && !seen && specific {
					seen = true
					view.Known.Put(f.change.Path, f.change.New, v)
				}
			}
		}
	}
	return seen, nil
}

// linkUnlooked finds the older name of a file that no snapshot has under its new name.
func (f *file) linkUnlooked(ctx context.Context, view *trails.View) error {
	if f.elsewhere || f.recall.Remembers(f.change.Path) ||
		slices.ContainsFunc(f.change.Old, func(old refs.OID) bool { return !old.IsZero() }) {
		return nil
	}
	older, err := f.older.Of(ctx, f.change.Path)
	if err == nil && older != "" {
		view.Known.Link(f.change.Path, older)
	}
	return err
}

// namesOf returns the paths of a content in an event.
func namesOf(e *events.Event, blob refs.OID) []string {
	var stored []string
	switch e.Type {
	case events.PatchRecorded:
		if p, ok := data[events.PatchData](e); ok && p.After == blob {
			stored = append(stored, p.Path)
		}
	case events.CommitAnchored:
		if c, ok := data[events.CommitData](e); ok {
			for _, file := range c.Files {
				if file.Blob == blob {
					stored = append(stored, file.Path)
				}
			}
		}
	}
	var out []string
	for _, s := range stored {
		if path, err := events.DecodePath(s); err == nil {
			out = append(out, path)
		}
	}
	return out
}

func vague(o events.AnchorOwner) bool { return o.Kind == events.OwnerUnknown || o.Kind == "" }

// answer turns the claims into runs.
func (f *file) answer() Answer {
	a := Answer{File: events.AnchorFile{Path: events.EncodePath(f.change.Path), Blob: f.change.New, Change: f.id}}
	for _, r := range f.added {
		for line := r.Start; line < r.End; line++ {
			c, found := f.owners[line]
			if !found {
				c = claim{events.AnchorOwner{Kind: events.OwnerUnknown}, correlate.TierExactLines}
			}
			at := slices.IndexFunc(a.Owners, func(o events.AnchorOwner) bool { return sameOwner(o, c.owner) })
			if at < 0 {
				at = len(a.Owners)
				a.Owners = append(a.Owners, c.owner)
			}
			if last := len(a.File.Runs) - 1; last >= 0 {
				run := &a.File.Runs[last]
				if run.Owner == at && run.Tier == c.tier && run.Start+run.Count == line+1 {
					run.Count++
					continue
				}
			}
			a.File.Runs = append(a.File.Runs, events.AnchorRun{Start: line + 1, Count: 1, Owner: at, Tier: c.tier})
		}
	}
	return a
}

// sameOwner reports whether two owners are the same, and from the same patch.
func sameOwner(a, b events.AnchorOwner) bool {
	return sameAuthor(a, b) && a.Patch == b.Patch && a.Previous == b.Previous
}

// sameAuthor reports whether two owners are the same, apart from their patches.
func sameAuthor(a, b events.AnchorOwner) bool {
	return a.Kind == b.Kind && a.Trace == b.Trace && a.ToolCall == b.ToolCall && a.Subagent == b.Subagent &&
		a.Prompt == b.Prompt && a.Step == b.Step && slices.Equal(a.Candidates, b.Candidates) &&
		slices.Equal(a.Limits, b.Limits)
}
