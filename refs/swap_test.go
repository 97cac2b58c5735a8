package refs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestSwapRef(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		prepare func(t *testing.T, r *Repo)
		ref     string
		old     func(a, b OID) OID // the value the caller believes in
		want    error
	}{
		{name: "creates a ref that does not exist", ref: EventsRef, old: none},
		{name: "creates over empty directories that git left", ref: EventsRef, old: none, prepare: func(t *testing.T, r *Repo) {
			if err := os.MkdirAll(filepath.Join(r.refPath(EventsRef), "a", "b"), 0o777); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "replaces a loose ref", ref: "refs/heads/main", old: first},
		{name: "replaces a packed ref", ref: "refs/heads/main", old: first, prepare: func(t *testing.T, r *Repo) {
			git(t, r.WorkTree, "pack-refs", "--all", "--prune")
		}},
		{name: "refuses when the tip is another", ref: "refs/heads/main", old: second, want: ErrTipMoved},
		{name: "refuses to create what exists", ref: "refs/heads/main", old: none, want: ErrTipMoved},
		{name: "refuses to replace what does not exist", ref: EventsRef, old: first, want: ErrTipMoved},
		{name: "refuses a name below an existing ref", ref: "refs/heads/main/x", old: none, want: ErrConflict},
		{name: "refuses a name above an existing ref", ref: "refs/heads", old: none, want: ErrConflict},
		{name: "refuses a name below a packed ref", ref: "refs/heads/main/x/y", old: none, want: ErrConflict, prepare: packed},
		{name: "refuses a name above a packed ref", ref: "refs/heads", old: none, want: ErrConflict, prepare: packed},
		{name: "refuses an empty ref file", ref: EventsRef, old: none, want: ErrCorrupt, prepare: func(t *testing.T, r *Repo) {
			write(t, r.refPath(EventsRef), "")
		}},
		{name: "refuses a torn ref file", ref: EventsRef, old: none, want: ErrCorrupt, prepare: func(t *testing.T, r *Repo) {
			write(t, r.refPath(EventsRef), "0123456789")
		}},
		{name: "refuses a symbolic ref", ref: EventsRef, old: none, want: ErrBadRef, prepare: func(t *testing.T, r *Repo) {
			git(t, r.WorkTree, "symbolic-ref", EventsRef, "refs/heads/main")
		}},
		{name: "refuses a name that leaves the directory", ref: "refs/../config", old: none, want: ErrBadRef},
		{name: "refuses a name that is a lock", ref: "refs/heads/x.lock", old: none, want: ErrBadRef},
		{name: "refuses git's own files", ref: "config", old: none, want: ErrBadRef},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			repo := newRepo(t)
			a, _, err := repo.Head()
			if err != nil {
				t.Fatal(err)
			}
			b := commitObject(t, repo, "other")
			if test.prepare != nil {
				test.prepare(t, repo)
			}
			before := git(t, repo.WorkTree, "for-each-ref")
			err = repo.SwapRef(context.Background(), test.ref, test.old(a, b), b)
			if !errors.Is(err, test.want) {
				t.Fatalf("got %v, want %v", err, test.want)
			}
			if test.want != nil {
				if after := git(t, repo.WorkTree, "for-each-ref"); after != before {
					t.Errorf("refs changed from\n%s\nto\n%s", before, after)
				}
			} else if got := git(t, repo.WorkTree, "rev-parse", test.ref); got != b.String() {
				t.Errorf("git sees %s, want %s", got, b)
			}
			noLocks(t, repo)
		})
	}
}

func none(OID, OID) OID            { return OID{} }
func first(a, _ OID) OID           { return a }
func second(_, b OID) OID          { return b }
func packed(t *testing.T, r *Repo) { git(t, r.WorkTree, "pack-refs", "--all", "--prune") }

