package refs

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

func TestFlockExcludesGoroutines(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "dir", "lock")
	var wg sync.WaitGroup
	var inside, count atomic.Int32 // the race detector does not know a file lock for a lock
	for range 8 {
		wg.Go(func() {
			for range 20 {
				lock, err := Flock(path, 20*time.Second)
				if err != nil {
					t.Error(err)
					return
				}
				if inside.Add(1) != 1 {
					t.Error("two at once")
				}
				count.Add(1)
				inside.Add(-1)
				lock.Unlock()
			}
		})
	}
	wg.Wait()
	if count.Load() != 160 {
		t.Errorf("%d times inside", count.Load())
	}
}

func TestFlockOfAnotherProcess(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	path := filepath.Join(repo.TracesDir(), "some.lock")
	holder := inProcess("flock", repo.WorkTree, path)
	start(t, holder)
	begin := time.Now()
	if _, err := Flock(path, 60*time.Millisecond); !errors.Is(err, ErrLockTimeout) {
		t.Fatalf("held elsewhere: %v", err)
	}
	if took := time.Since(begin); took < 60*time.Millisecond || took > testenv.Within(5*time.Second) {
		t.Errorf("waited %v", took)
	}
	kill(holder)
	lock, err := Flock(path, 30*time.Second) // the one that gave up may still have its turn
	if err != nil {
		t.Fatalf("after its holder was killed: %v", err)
	}
	lock.Unlock()
}

func TestFlockNoticesThatItsFileWasRemoved(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	first, err := Flock(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Unlock()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	second, err := Flock(path, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Unlock()
	if _, err := Flock(path, 0); !errors.Is(err, ErrLockTimeout) {
		t.Errorf("the new file is not locked: %v", err)
	}
}

func TestFlockSaysWhyItCannot(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "file"), "")
	for _, path := range []string{filepath.Join(dir, "file", "lock"), dir} {
		if _, err := Flock(path, 0); err == nil || errors.Is(err, ErrLockTimeout) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
