package sidestore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// Expiry selects the objects to remove.
type Expiry struct {
	Before time.Time                  // objects that are not older stay
	Roots  func() ([]refs.OID, error) // trees that stay, with everything in them
	Locks  []string                   // lock files that writers of snapshots hold; see refs.Flock
	Dry    bool                       // only count the objects
}

// Expired holds the numbers of the removed objects.
type Expired struct {
	Objects int   `json:"objects"`
	Bytes   int64 `json:"bytes"` // size on disk
}

// ErrRoots is returned if the objects of a last snapshot cannot be listed. Then nothing is removed.
var ErrRoots = errors.New("a last snapshot is incomplete")

// lockWait limits how long expiry waits until a boundary is finished.
const lockWait = 10 * time.Second

// Expire removes objects that are older than x.Before and that no root contains.
func (s *Store) Expire(ctx context.Context, x Expiry) (Expired, error) {
	var out Expired
	loose, err := refs.ListLoose(s.dir)
	if err != nil {
		return out, fmt.Errorf("expire snapshots: %w", err)
	}
	loose = slices.DeleteFunc(loose, func(l refs.Loose) bool { return !l.Time.Before(x.Before) })
	packs, err := refs.ListPacks(s.dir)
	if err != nil {
		return out, fmt.Errorf("expire snapshots: %w", err)
	}
	packs = slices.DeleteFunc(packs, func(p refs.Pack) bool { return !p.Time.Before(x.Before) })
	if len(loose) == 0 && len(packs) == 0 {
		return out, nil
	}
	live := &liveSet{store: s, roots: x.Roots}
	err = live.update(ctx)
	if err == nil {
		err = s.expireLoose(ctx, loose, live, x, &out)
	}
	if err == nil {
		err = s.expirePacks(ctx, packs, live, x.Dry, &out)
	}
	if err != nil {
		return out, fmt.Errorf("expire snapshots: %w", err)
	}
	return out, nil
}

// liveSet holds the objects that the roots contain, in any store.
type liveSet struct {
	store *Store
	roots func() ([]refs.OID, error)
	of    []refs.OID // the roots for which the set was computed
	ids   map[refs.OID]struct{}
}

func (l *liveSet) has(oid refs.OID) bool {
	_, ok := l.ids[oid]
	return ok
}

// update recomputes the set if the roots have changed.
func (l *liveSet) update(ctx context.Context) error {
	roots, err := l.roots()
	if err != nil || l.ids != nil && slices.Equal(roots, l.of) {
		return err
	}
	ids, err := l.store.reachable(ctx, roots)
	if err != nil {
		return err
	}
	l.of, l.ids = roots, ids
	return nil
}

// `reachable` lists trees with everything in them.
func (s *Store) reachable(ctx context.Context, roots []refs.OID) (map[refs.OID]struct{}, error) {
	ids := map[refs.OID]struct{}{}
	if len(roots) == 0 {
		return ids, nil
	}
	cmd := s.repo.Command(ctx, "rev-list", "--objects", "--no-object-names", "--stdin")
	cmd.Env = append(cmd.Env, s.repo.SideReadEnv()...)
	cmd.Stdin = list(roots)
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRoots, err)
	}
	for name := range strings.Lines(string(out)) {
		oid, err := refs.ParseOID(strings.TrimSpace(name))
		if err != nil {
			return nil, fmt.Errorf("%w: git rev-list: %w", ErrRoots, err)
		}
		ids[oid] = struct{}{}
	}
	return ids, nil
}

// lockedAtOnce is the number of objects that are removed before the writers' locks are released for a moment.
const lockedAtOnce = 500

func (s *Store) expireLoose(ctx context.Context, old []refs.Loose, live *liveSet, x Expiry, out *Expired) error {
	for chunk := range slices.Chunk(old, lockedAtOnce) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.expireChunk(ctx, chunk, live, x, out); err != nil {
			return err
		}
	}
	return nil
}

// expireChunk checks again under the locks: since the first check, a writer may have used an object. Then its time
// stamp is new, or a last snapshot contains it.
func (s *Store) expireChunk(ctx context.Context, chunk []refs.Loose, live *liveSet, x Expiry, out *Expired) error {
	if !x.Dry {
		for _, path := range x.Locks {
			lock, err := refs.Flock(path, lockWait)
			if err != nil {
				return err
			}
			defer lock.Unlock()
		}
		if err := live.update(ctx); err != nil {
			return err
		}
	}
	for _, l := range chunk {
		if live.has(l.OID) {
			continue
		}
		if !x.Dry {
			now, ok := refs.StatLoose(s.dir, l.OID)
			if !ok || !now.Time.Before(x.Before) {
				continue
			}
			if _, err := refs.RemoveLoose(s.dir, l.OID); err != nil {
				return err
			}
		}
		out.Objects++
		out.Bytes += l.Size
	}
	return nil
}

// expirePacks replaces old packs by one pack with their live objects. If an object is only in a pack, only roots can
// need it, because writers use only loose objects.
func (s *Store) expirePacks(ctx context.Context, old []refs.Pack, live *liveSet, dry bool, out *Expired) error {
	var rewritten []refs.Pack
	gone, size := 0, int64(0)
	for _, p := range old {
		x, err := p.Index(s.repo.Format)
		if err != nil {
			return err
		}
		dead := 0
		for _, oid := range x.IDs() {
			if !live.has(oid) {
				dead++
			}
		}
		if dead > 0 {
			rewritten = append(rewritten, p)
			gone += dead
			size += p.Size * int64(dead) / int64(x.Len())
		}
	}
	if len(rewritten) == 0 {
		return nil
	}
	if !dry {
		if err := s.replace(ctx, rewritten, live.has); err != nil {
			return err
		}
	}
	out.Objects += gone
	out.Bytes += size
	return nil
}
