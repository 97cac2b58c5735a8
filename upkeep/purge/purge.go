// Package purge removes data that must not be kept from everything that git-trace stores: records in every version,
// prompts, caches, spools, snapshots, and their git objects. Every step can be repeated. So an interrupted purge is
// repeated as a whole ([Finish]).
package purge

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records/purged"
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/refs"
)

// Purge is one purge, or a dry run. It first writes the rules and the plan. So purged text is not recorded again, and
// the work of a killed process is known. Then it writes new objects, writes the plan again with everything to delete,
// changes texts in files, moves refs, deletes old objects, searches every file, and removes the plan. Each step can be
// repeated.
type Purge struct {
	ctx    context.Context // a purge lives for one command
	Repo   *refs.Repo
	Target *Target
	dry    bool
	most   int64 // contents larger than this, in bytes, are read as a stream

	patience time.Duration     // time that settle waits; 0 for none
	searched map[refs.OID]bool // objects of the side store that were searched

	plans []*purged.Plan // plans of interrupted purges, which this one finishes
	plan  *purged.Plan

	Records store.Rewritten
	Prompts int
	Files   int
	Blobs   int // number of contents of snapshots
	Lost    int // number of unreachable versions of records
	Objects int // number of deleted git objects
	Left    []Left
}

// inMemory is the size in bytes up to which a snapshot's content is read into memory.
const inMemory = 16 << 20

// Look returns the effects that a purge would have. It changes nothing.
func Look(ctx context.Context, repo *refs.Repo, target *Target) (*Purge, error) {
	p := newPurge(ctx, repo, target, true)
	p.patience = untilTheyEnd
	return p, p.run()
}

// Do purges. After an error, a part of the work may be done, and the next purge does the rest.
func Do(ctx context.Context, repo *refs.Repo, target *Target) (*Purge, error) {
	p := newPurge(ctx, repo, target, false)
	p.patience = untilTheyEnd
	return p, p.run()
}

func newPurge(ctx context.Context, repo *refs.Repo, target *Target, dry bool) *Purge {
	return &Purge{
		ctx: ctx, Repo: repo, Target: target, dry: dry, most: inMemory, plan: &purged.Plan{}, searched: map[refs.OID]bool{},
	}
}

// Empty reports whether there was nothing to do.
func (p *Purge) Empty() bool {
	return len(p.Records.Removed)+len(p.Records.Changed)+len(p.Records.Unread)+len(p.plans) == 0 &&
		p.Prompts+p.Files+p.Blobs+p.Lost == 0
}

// `moved` limits the number of tries of a purge. It starts again if a conversation was stored meanwhile.
const moved = 5

func (p *Purge) run() error {
	if !p.Repo.HasTraces() {
		return nil
	}
	// The lock keeps recorders away: one of them could store a record that it read before.
	lock, err := store.Lock(p.Repo, store.Patience)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	if err := p.join(); err != nil {
		return err
	}
	if !p.dry {
		if err := p.begin(); err != nil {
			return err
		}
	}
	for try := 1; ; try++ {
		if p.patience > 0 {
			if err := p.settle(); err != nil {
				return err
			}
		}
		err := p.pass()
		if err == nil && !p.dry {
			err = p.since()
		}
		if err == nil {
			return p.elsewhere()
		}
		if try == moved || !errors.Is(err, refs.ErrTipMoved) {
			return err
		}
		p.Prompts, p.Files, p.Blobs, p.Lost, p.Objects, p.Left = 0, 0, 0, 0, 0, nil
	}
}

