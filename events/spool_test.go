package events

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// spoolDrafts makes an append miss its turn.
func spoolDrafts(t testing.TB, log *Log, drafts ...Draft) string {
	t.Helper()
	before, err := log.Spooled()
	check(t, err)
	lock, err := refs.Flock(filepath.Join(log.repo.TracesDir(), "append.lock"), time.Second)
	check(t, err)
	defer lock.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	_, err = log.Append(ctx, drafts) // on a busy machine the time is over before it waits
	inTime := errors.Is(err, refs.ErrLockTimeout) || errors.Is(err, context.DeadlineExceeded)
	if !errors.Is(err, ErrSpooled) || !inTime {
		t.Fatalf("append without its turn: %v", err)
	}
	after, err := log.Spooled()
	check(t, err)
	for _, file := range after {
		if !slices.Contains(before, file) {
			return file
		}
	}
	t.Fatal("nothing was spooled")
	return ""
}

// promptNumbers are the prompt indexes in the log, in order.
func promptNumbers(t testing.TB, log *Log) []int {
	t.Helper()
	var out []int
	for _, e := range readAll(t, log, Range{}) {
		if e.Type == PromptSubmitted {
			out = append(out, int(e.Time.Sub(testTime)/time.Second))
		}
	}
	return out
}

func TestSpooledBatchesGoFirstAndInOrder(t *testing.T) {
	t.Parallel()
	log := OpenLog(newRepo(t))
	mustAppend(t, log, promptDraft(0))
	file := spoolDrafts(t, log, promptDraft(1), promptDraft(2))
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	spoolDrafts(t, log, promptDraft(3))
	if e := mustAppend(t, log, promptDraft(4))[0]; e.Seq != 6 {
		t.Errorf("the new event is number %d", e.Seq)
	}
	if got := promptNumbers(t, log); !slices.Equal(got, []int{0, 1, 2, 3, 4}) {
		t.Errorf("order %v", got)
	}
	if files, err := log.Spooled(); err != nil || len(files) != 0 {
		t.Errorf("left in the spool: %v, %v", files, err)
	}
}

func TestManySpooledBatchesAreJoined(t *testing.T) {
	t.Parallel()
	log := OpenLog(newRepo(t))
	mustAppend(t, log, promptDraft(0))
	for i := range 30 {
		d := promptDraft(1 + i)
		d.ToolCall = strings.Repeat("x", MaxField)
		check(t, log.spool(mustPrepare(t, d, d, d)))
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if n, err := log.Drain(ctx); err != nil || n != 30 {
		t.Fatalf("drained %d, %v", n, err)
	}
	if got := promptNumbers(t, log); len(got) != 91 || got[90] != 30 || !slices.IsSorted(got) {
		t.Errorf("order %v", got)
	}
	if r := verifyRef(t, log, ""); r.State != Consistent {
		t.Errorf("%s", r.Summary())
	}
}

func mustPrepare(t testing.TB, drafts ...Draft) []Draft {
	t.Helper()
	ready, err := prepare(drafts, testTime)
	check(t, err)
	return ready
}

func TestSpoolBeforeTheFirstAppend(t *testing.T) {
	t.Parallel()
	log := OpenLog(newRepo(t))
	spoolDrafts(t, log, promptDraft(0))
	if n, err := log.Drain(context.Background()); err != nil || n != 1 {
		t.Errorf("drained %d, %v", n, err)
	}
	events := readAll(t, log, Range{})
	if len(events) != 2 || events[0].Type != LogStarted || events[1].Type != PromptSubmitted {
		t.Errorf("log %v", events)
	}
	if n, err := log.Drain(context.Background()); err != nil || n != 0 {
		t.Errorf("drained again %d, %v", n, err)
	}
}

func TestBatchDrainedByAKilledProcessIsNotAppendedAgain(t *testing.T) {
	t.Parallel()
	log := OpenLog(newRepo(t))
	mustAppend(t, log, promptDraft(0))
	file := spoolDrafts(t, log, promptDraft(1), promptDraft(2))
	text, err := os.ReadFile(file)
	check(t, err)
	mustAppend(t, log, promptDraft(3))
	// The process that drained the file ended before it could remove it.
	check(t, os.WriteFile(file, text, 0o600))
	second := spoolDrafts(t, log, promptDraft(4))
	mustAppend(t, log, promptDraft(5))
	if got := promptNumbers(t, log); !slices.Equal(got, []int{0, 1, 2, 3, 4, 5}) {
		t.Errorf("order %v", got)
	}
	for _, f := range []string{file, second} {
		if _, err := os.Lstat(f); !os.IsNotExist(err) {
			t.Errorf("%s is left", filepath.Base(f))
		}
	}
}

func TestUnreadableSpoolFileIsKeptAsideAndStopsNothing(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"cut off": `{"data":{}`, "empty": "", "not a draft": "{}\n", "an event with a number": `{"data":{},"id":"x"}` + "\n",
		"of another version": strings.Replace(`{"data":{},"method":["manual"],"time":"2026-11-20T09:00:00.000000000Z","type":"X"}`, "X", "future", 1) + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := OpenLog(newRepo(t))
			path := filepath.Join(log.SpoolDir(), "00000000000000000001-1-00000000.jsonl")
			check(t, refs.WriteFileAtomic(path, []byte(text), 0o600))
			mustAppend(t, log, promptDraft(0))
			if kept, err := os.ReadFile(path + ".bad"); err != nil || string(kept) != text {
				t.Errorf("kept %q, %v", kept, err)
			}
		})
	}
}

