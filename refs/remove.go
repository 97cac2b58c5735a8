package refs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// RemoveObjects deletes objects from an object directory, MainObjects or SideObjects. It deletes loose objects. It
// replaces each pack that has such objects by a new pack with all its other objects, even unreachable ones. It does not
// check whether the objects are needed. It returns the number of removed copies, and the objects that could not be
// removed because they are in packs that git must keep (".keep") or that come from a promisor remote.
func (r *Repo) RemoveObjects(ctx context.Context, dir string, ids map[OID]bool) (removed int, left []OID, err error) {
	for oid := range ids {
		gone, err := RemoveLoose(dir, oid)
		if err != nil {
			return removed, nil, err
		}
		if gone {
			removed++
		}
	}
	packs, err := listAllPacks(dir)
	if err != nil {
		return removed, nil, err
	}
	rewritten := false
	for _, p := range packs {
		x, err := p.Index(r.Format)
		if err != nil {
			return removed, left, err
		}
		var keep strings.Builder
		found := 0
		for _, oid := range x.IDs() {
			if ids[oid] {
				found++
				continue
			}
			keep.WriteString(oid.String() + "\n")
		}
		if found == 0 {
			continue
		}
		if exists(p.Path+".keep") || exists(p.Path+".promisor") {
			for _, oid := range x.IDs() {
				if ids[oid] {
					left = append(left, oid)
				}
			}
			continue
		}
		if err := r.rewritePack(ctx, dir, p, keep.String()); err != nil {
			return removed, left, err
		}
		removed, rewritten = removed+found, true
	}
	if rewritten {
		err = r.dropDerived(ctx, dir)
	}
	return removed, left, err
}

// rewritePack writes some of the objects of a pack into a new pack, and removes the old pack.
func (r *Repo) rewritePack(ctx context.Context, dir string, old Pack, keep string) error {
	if keep != "" {
		// The listed objects are packed without existing deltas: a delta must not need a removed object.
		kept, err := r.MakePack(ctx, dir, strings.NewReader(keep), "--no-reuse-delta")
		if err != nil {
			return err
		}
		if kept.Path == old.Path {
			return fmt.Errorf("rewrite pack %s: the new one has the same name", filepath.Base(old.Path))
		}
		if kept.Path != "" {
			_ = os.Chtimes(kept.Path+".pack", old.Time, old.Time)
		}
	}
	return old.Remove()
}

// dropDerived removes the files that git derives from packs and that would refer to removed objects: the multi-pack
// index and the commit graph. It makes git write the commit graph again.
func (r *Repo) dropDerived(ctx context.Context, dir string) error {
	midx, err := filepath.Glob(filepath.Join(dir, "pack", "multi-pack-index*"))
	if err != nil {
		return err
	}
	for _, name := range midx {
		if err := os.RemoveAll(name); err != nil {
			return fmt.Errorf("remove index of packs: %w", err)
		}
	}
	return r.rewriteCommitGraph(ctx, dir)
}

func (r *Repo) rewriteCommitGraph(ctx context.Context, dir string) error {
	if dir != r.MainObjects() || !exists(filepath.Join(dir, "info", "commit-graph")) &&
		!exists(filepath.Join(dir, "info", "commit-graphs")) {
		return nil
	}
	if err := os.Remove(filepath.Join(dir, "info", "commit-graph")); err != nil && !os.IsNotExist(err) {
		return err
	}
	if err := os.RemoveAll(filepath.Join(dir, "info", "commit-graphs")); err != nil {
		return err
	}
	_, err := r.Git(ctx, nil, "commit-graph", "write", "--reachable")
	return err
}

// listAllPacks is ListPacks including the packs that git must keep.
func listAllPacks(dir string) ([]Pack, error) {
	names, err := filepath.Glob(filepath.Join(dir, "pack", "pack-*.idx"))
	if err != nil {
		return nil, err
	}
	var out []Pack
	for _, name := range names {
		p := Pack{Path: strings.TrimSuffix(name, ".idx")}
		info, err := os.Stat(p.Path + ".pack")
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		p.Time, p.Size = info.ModTime(), info.Size()
		out = append(out, p)
	}
	return out, nil
}
