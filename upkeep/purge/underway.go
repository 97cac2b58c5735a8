package purge

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/git-trace/git-trace/correlate/later"
	"github.com/git-trace/git-trace/records/purged"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails"
)

// These times are for data that other processes store during the search. A process that is writing a snapshot has a
// text that no search finds yet.
const (
	untilTheyEnd = 5 * time.Minute // the longest wait for these processes
	untilBegun   = 5 * time.Second // the time in which a process started by a hook picks up the hook's spooled data
	betweenLooks = 50 * time.Millisecond
)

// `settle` waits until no process can store a text that it read before the rules existed. If one takes too long, it is
// reported.
func (p *Purge) settle() error {
	trees, err := workTrees(p.Repo)
	if err != nil {
		return err
	}
	for began := time.Now(); ; {
		what := p.underWay(trees, time.Since(began) < min(untilBegun, p.patience))
		if what == "" {
			return nil
		}
		if time.Since(began) >= p.patience {
			p.leave(what, "it is under way, and may store what was there before", "purge again when it has ended")
			return nil
		}
		select {
		case <-time.After(betweenLooks):
		case <-p.ctx.Done():
			return p.ctx.Err()
		}
	}
}

// underWay returns the running work that may store data, a snapshot or git trace gc; "" for none. If `early` is set,
// work that waits counts, too.
func (p *Purge) underWay(trees []*refs.Repo, early bool) string {
	for _, tree := range trees {
		name := "the work tree"
		if tree.Linked() {
			name = "the work tree " + tree.WorktreeName()
		}
		queue := later.Open(tree)
		if queue.Busy() || trails.AtWork(tree) || early && (queue.Any() || trails.New(tree, nil, nil).Behind()) {
			return "a snapshot of " + name
		}
	}
	if held(p.Repo.MaintenanceLock()) {
		return "git trace gc"
	}
	return ""
}

// `held` reports whether a process holds a lock.
func held(name string) bool {
	if _, err := os.Stat(name); err != nil {
		return false
	}
	lock, err := refs.Flock(name, 0)
	if err != nil {
		return true
	}
	lock.Unlock()
	return false
}

// `since` removes contents that snapshots stored during the purge, until a search finds none.
func (p *Purge) since() error {
	for {
		all, err := p.Repo.ListObjects(p.ctx, p.Repo.SideObjects())
		if err != nil {
			return err
		}
		var fresh []refs.Listed
		for _, o := range all {
			if !p.searched[o.OID] {
				fresh = append(fresh, o)
				p.searched[o.OID] = true
			}
		}
		found := map[refs.OID]bool{}
		if err := p.heldBy(contents(fresh), found); err != nil || len(found) == 0 {
			return err
		}
		p.Blobs, p.Objects = p.Blobs+len(found), p.Objects+len(found)
		if err := p.writeDown(nil, found); err != nil {
			return err
		}
		if err := p.remove(nil, found); err != nil {
			return err
		}
	}
}

// askedFile returns the file whose time says up to when stored contents were compared with the rules.
func askedFile(repo *refs.Repo) string {
	return filepath.Join(filepath.Dir(purged.Path(repo)), "asked")
}

// Again compares the contents that snapshots stored since the last purge with the rules of all purges, because a late
// snapshot may store a purged content. It first finishes interrupted purges.
func Again(ctx context.Context, repo *refs.Repo) error {
	if err := Finish(ctx, repo); err != nil {
		return err
	}
	info, err := os.Stat(purged.Path(repo))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	asked := info.ModTime()
	if last, err := os.Stat(askedFile(repo)); err == nil && last.ModTime().After(asked) {
		asked = last.ModTime()
	}
	now := time.Now()
	loose, err := refs.ListLoose(repo.SideObjects())
	if err != nil {
		return err
	}
	rules, err := purged.Load(repo)
	if err != nil {
		return err
	}
	p := newPurge(ctx, repo, &Target{Texts: rules}, false)
	fresh := map[refs.OID]bool{}
	for _, o := range loose {
		if o.Time.After(asked.Add(-longestWrite)) {
			fresh[o.OID] = true
		}
	}
	if len(fresh) > 0 && rules.HasTexts() {
		if err := p.again(fresh); err != nil {
			return fmt.Errorf("check snapshots against the rules of purges: %w", err)
		}
	}
	return errors.Join(refs.WriteFileAtomic(askedFile(repo), nil, 0o600), os.Chtimes(askedFile(repo), now, now))
}

// longestWrite is the longest time to write a content. The time of its file may be that much earlier than the moment
// when the file gets its name.
const longestWrite = 10 * time.Minute

// `again` purges the given contents.
func (p *Purge) again(fresh map[refs.OID]bool) error {
	all, err := p.Repo.ListObjects(p.ctx, p.Repo.SideObjects())
	if err != nil {
		return err
	}
	var of []refs.Listed
	for _, o := range all {
		if fresh[o.OID] {
			of = append(of, o)
		}
	}
	found := map[refs.OID]bool{}
	if err := p.heldBy(contents(of), found); err != nil || len(found) == 0 {
		return err
	}
	if err := p.begin(); err != nil {
		return err
	}
	p.Blobs, p.Objects = len(found), len(found)
	if err := p.writeDown(nil, found); err != nil {
		return err
	}
	if err := p.remove(nil, found); err != nil {
		return err
	}
	return p.Finish()
}
