package trails

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/sidestore"
	"github.com/git-trace/git-trace/trails/snapshot"
)

// Expire removes from the side store the objects that are older than a time and in no work tree's last snapshot.
// With dry set it only counts.
func Expire(ctx context.Context, repo *refs.Repo, before time.Time, dry bool) (sidestore.Expired, error) {
	trees, err := worktrees(repo)
	if err != nil {
		return sidestore.Expired{}, err
	}
	x := sidestore.Expiry{Before: before, Dry: dry, Roots: func() ([]refs.OID, error) { return lastTrees(trees) }}
	for _, tree := range trees {
		if _, err := os.Stat(tree.WorktreeTracesDir()); err == nil {
			x.Locks = append(x.Locks, lockFile(tree))
		}
	}
	return sidestore.Open(repo).Expire(ctx, x)
}

// lastTrees returns the trees that the next boundaries of the work trees start from: the timeline's and the snapshot
// engine's, which differ when a process was killed between writing the one and the other. One that was never stored
// does not count.
func lastTrees(trees []*refs.Repo) ([]refs.OID, error) {
	var roots []refs.OID
	for _, tree := range trees {
		st, err := loadState(tree)
		if err != nil {
			return nil, err
		}
		last, err := snapshot.LastTree(snapshotState(tree), tree.Format)
		if err != nil {
			return nil, err
		}
		roots = append(roots, st.Tree, last)
	}
	slices.SortFunc(roots, func(a, b refs.OID) int { return bytes.Compare(a.Bytes(), b.Bytes()) })
	roots = slices.Compact(roots)
	objects := trees[0].Objects()
	defer objects.Close()
	kept := roots[:0]
	for _, oid := range roots {
		switch _, _, err := objects.Read(oid); {
		case err == nil:
			kept = append(kept, oid)
		case !errors.Is(err, refs.ErrMissing): // the zero id is missing, too
			return nil, err
		}
	}
	return kept, nil
}

// Sweep removes half-written files of killed processes, in the side store and in the state of every work tree, and
// returns their number. With dry set it only counts.
func Sweep(repo *refs.Repo, now time.Time, dry bool) int {
	n := refs.SweepTemporary(repo.SideObjects(), now, dry)
	trees, err := worktrees(repo)
	if err != nil {
		return n // the next time
	}
	for _, tree := range trees {
		for _, dir := range []string{"", "cache", "pending", "prompts", "spool"} {
			n += refs.SweepHalfWritten(filepath.Join(tree.WorktreeTracesDir(), dir), now, dry)
		}
	}
	return n
}

// worktrees lists the work trees of a repository, the main one first. Only their git directories are set: it does
// not look for the directories of their files.
func worktrees(repo *refs.Repo) ([]*refs.Repo, error) {
	of := func(gitDir string) *refs.Repo {
		tree := *repo
		tree.GitDir = gitDir
		return &tree
	}
	list := []*refs.Repo{of(repo.CommonDir)}
	linked, err := os.ReadDir(filepath.Join(repo.CommonDir, "worktrees"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list work trees: %w", err)
	}
	for _, w := range linked {
		list = append(list, of(filepath.Join(repo.CommonDir, "worktrees", w.Name())))
	}
	return list, nil
}
