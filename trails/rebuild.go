package trails

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/ledger"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/vector"
)

// Rebuild computes the owners of contents from the patches in the log: the owner of each key, and the vector of every
// content that a patch led to. The complete new files replace the old ones. If the blob of a content is missing, it has
// no vector; its lines are unknown until they change again.
func Rebuild(repo *refs.Repo, log iter.Seq2[events.Event, error]) (err error) {
	dir := ledger.Dir(repo)
	if err := refs.MakeDirs(dir, 0o700); err != nil {
		return fmt.Errorf("rebuild ownership: %w", err)
	}
	temp, err := os.MkdirTemp(dir, "rebuild-")
	if err != nil {
		return fmt.Errorf("rebuild ownership: %w", err)
	}
	defer os.RemoveAll(temp)
	objects := repo.Objects()
	defer objects.Close()
	r := rebuilder{
		objects: objects,
		known:   ledger.NewKnownIn(filepath.Join(temp, "vectors")),
		owners:  ledger.NewOwnersIn(filepath.Join(temp, "owners")),
	}
	for event, err := range log {
		if err != nil {
			return fmt.Errorf("rebuild ownership: %w", err)
		}
		if err := r.take(event); err != nil {
			return fmt.Errorf("rebuild ownership: event %d: %w", event.Seq, err)
		}
	}
	for _, last := range []func() error{r.flush, r.known.Save, r.owners.Save} {
		if err := last(); err != nil {
			return fmt.Errorf("rebuild ownership: %w", err)
		}
	}
	for _, name := range []string{"vectors", "owners"} {
		if err := replaceDir(filepath.Join(temp, name), filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("rebuild ownership: %w", err)
		}
	}
	return nil
}

// rebuilder gathers the consecutive patches of one change of a path in the log.
type rebuilder struct {
	objects *refs.Objects
	known   *ledger.Known
	owners  *ledger.Owners
	group   []events.PatchData
	from    string         // worktree of the group
	heard   []events.Event // the last events, which a revision may need
}

func (r *rebuilder) take(event events.Event) error {
	switch event.Type {
	case events.WindowOpened:
		r.hear(event)
		return nil
	case events.WindowClosed, events.WindowAbandoned:
		r.hear(event)
		return r.revise(event)
	case events.PatchRecorded:
		r.hear(event)
	default:
		return nil
	}
	var p events.PatchData
	if err := events.ReadData(event.Data, &p); err != nil {
		return nil //nolint:nilerr // an invalid event explains nothing; verify names it
	}
	r.owner(event, p)
	if event.Retold() {
		return r.retell(&p)
	}
	if len(r.group) > 0 {
		g := r.group[0]
		if g.Path != p.Path || g.Before != p.Before || g.After != p.After || g.Interval != p.Interval ||
			r.from != event.Worktree {
			if err := r.flush(); err != nil {
				return err
			}
		}
	}
	r.group, r.from = append(r.group, p), event.Worktree
	return nil
}

// hear remembers an event as long as a revision may need it.
func (r *rebuilder) hear(event events.Event) {
	if len(r.heard) >= 2*reviseLog {
		r.heard = slices.Clone(r.heard[reviseLog:])
	}
	r.heard = append(r.heard, event)
}

// revise repeats the timeline's correction for a call that had ended earlier than recorded.
func (r *rebuilder) revise(event events.Event) error {
	d := events.DataOf[events.WindowData](event)
	if !d.TakesBack(event.Time) {
		return nil
	}
	if err := r.flush(); err != nil {
		return err
	}
	rev := newRevision(event.Trace, event.ToolCall, events.ToolClass(d.Class), d.Status == events.StatusRejected, d.Ended,
		r.owners)
	for i := range r.heard {
		e := &r.heard[len(r.heard)-1-i]
		rev.hear(e)
		if i+1 == reviseLog || rev.begins(e, event.Worktree) {
			break
		}
	}
	rev.apply(r.known)
	return nil
}

// `retell` repeats the timeline's correction that gave lines to another owner.
func (r *rebuilder) retell(p *events.PatchData) error {
	if err := r.flush(); err != nil {
		return err
	}
	from, to := vector.Unknown, vector.Owner{Kind: p.Owner, Patch: p.Patch}
	if p.Revises != "" {
		from = vector.Owner{Kind: r.owners.Describe(p.Revises).Kind, Patch: p.Revises}
	}
	contents := retold{known: r.known, blob: r.objects.Blob, lines: map[refs.OID][][]byte{}}
	path := events.RawPath(p.Path)
	if _, found := r.known.Get(path, p.After); !found { // the first snapshot saw it
		lines, err := contents.of(p.After)
		if err != nil || lines == nil {
			return err
		}
		r.known.Put(path, p.After, vector.Uniform(len(lines), vector.Unknown))
	}
	run, err := contents.run(path, p.After, p.NewStart-1, p.NewStart-1+p.NewCount, from, to)
	if err != nil {
		return err
	}
	paths := []string{path}
	for i := range r.heard {
		if r.heard[i].Type == events.PatchRecorded {
			d := events.DataOf[events.PatchData](r.heard[i])
			paths = pathsWith(paths, &d, p.Revises)
		}
	}
	contents.apply(run, paths)
	return nil
}