// join adds the plans of interrupted purges to this plan.
func (p *Purge) join() error {
	var err error
	if p.plans, err = purged.Plans(p.Repo); err != nil || len(p.plans) == 0 {
		return err
	}
	known, err := purged.Load(p.Repo)
	if err != nil {
		return err
	}
	for _, plan := range p.plans {
		p.plan.Join(plan)
		if plan.Started.IsZero() { // the plan was unreadable, so all known rules may belong to it
			p.plan.Rules = append(p.plan.Rules, known.IDs()...)
		}
	}
	if p.Target.Texts, err = p.Target.Texts.With(known, p.plan.Rules); err != nil {
		return err
	}
	for _, trace := range p.plan.Traces {
		p.Target.Traces[trace] = true
	}
	for _, path := range p.plan.Paths {
		if _, err := p.Target.Texts.AddPath(path); err != nil {
			return err
		}
	}
	return nil
}

// begin writes the rules and the plan, before anything is purged.
func (p *Purge) begin() error {
	if !p.Target.Texts.Empty() {
		known, err := purged.Load(p.Repo)
		if err != nil {
			return err
		}
		all, err := known.With(p.Target.Texts, p.Target.Texts.IDs())
		if err != nil {
			return err
		}
		if err := all.Save(p.Repo); err != nil {
			return err
		}
	}
	p.plan.Started = time.Now()
	p.plan.Rules, p.plan.Paths, p.plan.Traces = p.Target.Texts.IDs(), p.Target.Texts.Paths(), nil
	for trace := range p.Target.Traces {
		p.plan.Traces = append(p.plan.Traces, trace)
	}
	return p.plan.Keep(p.Repo)
}

// pass does the whole purge; in a dry run it only searches.
func (p *Purge) pass() error {
	redactor, err := p.redactor()
	if err != nil {
		return err
	}
	if err := p.ctx.Err(); err != nil {
		return err
	}
	s := store.Open(p.Repo)
	defer func() { _ = s.Close() }()
	judge := p.Target.judge(p.ctx, redactor)
	if p.Records, err = s.Rewrite(p.ctx, judge, p.dry); err != nil {
		return err
	}
	if err := p.dropReflogs(); err != nil {
		return err
	}
	main, err := p.mainObjects(s, judge)
	if err != nil {
		return err
	}
	side, err := p.snapshotBlobs()
	if err != nil {
		return err
	}
	p.Blobs, p.Objects = len(side), len(main)+len(side)
	if !p.dry {
		if err := p.writeDown(main, side); err != nil {
			return err
		}
	}
	if err := p.local(); err != nil {
		return err
	}
	if err := p.caches(); err != nil {
		return err
	}
	if p.dry {
		return nil
	}
	if err := p.moveRefs(s); err != nil {
		return err
	}
	if err := p.ctx.Err(); err != nil {
		return err
	}
	return p.remove(main, side)
}

// redactor returns a redactor that removes the purged texts, and everything that every redactor removes.
func (p *Purge) redactor() (*redact.Redactor, error) {
	return redact.New(redact.Options{Names: redact.SystemNames(), Rules: redact.Rules{Purged: p.Target.Texts}})
}

// writeDown adds the objects to delete to the plan: they become unreachable when the refs move.
func (p *Purge) writeDown(main, side map[refs.OID]bool) error {
	p.plan.Join(&purged.Plan{Main: keys(main), Side: keys(side)})
	for dir, ids := range map[string]map[refs.OID]bool{p.Repo.MainObjects(): main, p.Repo.SideObjects(): side} {
		packs, err := p.Repo.PacksWith(dir, ids)
		if err != nil {
			return err
		}
		p.plan.Join(&purged.Plan{Packs: packs})
	}
	return p.plan.Keep(p.Repo)
}

func keys(ids map[refs.OID]bool) []refs.OID {
	out := make([]refs.OID, 0, len(ids))
	for oid := range ids {
		out = append(out, oid)
	}
	return out
}

// moveRefs moves the refs of records to their new histories. It deletes a fetched ref that could not be read.
func (p *Purge) moveRefs(s *store.Store) error {
	if err := s.Move(p.ctx, p.Records.Moves); err != nil {
		return err
	}
	for _, unread := range p.Records.Unread {
		if _, err := p.Repo.Git(p.ctx, nil, "update-ref", "--no-deref", "-d", unread.Ref); err != nil {
			p.leave(unread.Ref, "it cannot be read, and git does not delete it: "+err.Error(), "delete it")
		}
	}
	return p.dropReflogs()
}

