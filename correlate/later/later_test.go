package later

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

func newQueue(t *testing.T) Queue {
	t.Helper()
	return Open(&refs.Repo{GitDir: t.TempDir()})
}

func add(t *testing.T, q Queue, hook string, at int64) Job {
	t.Helper()
	job := Job{Hook: hook, Args: []string{hook + "'s"}, Time: time.Unix(0, at).UTC()}
	if err := q.Add(job); err != nil {
		t.Fatal(err)
	}
	return job
}

func nothing() error { return nil }

func never() bool { return false }

func TestWorkIsDoneOnceAndOldestFirst(t *testing.T) {
	t.Parallel()
	q := newQueue(t)
	if q.Any() || q.Busy() {
		t.Error("something waits in a queue that nobody has used")
	}
	commit, err := refs.ParseOID(strings.Repeat("12", 20))
	if err != nil {
		t.Fatal(err)
	}
	second := Job{
		Hook: "post-rewrite", Args: []string{"amend"}, Commit: commit,
		Pairs: []events.RewritePair{{Old: commit, New: commit}}, Time: time.Unix(0, 2).UTC(),
	}
	if err := q.Add(second); err != nil {
		t.Fatal(err)
	}
	add(t, q, "first", 1)
	var done []Job
	rests, added := 0, false
	err = q.Work(t.Context(), func(job Job) error {
		if done = append(done, job); !q.Busy() {
			t.Error("nobody is at work, it says")
		}
		return nil
	}, func() error { rests++; return nil }, func() bool {
		if !added {
			add(t, q, "while the lock was being let go", 3)
		}
		defer func() { added = true }()
		return !added
	})
	if err != nil || len(done) != 3 || done[0].Hook != "first" || rests != 2 {
		t.Fatalf("done %+v, %v; the rest %d times", done, err, rests)
	}
	if got := done[1]; got.Hook != second.Hook || !slices.Equal(got.Args, second.Args) || got.Commit != commit ||
		!slices.Equal(got.Pairs, second.Pairs) || !got.Time.Equal(second.Time) {
		t.Errorf("got %+v, want %+v", got, second)
	}
	if q.Any() || q.Busy() {
		t.Error("something is left")
	}
}

func TestOneProcessWorksAtATime(t *testing.T) {
	t.Parallel()
	q := newQueue(t)
	add(t, q, "one", 1)
	lock, err := refs.Flock(q.lockFile(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if !q.Busy() {
		t.Error("it is not busy")
	}
	unwanted := func(Job) error { t.Error("two at work"); return nil }
	if err := q.Work(t.Context(), unwanted, nothing, never); err != nil || !q.Any() {
		t.Errorf("%v, and something waits: %v", err, q.Any())
	}
	lock.Unlock()
}

func TestWorkThatFailsGoesAndIsTold(t *testing.T) {
	t.Parallel()
	q := newQueue(t)
	add(t, q, "one", 1)
	add(t, q, "two", 2)
	if err := os.WriteFile(filepath.Join(q.dir, "00000000000000000003-1-0"+jobSuffix), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	n := 0
	err := q.Work(t.Context(), func(Job) error { n++; return broken }, nothing, never)
	if !errors.Is(err, broken) || n != 2 || q.Any() {
		t.Errorf("%d tried, %v, left %v", n, err, q.names())
	}
}

func TestWorkThatIsCutShortStaysUntilItWasBegunTooOften(t *testing.T) {
	t.Parallel()
	q := newQueue(t)
	add(t, q, "endless", 1)
	n := 0
	for range maxTries {
		ctx, cancel := context.WithCancel(t.Context())
		_ = q.Work(ctx, func(Job) error { n++; cancel(); return ctx.Err() }, nothing, never)
		cancel()
	}
	if n != maxTries || !q.Any() {
		t.Fatalf("begun %d times, waits %v", n, q.Any())
	}
	if err := q.Work(t.Context(), func(Job) error { n++; return nil }, nothing, never); !errors.Is(err, errTries) {
		t.Errorf("%v", err)
	}
	if n != maxTries || q.Any() {
		t.Errorf("begun %d times, left %v", n, q.names())
	}
}

// A commit that a rebase made is no job until it is released, and is taken off without one.
func TestPicksWaitUntilTheyAreReleased(t *testing.T) {
	t.Parallel()
	q := newQueue(t)
	ids := make([]refs.OID, 3)
	for n := range ids {
		id, err := refs.ParseOID(strings.Repeat(string(rune('1'+n)), 40))
		if err != nil {
			t.Fatal(err)
		}
		ids[n] = id
		if err := q.Add(Job{Hook: "post-commit", Commit: id, From: ids[0], Time: time.Unix(0, int64(n)).UTC()}); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(q.dir, "00000000000000000009-1"+pickMark+"-0"+waitSuffix), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	picks := q.Picks()
	if q.Any() || len(picks) != 3 || picks[2].Commit != ids[2] || picks[2].From != ids[0] {
		t.Fatalf("%d jobs, and %+v", q.Len(), picks)
	}
	for range 2 { // somebody else may have done it before
		if err := errors.Join(q.Done(picks[:1]), q.Release(picks)); err != nil {
			t.Fatal(err)
		}
	}
	if q.Len() != 2 || len(q.Picks()) != 2 {
		t.Errorf("%d jobs, and %+v", q.Len(), q.Picks())
	}
	var done []Job
	err := q.Work(t.Context(), func(job Job) error { done = append(done, job); return nil }, nothing, never)
	if err != nil || len(done) != 2 || done[1].Commit != ids[2] || done[1].From != ids[0] {
		t.Errorf("%v; done %+v", err, done)
	}
}
