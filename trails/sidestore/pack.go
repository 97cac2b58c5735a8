package sidestore

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// Store is the side store of a repository.
type Store struct {
	repo *refs.Repo
	dir  string
}

// Open returns the side store, even if it does not exist yet.
func Open(repo *refs.Repo) *Store {
	return &Store{repo: repo, dir: repo.SideObjects()}
}

// LooseLimit is the number of loose objects from which a store should be packed. A few hundred tool calls make as many.
const LooseLimit = 2000

// PackDue reports whether there are approximately `limit` loose objects or more. It reads one directory.
func (s *Store) PackDue(limit int) bool { return refs.LooseEstimate(s.dir) >= limit }

// Pack moves all loose objects into a new pack, and returns their number. Objects that are being written stay loose.
func (s *Store) Pack(ctx context.Context) (int, error) {
	count, err := s.packLoose(ctx)
	if err == nil {
		err = s.merge(ctx)
	}
	if err != nil {
		return count, fmt.Errorf("pack side store: %w", err)
	}
	return count, nil
}

func (s *Store) packLoose(ctx context.Context) (int, error) {
	loose, err := refs.ListLoose(s.dir)
	if err != nil || len(loose) == 0 {
		return 0, err
	}
	ids := make([]refs.OID, 0, len(loose))
	for _, l := range loose {
		if l.Size > 0 { // a crash of the machine leaves empty files, and git fails on them
			ids = append(ids, l.OID)
		}
	}
	p, err := s.repo.MakePack(ctx, s.dir, list(ids))
	if err != nil || p.Path == "" {
		return 0, err
	}
	x, err := p.Index(s.repo.Format)
	if err != nil {
		return 0, err
	}
	count := 0
	for _, oid := range x.IDs() {
		gone, err := refs.RemoveLoose(s.dir, oid)
		if err != nil {
			return count, err
		}
		if gone {
			count++
		}
	}
	return count, nil
}

// list returns ids as input for git-pack-objects(1), one per line.
func list(ids []refs.OID) *strings.Reader {
	var text strings.Builder
	for _, oid := range ids {
		text.WriteString(oid.String())
		text.WriteByte('\n')
	}
	return strings.NewReader(text.String())
}

// A pack is merged only with packs of the same period, so that their objects expire together.
const (
	mergePeriod = 30 * 24 * time.Hour
	mergeAt     = 10 // number of packs of one period
)

// merge makes one pack from several. The new pack gets the time of the youngest one, so nothing expires too early.
func (s *Store) merge(ctx context.Context) error {
	packs, err := refs.ListPacks(s.dir)
	if err != nil {
		return err
	}
	periods := map[int64][]refs.Pack{}
	for _, p := range packs {
		period := p.Time.UnixNano() / int64(mergePeriod)
		periods[period] = append(periods[period], p)
	}
	for _, old := range periods {
		if len(old) < mergeAt {
			continue
		}
		slices.SortFunc(old, func(a, b refs.Pack) int { return cmp.Compare(a.Path, b.Path) })
		if err := s.replace(ctx, old, func(refs.OID) bool { return true }); err != nil {
			return err
		}
	}
	return nil
}

// replace writes the kept objects of some packs into a new pack, and removes the old packs.
func (s *Store) replace(ctx context.Context, old []refs.Pack, keep func(refs.OID) bool) error {
	var ids []refs.OID
	var youngest time.Time
	for _, p := range old {
		x, err := p.Index(s.repo.Format)
		if err != nil {
			return err
		}
		for _, oid := range x.IDs() {
			if keep(oid) {
				ids = append(ids, oid)
			}
		}
		if p.Time.After(youngest) {
			youngest = p.Time
		}
	}
	kept, err := s.repo.MakePack(ctx, s.dir, list(ids))
	if err != nil {
		return err
	}
	if kept.Path != "" {
		if err := os.Chtimes(kept.Path+".pack", youngest, youngest); err != nil {
			return fmt.Errorf("date pack: %w", err)
		}
	}
	for _, p := range old {
		if p.Path == kept.Path { // the new pack has the same objects and name
			continue
		}
		if err := p.Remove(); err != nil {
			return err
		}
	}
	return nil
}