// owner notes who made a patch.
func (r *rebuilder) owner(event events.Event, p events.PatchData) {
	key, ok := ledger.OwnerKeyOf(p.Patch)
	if !ok || p.Owner == events.OwnerUnknown {
		return
	}
	o := events.AnchorOwner{
		Kind: p.Owner, Trace: event.Trace, Agent: event.Agent, Session: event.Session, Subagent: event.Subagent,
		Model: p.Model, Tool: p.Tool, ToolCall: event.ToolCall, Prompt: p.Prompt, Step: event.Step,
		Candidates: p.Candidates, Limits: event.Limits, Evidence: p.Evidence,
	}
	r.owners.Put(key, o)
}

// flush makes the vector of the content that the gathered patches led to.
func (r *rebuilder) flush() error {
	group := r.group
	r.group = nil
	if len(group) == 0 || group[0].After.IsZero() {
		return nil
	}
	first := group[0]
	path, err := events.DecodePath(first.Path)
	if err != nil {
		return nil //nolint:nilerr // see take
	}
	before := path
	for _, p := range group {
		if p.OldPath != "" {
			if before, err = events.DecodePath(p.OldPath); err != nil {
				return nil //nolint:nilerr // see take
			}
		}
	}
	lines, err := r.lines(first.Before)
	if errors.Is(err, refs.ErrMissing) {
		return nil
	}
	if err != nil {
		return err
	}
	base, found := r.known.Get(before, first.Before)
	if !found || base.Len() != lines {
		base = vector.Uniform(lines, vector.Unknown)
	}
	v := applyPatches(base, group)
	want, err := r.lines(first.After)
	if err == nil && want != v.Len() {
		return nil // the patches do not lead to this content; no vector is better than a shifted one
	}
	r.known.Put(path, first.After, v)
	return nil
}

// lines counts the lines of a blob; 0 for the zero id.
func (r *rebuilder) lines(oid refs.OID) (int, error) {
	if oid.IsZero() {
		return 0, nil
	}
	raw, err := r.objects.Blob(oid)
	if err != nil {
		return 0, err
	}
	return len(linediff.Split(raw)), nil
}

// applyPatches carries a vector through the hunks of one change.
func applyPatches(base vector.Vector, group []events.PatchData) vector.Vector {
	slices.SortStableFunc(group, func(a, b events.PatchData) int {
		if a.NewStart != b.NewStart {
			return a.NewStart - b.NewStart
		}
		return a.OldStart - b.OldStart
	})
	var b vector.Builder
	at := 0 // old lines taken so far
	for _, p := range group {
		start := p.OldStart - 1
		if p.OldCount == 0 {
			start = p.OldStart
		}
		if start < at {
			start = at
		}
		b.AddSlice(base, at, start)
		at = start + p.OldCount
		owner := vector.Owner{Kind: p.Owner, Patch: p.Patch}
		if p.Owner == events.OwnerUnknown {
			owner = vector.Unknown
		}
		kept := map[int]vector.Owner{}
		for _, k := range p.Kept {
			for line := k.Start; line < k.Start+k.Count && line < p.NewStart+p.NewCount; line++ {
				kept[line] = vector.Owner{Kind: k.Kind, Patch: k.Patch, Reformatted: k.Form != ""}
			}
		}
		for line := p.NewStart; line < p.NewStart+p.NewCount; line++ {
			if o, found := kept[line]; found {
				b.Add(o, 1)
			} else {
				b.Add(owner, 1)
			}
		}
	}
	b.AddSlice(base, at, base.Len())
	return b.Vector()
}

// replaceDir replaces an old directory with a new one.
func replaceDir(fresh, place string) error {
	if _, err := os.Stat(fresh); errors.Is(err, os.ErrNotExist) {
		return os.RemoveAll(place)
	}
	// A hook may write to this place meanwhile. The log has these facts, or will have them, so they can be computed again.
	const tries, pause = 50, 10 * time.Millisecond
	for try := 1; ; try++ {
		err := os.RemoveAll(place)
		if err == nil {
			err = os.Rename(fresh, place)
		}
		if err == nil || try == tries || !errors.Is(err, fs.ErrExist) {
			return err
		}
		time.Sleep(pause)
	}
}