func commitObject(t testing.TB, r *Repo, message string) OID {
	t.Helper()
	oid, err := ParseOID(git(t, r.root(), "commit-tree", "-m", message, git(t, r.root(), "hash-object", "-w", "-t", "tree", os.DevNull)))
	if err != nil {
		t.Fatal(err)
	}
	return oid
}

// noLocks fails if a lock, a mark or a temporary file is left anywhere in the git directory.
func noLocks(t testing.TB, r *Repo) {
	t.Helper()
	err := filepath.WalkDir(r.CommonDir, func(path string, d os.DirEntry, err error) error {
		name := d.Name()
		if err == nil && !d.IsDir() && (strings.HasSuffix(name, ".lock") || strings.HasSuffix(name, ".held") || strings.HasPrefix(name, "tmp_")) {
			t.Errorf("left behind: %s", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestAppendersLoseNothing runs writers of every kind on one ref: processes and goroutines of ours, git's own
// update-ref, and git packing and pruning refs under them.
func TestAppendersLoseNothing(t *testing.T) {
	t.Parallel()
	for _, storage := range storages {
		t.Run(storage, func(t *testing.T) {
			t.Parallel()
			repo := newRepoOf(t, storage)
			processes, each := 4, 25
			if storage == askGit { // a process would find out what the storage really is
				processes = 0
			}
			appendFromAllSides(t, repo, processes, each)
		})
	}
}

func appendFromAllSides(t *testing.T, repo *Repo, processes, each int) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	var want []string
	note := func(names ...string) {
		mu.Lock()
		defer mu.Unlock()
		want = append(want, names...)
	}
	for p := range processes {
		wg.Go(func() {
			name := fmt.Sprintf("process%d", p)
			out, err := inProcess("append", repo.WorkTree, EventsRef, name, fmt.Sprint(each)).Output()
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			note(strings.Fields(string(out))...)
		})
	}
	for g := range 4 {
		wg.Go(func() {
			for i := range each {
				name := fmt.Sprintf("goroutine%d-%d", g, i)
				if err := appendCommit(repo, EventsRef, name); err != nil {
					t.Errorf("%s: %v", name, err)
					return
				}
				note(name)
			}
		})
	}
	wg.Go(func() {
		for i := range each {
			name := fmt.Sprintf("git-%d", i)
			if gitAppends(t, repo, name) {
				note(name)
			}
		}
	})
	stop := make(chan struct{})
	var packer sync.WaitGroup
	packer.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				_, _ = tryGit(repo.WorkTree, "pack-refs", "--all", "--prune")
			}
		}
	})
	wg.Wait()
	close(stop)
	packer.Wait()

	have := map[string]int{}
	for line := range strings.SplitSeq(git(t, repo.WorkTree, "log", "--format=%s", EventsRef), "\n") {
		have[line]++
	}
	if len(want) != (processes+4)*each+each {
		t.Errorf("%d acknowledged", len(want))
	}
	for _, name := range want {
		if have[name] != 1 {
			t.Errorf("%s is there %d times", name, have[name])
		}
	}
	if len(have) != len(want) {
		t.Errorf("%d commits for %d acknowledged", len(have), len(want))
	}
	git(t, repo.WorkTree, "fsck", "--full", "--strict")
	noLocks(t, repo)
}

// gitAppends appends as a careful script would, with git's own compare-and-swap and retries: see casByGit.
func gitAppends(t *testing.T, repo *Repo, name string) bool {
	tree := git(t, repo.WorkTree, "mktree")
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		tip, err := tryGit(repo.WorkTree, "rev-parse", "--verify", "--quiet", EventsRef)
		if err != nil {
			time.Sleep(time.Millisecond)
			continue
		}
		oid := git(t, repo.WorkTree, "commit-tree", "-m", name, "-p", tip, tree)
		if _, err := tryGit(repo.WorkTree, "-c", "core.warnAmbiguousRefs=false", "update-ref", EventsRef, oid, tip); err == nil {
			return true
		}
	}
	t.Errorf("git never got its turn for %s", name)
	return false
}