// dropReflogs empties the reflogs of the record refs. Usually git keeps none.
func (p *Purge) dropReflogs() error {
	if p.dry {
		return nil
	}
	for _, name := range p.Records.Refs {
		if _, err := os.Stat(filepath.Join(p.Repo.CommonDir, "logs", filepath.FromSlash(name))); err != nil &&
			p.Repo.RefFormat != "reftable" {
			continue
		}
		if _, err := p.Repo.Git(p.ctx, nil, "reflog", "exists", name); err != nil {
			continue
		}
		if _, err := p.Repo.Git(p.ctx, nil, "reflog", "expire", "--expire=all", "--expire-unreachable=all",
			name); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes the objects, and reports those that still exist.
func (p *Purge) remove(main, side map[refs.OID]bool) error {
	for _, pack := range p.plan.Packs {
		if err := refs.FinishRemoving(pack); err != nil {
			return err
		}
	}
	for _, one := range []struct {
		dir string
		ids map[refs.OID]bool
	}{{p.Repo.MainObjects(), main}, {p.Repo.SideObjects(), side}} {
		if _, _, err := p.Repo.RemoveObjects(p.ctx, one.dir, one.ids); err != nil {
			return err
		}
	}
	return p.stillThere(main, side)
}

// Finish notes in the log that something was purged, and removes the plans.
func (p *Purge) Finish() error {
	if !p.Empty() {
		if err := p.tell(); err != nil {
			return err
		}
	}
	if err := p.plan.Done(); err != nil {
		return err
	}
	for _, plan := range p.plans {
		if err := plan.Done(); err != nil {
			return err
		}
	}
	return nil
}

// Finish finishes interrupted purges, if there are any.
func Finish(ctx context.Context, repo *refs.Repo) error {
	if purged.Unfinished(repo) == 0 {
		return nil
	}
	p := newPurge(ctx, repo, &Target{Traces: map[events.TraceID]bool{}, Texts: &purged.Set{}}, false)
	if err := p.run(); err != nil {
		return fmt.Errorf("finish a purge: %w", err)
	}
	return p.Finish()
}

// `tell` notes in the log that there was a purge, but not what was purged.
func (p *Purge) tell() error {
	data := events.PurgeData{
		What: p.Target.kind(), Removed: len(p.Records.Removed), Changed: len(p.Records.Changed), Objects: p.Objects,
		Files: p.Files + p.Prompts,
	}
	for trace := range p.Records.Removed {
		data.Traces = append(data.Traces, trace)
	}
	for trace := range p.Records.Changed {
		data.Traces = append(data.Traces, trace)
	}
	slices.Sort(data.Traces)
	raw, err := events.Encode(data)
	if err != nil {
		return err
	}
	log := events.OpenLog(p.Repo)
	_, err = log.Append(p.ctx, []events.Draft{{
		Type: events.LogPurged, Time: time.Now(), Method: []events.Method{events.Manual}, Data: raw,
	}})
	if !errors.Is(err, events.ErrSpooled) {
		return err
	}
	_, _ = log.Drain(p.ctx) // this may fail; then the next writer appends the spooled event
	return nil
}

// Touched returns the conversations that were changed or removed.
func (p *Purge) Touched() []events.TraceID {
	var out []events.TraceID
	for _, traces := range []map[events.TraceID]bool{p.Target.Traces, p.Records.Removed, p.Records.Changed} {
		for trace := range traces {
			if !slices.Contains(out, trace) {
				out = append(out, trace)
			}
		}
	}
	return out
}

// Interrupted returns the number of interrupted purges that this one finished.
func (p *Purge) Interrupted() int { return len(p.plans) }
