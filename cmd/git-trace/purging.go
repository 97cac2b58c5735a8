package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records/purged"
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/refs"
)

// purging is one purge, or the search for what one would do. The order is: the rules and the plan are written down, so
// that nothing that was purged is recorded again, and that a process that is killed leaves word of what it had begun;
// new objects; the plan again, with everything that has to go; files; refs; old objects; the plan goes. Each step can
// be done again.
type purging struct {
	ctx    context.Context // it lives as long as the command
	repo   *refs.Repo
	target *purgeTarget
	dry    bool
	most   int64              // the size beyond which a content is streamed, in bytes
	say    func(doing string) // what is being done, for who waits; may be nil

	plans   []*purged.Plan // of purges that were interrupted: they are finished too
	plan    *purged.Plan
	records store.Rewritten
	prompts int
	files   int
	blobs   int // contents of snapshots
	lost    int // versions of records that no ref leads to
	objects int
	left    []leftover
}

// inMemory is the size up to which a content of a snapshot is read into memory, in bytes.
const inMemory = 16 << 20

func newPurging(ctx context.Context, repo *refs.Repo, target *purgeTarget, dry bool) *purging {
	return &purging{ctx: ctx, repo: repo, target: target, dry: dry, most: inMemory, plan: &purged.Plan{}}
}

func (p *purging) empty() bool {
	return len(p.records.Removed)+len(p.records.Changed)+len(p.records.Unread)+len(p.plans) == 0 &&
		p.prompts+p.files+p.blobs+p.lost == 0
}

func (p *purging) doing(what string) error {
	if p.say != nil {
		p.say(what)
	}
	return p.ctx.Err()
}

// moved is how often a purge is begun again because somebody stored a conversation meanwhile.
const moved = 5

func (p *purging) run() error {
	if !p.repo.HasTraces() {
		return nil
	}
	// Nobody stores records meanwhile: one that was read before would come back.
	lock, err := refs.Flock(recordLock(p.repo), recordLimit)
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
		err := p.pass()
		if try == moved || !errors.Is(err, refs.ErrTipMoved) {
			return err
		}
		p.prompts, p.files, p.blobs, p.lost, p.objects, p.left = 0, 0, 0, 0, 0, nil
	}
}

// join takes over what interrupted purges were to do.
func (p *purging) join() error {
	var err error
	if p.plans, err = purged.Plans(p.repo); err != nil || len(p.plans) == 0 {
		return err
	}
	known, err := purged.Load(p.repo)
	if err != nil {
		return err
	}
	for _, plan := range p.plans {
		p.plan.Join(plan)
		if plan.Started.IsZero() { // it cannot be read: it was one of these
			p.plan.Rules = append(p.plan.Rules, known.IDs()...)
		}
	}
	if p.target.texts, err = p.target.texts.With(known, p.plan.Rules); err != nil {
		return err
	}
	for _, trace := range p.plan.Traces {
		p.target.traces[trace] = true
	}
	for _, path := range p.plan.Paths {
		if !p.target.isPath(path) {
			p.target.paths = append(p.target.paths, path)
		}
	}
	return nil
}

// begin writes down what is to be purged, before anything is.
func (p *purging) begin() error {
	if !p.target.texts.Empty() {
		known, err := purged.Load(p.repo)
		if err != nil {
			return err
		}
		all, err := known.With(p.target.texts, p.target.texts.IDs())
		if err != nil {
			return err
		}
		if err := all.Save(p.repo); err != nil {
			return err
		}
	}
	p.plan.Started = time.Now()
	p.plan.Rules, p.plan.Paths, p.plan.Traces = p.target.texts.IDs(), p.target.paths, nil
	for trace := range p.target.traces {
		p.plan.Traces = append(p.plan.Traces, trace)
	}
	return p.plan.Keep(p.repo)
}