func TestSpoolOfALinkedWorkTreeIsDrainedByAnother(t *testing.T) {
	t.Parallel()
	main := newRepo(t)
	runGit(t, main.WorkTree, "commit", "-q", "--allow-empty", "-m", "root")
	dir := filepath.Join(t.TempDir(), "linked")
	runGit(t, main.WorkTree, "worktree", "add", "-q", dir)
	linked := OpenLog(openRepo(t, dir))
	file := spoolDrafts(t, linked, promptDraft(0))
	if !strings.HasPrefix(file, linked.repo.GitDir) {
		t.Errorf("spooled to %s", file)
	}
	log := OpenLog(main)
	mustAppend(t, log, promptDraft(1))
	if got := promptNumbers(t, log); !slices.Equal(got, []int{0, 1}) {
		t.Errorf("order %v", got)
	}
}

func TestLiveRefLockIsWaitedForAndNeverRemoved(t *testing.T) {
	t.Parallel()
	log := OpenLog(newRepo(t))
	refFiles(t, log.repo)
	check(t, os.MkdirAll(filepath.Join(log.repo.CommonDir, "refs", "traces"), 0o777))
	lock := filepath.Join(log.repo.CommonDir, refs.EventsRef+".lock")
	f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	check(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	if _, err := log.Append(ctx, []Draft{promptDraft(0)}); !errors.Is(err, ErrSpooled) || !errors.Is(err, refs.ErrLocked) {
		t.Errorf("error %v", err)
	}
	if _, err := os.Lstat(lock); err != nil {
		t.Error("the live lock is gone")
	}
	go func() {
		time.Sleep(300 * time.Millisecond)
		_ = f.Close()
		_ = os.Remove(lock)
	}()
	mustAppend(t, log, promptDraft(1)) // it makes the log, so it has to wait
	again, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	check(t, err)
	defer again.Close()
	mustAppend(t, log, promptDraft(2)) // no append after the first does
	if got := promptNumbers(t, log); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("order %v", got)
	}
}

// FuzzSpool holds that a spool file is either refused or appended as it stands.
func FuzzSpool(f *testing.F) {
	d, _ := fullDraft().normal()
	line, _ := draftLine(d)
	f.Add(append(line, '\n'))
	f.Add([]byte("{}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		drafts, err := parseSpool(text)
		if err != nil {
			return
		}
		logged := map[string]bool{}
		for _, d := range drafts {
			line, err := draftLine(d)
			check(t, err)
			logged[string(line)] = true
		}
		if len(text) < MaxField && !strings.Contains(string(text), `"`+unknownMember(text)+`":`) && !holdsAll(logged, text) {
			t.Fatalf("%q is not recognised after it was drained", text)
		}
	})
}

// unknownMember finds a member that drafts do not have, or gives a name that the text does not hold.
func unknownMember(text []byte) string {
	known := []string{"agent", "data", "limits", "method", "session", "step", "subagent", "time", "tool_call", "trace", "type", "worktree"}
	unknown := "\x00"
	for line := range strings.SplitSeq(strings.TrimSuffix(string(text), "\n"), "\n") {
		s := scanner{buf: []byte(line)}
		_ = s.object(MaxDepth, func(name []byte) error {
			if !slices.Contains(known, string(name)) {
				unknown = string(name)
			}
			return s.value(MaxDepth - 1)
		})
	}
	return unknown
}
