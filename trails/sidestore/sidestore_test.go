package sidestore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

// TestMain gives every git of the tests a clean configuration.
func TestMain(m *testing.M) {
	os.Exit(testenv.Main(m))
}

func TestPackedObjectsAreThereAndNoLongerLoose(t *testing.T) {
	t.Parallel()
	for name, options := range map[string][]string{"sha1": nil, "sha256": {"--object-format=sha256"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, options...)
			if n := f.pack(); n != 0 {
				t.Errorf("packed %d objects of nothing", n)
			}
			var ids []refs.OID
			for i := range 50 {
				ids = append(ids, f.blob(fmt.Sprintf("content %d\n%s", i, strings.Repeat("the same\n", 100))))
			}
			ids = append(ids, f.tree(ids...))
			empty := filepath.Join(f.repo.SideObjects(), "00", strings.Repeat("0", 2*f.repo.Format.Size()-2))
			if err := errors.Join(os.MkdirAll(filepath.Dir(empty), 0o777), os.WriteFile(empty, nil, 0o444)); err != nil {
				t.Fatal(err)
			}
			if n := f.pack(); n != len(ids) {
				t.Errorf("packed %d of %d objects", n, len(ids))
			}
			if n := f.loose(); n != 1 { // the empty file is nobody's object
				t.Errorf("%d loose objects left", n)
			}
			f.wantAll(ids...)
		})
	}
}

// What git's own store has too must not leave the side store: git may prune it there.
func TestPackKeepsWhatTheRepositoryHasToo(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	oid := f.blob("in both\n")
	if _, err := f.repo.WriteLoose(f.repo.MainObjects(), refs.BlobObject, []byte("in both\n")); err != nil {
		t.Fatal(err)
	}
	if p, err := f.repo.MakePack(context.Background(), f.repo.MainObjects(), list([]refs.OID{oid})); err != nil || p.Path == "" {
		t.Fatalf("git packed nothing: %v", err)
	}
	if n := f.pack(); n != 1 {
		t.Fatalf("packed %d objects", n)
	}
	if err := os.RemoveAll(f.repo.MainObjects()); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(f.repo.MainObjects(), 0o777); err != nil {
		t.Fatal(err)
	}
	if !f.has(oid) {
		t.Error("an object went with the repository's copy")
	}
}

func TestPacksOfTheSameTimeAreMerged(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var ids []refs.OID
	for i := range mergeAt - 1 {
		ids = append(ids, f.blob(fmt.Sprint(i)))
		f.pack()
	}
	old := time.Now().Add(-2 * mergePeriod)
	first := f.packs()[0]
	if err := os.Chtimes(first.Path+".pack", old, old); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		ids = append(ids, f.blob(fmt.Sprint("more", i)))
		f.pack()
	}
	packs := f.packs()
	if len(packs) != 2 {
		t.Errorf("%d packs", len(packs))
	}
	f.wantAll(ids...)
}

func TestExpiryTakesWhatIsOldAndInNoLastSnapshot(t *testing.T) {
	t.Parallel()
	for _, packed := range []bool{false, true} {
		t.Run(fmt.Sprint("packed ", packed), func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			kept := []refs.OID{f.blob("kept 1"), f.blob("kept 2")}
			root := f.tree(kept...)
			kept = append(kept, root)
			gone := []refs.OID{f.blob("old 1"), f.blob("old 2")}
			gone = append(gone, f.tree(gone...))
			if packed {
				f.pack()
			}
			f.age(48 * time.Hour)
			young := f.blob("young")
			if out := f.expire(true, root); out.Objects != len(gone) || out.Bytes == 0 {
				t.Errorf("would remove %+v", out)
			}
			f.wantAll(gone...)
			if out := f.expire(false, root); out.Objects != len(gone) {
				t.Errorf("removed %+v", out)
			}
			f.wantAll(append(kept, young)...)
			for _, oid := range gone {
				if f.has(oid) {
					t.Errorf("%s is still there", oid)
				}
			}
			if out := f.expire(false, root); out.Objects != 0 {
				t.Errorf("removed %+v again", out)
			}
		})
	}
}

func TestNothingExpiresWhileASnapshotIsIncomplete(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	lost := f.blob("lost")
	root, old := f.tree(lost), f.blob("old")
	if _, err := refs.RemoveLoose(f.repo.SideObjects(), lost); err != nil {
		t.Fatal(err)
	}
	f.age(48 * time.Hour)
	_, err := f.store.Expire(context.Background(), Expiry{Before: time.Now(), Roots: fixed(root)})
	if !errors.Is(err, ErrRoots) || !f.has(old) {
		t.Errorf("%v", err)
	}
}