// pass does all of it, or looks what there is to do.
func (p *purging) pass() error {
	redactor, err := p.redactor()
	if err != nil {
		return err
	}
	if err := p.doing("reading records"); err != nil {
		return err
	}
	s := store.Open(p.repo)
	defer func() { _ = s.Close() }()
	judge := p.target.judge(p.ctx, redactor)
	if p.records, err = s.Rewrite(p.ctx, judge, p.dry); err != nil {
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
	p.blobs, p.objects = len(side), len(main)+len(side)
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
	if err := p.elsewhere(); err != nil {
		return err
	}
	if p.dry {
		return nil
	}
	if err := p.moveRefs(s); err != nil {
		return err
	}
	if err := p.doing("deleting objects"); err != nil {
		return err
	}
	return p.remove(main, side)
}

// redactor makes the redactor that takes the texts out, with everything that every redactor looks for.
func (p *purging) redactor() (*redact.Redactor, error) {
	return redact.New(redact.Options{Names: redact.SystemNames(), Rules: redact.Rules{Purged: p.target.texts}})
}

// writeDown adds to the plan what has to be deleted: once the refs have moved nothing leads there.
func (p *purging) writeDown(main, side map[refs.OID]bool) error {
	p.plan.Join(&purged.Plan{Main: keys(main), Side: keys(side)})
	for dir, ids := range map[string]map[refs.OID]bool{p.repo.MainObjects(): main, p.repo.SideObjects(): side} {
		packs, err := p.repo.PacksWith(dir, ids)
		if err != nil {
			return err
		}
		p.plan.Join(&purged.Plan{Packs: packs})
	}
	return p.plan.Keep(p.repo)
}

func keys(ids map[refs.OID]bool) []refs.OID {
	out := make([]refs.OID, 0, len(ids))
	for oid := range ids {
		out = append(out, oid)
	}
	return out
}

// moveRefs moves the refs of records to their new histories. A fetched one that could not be read goes.
func (p *purging) moveRefs(s *store.Store) error {
	if err := s.Move(p.ctx, p.records.Moves); err != nil {
		return err
	}
	for _, unread := range p.records.Unread {
		if _, err := p.repo.Git(p.ctx, nil, "update-ref", "--no-deref", "-d", unread.Ref); err != nil {
			p.leave(unread.Ref, "it cannot be read, and git does not delete it: "+err.Error(), "delete it")
		}
	}
	return p.dropReflogs()
}

// dropReflogs empties the reflogs of the refs of records. Usually git keeps none of them.
func (p *purging) dropReflogs() error {
	if p.dry {
		return nil
	}
	for _, name := range p.records.Refs {
		if _, err := os.Stat(filepath.Join(p.repo.CommonDir, "logs", filepath.FromSlash(name))); err != nil &&
			p.repo.RefFormat != "reftable" {
			continue
		}
		if _, err := p.repo.Git(p.ctx, nil, "reflog", "exists", name); err != nil {
			continue
		}
		if _, err := p.repo.Git(p.ctx, nil, "reflog", "expire", "--expire=all", "--expire-unreachable=all",
			name); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes the objects, and says which are still there.
func (p *purging) remove(main, side map[refs.OID]bool) error {
	for _, pack := range p.plan.Packs {
		if err := refs.FinishRemoving(pack); err != nil {
			return err
		}
	}
	for _, one := range []struct {
		dir string
		ids map[refs.OID]bool
	}{{p.repo.MainObjects(), main}, {p.repo.SideObjects(), side}} {
		if _, _, err := p.repo.RemoveObjects(p.ctx, one.dir, one.ids); err != nil {
			return err
		}
	}
	return p.stillThere(main, side)
}

// finish says in the log that something was purged, and takes the plans away.
func (p *purging) finish() error {
	if err := p.tell(); err != nil {
		return err
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

// unfinishedPurge is what status, doctor and verify say of purges that were interrupted; "" when there is none.
func unfinishedPurge(repo *refs.Repo) string {
	switch n := purged.Unfinished(repo); n {
	case 0:
		return ""
	case 1:
		return "a purge was interrupted and is not finished"
	default:
		return plural(n, "purge") + " were interrupted and are not finished"
	}
}

// finishPurges finishes what was interrupted, if anything was.
func finishPurges(ctx context.Context, repo *refs.Repo) error {
	if purged.Unfinished(repo) == 0 {
		return nil
	}
	p := newPurging(ctx, repo, &purgeTarget{traces: map[events.TraceID]bool{}, texts: &purged.Set{}}, false)
	if err := p.run(); err != nil {
		return fmt.Errorf("finish a purge: %w", err)
	}
	return p.finish()
}