// A boundary between the look at the last snapshots and the removal takes an object into a new snapshot.
func TestWhatASnapshotTookInMeanwhileStays(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	taken, old := f.blob("taken"), f.blob("old")
	first, second := f.tree(f.blob("first")), f.tree(taken)
	f.age(48 * time.Hour)
	calls := 0
	roots := func() ([]refs.OID, error) {
		calls++
		if calls == 1 {
			return []refs.OID{first}, nil
		}
		return []refs.OID{second}, nil
	}
	if _, err := f.store.Expire(context.Background(), Expiry{Before: time.Now(), Roots: roots}); err != nil {
		t.Fatal(err)
	}
	f.wantAll(taken, second)
	if f.has(old) {
		t.Error("what nobody needs is still there")
	}
}

// Eight writers store contents, some of them old ones again, while packing and expiry run: what a writer was told is
// stored is there at the end.
func TestEightWritersBesidePackingAndExpiry(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const writers, writes = 8, 150
	for i := range writes {
		f.blob(fmt.Sprint("shared ", i))
	}
	f.age(48 * time.Hour)
	lockPath := filepath.Join(f.repo.WorktreeTracesDir(), "lock")
	var group sync.WaitGroup
	var mu sync.Mutex
	stored := map[refs.OID]struct{}{}
	for who := range writers {
		group.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(who), 1))
			for i := range writes {
				text := fmt.Sprintf("writer %d content %d", who, i)
				if rng.IntN(2) == 0 {
					text = fmt.Sprint("shared ", rng.IntN(writes))
				}
				lock, err := refs.Flock(lockPath, time.Minute)
				if err != nil {
					t.Error(err)
					return
				}
				oid, err := f.repo.WriteLoose(f.repo.SideObjects(), refs.BlobObject, []byte(text))
				lock.Unlock()
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				stored[oid] = struct{}{}
				mu.Unlock()
			}
		})
	}
	done := make(chan struct{})
	go func() { group.Wait(); close(done) }()
	packed := 0
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		packed += f.pack()
		f.expire(false)
	}
	if packed == 0 {
		t.Error("nothing was packed")
	}
	f.wantAll(slices.Collect(maps.Keys(stored))...)
}

func TestTemporaryFilesOfTheDeadAreSwept(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.blob("an object")
	dir := f.repo.SideObjects()
	old := time.Now().Add(-48 * time.Hour)
	names := []string{"tmp_obj_1", "pack/tmp_pack_1", "pack/tmp_idx_1"}
	for _, name := range append(names, "tmp_obj_young") {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, nil, 0o666)); err != nil {
			t.Fatal(err)
		}
		if name != "tmp_obj_young" {
			if err := os.Chtimes(path, old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := refs.SweepTemporary(dir, time.Now(), true); n != len(names) {
		t.Errorf("would sweep %d files", n)
	}
	if n := refs.SweepTemporary(dir, time.Now(), false); n != len(names) {
		t.Errorf("swept %d files", n)
	}
	if n := refs.SweepTemporary(dir, time.Now(), false); n != 0 {
		t.Errorf("swept %d files again", n)
	}
}

// The number of loose objects is estimated by one of 256 directories.
func TestPackingIsDueByOneDirectory(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	if f.store.PackDue(1) {
		t.Error("a store that is not there is due")
	}
	for i := range 600 {
		f.blob(fmt.Sprint(i))
	}
	if !f.store.PackDue(1) {
		t.Error("600 loose objects are fewer than one")
	}
	if f.store.PackDue(LooseLimit) {
		t.Errorf("600 loose objects are %d", LooseLimit)
	}
	f.pack()
	if f.store.PackDue(1) {
		t.Error("what was packed counts as loose")
	}
}

// Who stops an expiry stops it before anything is removed; roots that cannot be told, a lock that another one holds.
func TestAnExpiryThatCannotBeDoneRemovesNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	old := f.blob("old")
	f.age(48 * time.Hour)
	unknown := errors.New("unknown")
	stopped, stop := context.WithCancel(context.Background())
	stop()
	for name, tt := range map[string]struct {
		ctx    context.Context
		expiry Expiry
		want   error // nil for any
	}{
		"stopped":                      {stopped, Expiry{Roots: fixed()}, context.Canceled},
		"the roots cannot be told":     {context.Background(), Expiry{Roots: func() ([]refs.OID, error) { return nil, unknown }}, unknown},
		"a lock that cannot be a file": {context.Background(), Expiry{Roots: fixed(), Locks: []string{f.repo.CommonDir}}, nil},
	} {
		tt.expiry.Before = time.Now()
		out, err := f.store.Expire(tt.ctx, tt.expiry)
		if err == nil || out.Objects != 0 || !f.has(old) {
			t.Errorf("%s: removed %+v, %v", name, out, err)
		}
		if tt.want != nil && !errors.Is(err, tt.want) {
			t.Errorf("%s: the cause is %v", name, err)
		}
	}
}
