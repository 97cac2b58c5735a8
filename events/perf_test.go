package events

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// bigLog makes a log of n events in batches and packs it.
func bigLog(t testing.TB, n, perBatch int) *Log {
	t.Helper()
	log := OpenLog(newRepo(t))
	lines := EncodeFingerprints(make([]Fingerprint, 6))
	for i := 0; i < n; i += perBatch {
		var drafts []Draft
		for k := range perBatch {
			d := promptDraft(i + k)
			d.Type, d.ToolCall, d.Method = PatchRecorded, "toolu_"+strconv.Itoa(i), []Method{HookToolAfter}
			d.Data = mustEncode(t, PatchData{Patch: "0123456789abcdef0123456789abcdef", Interval: int64(i), Path: "cmd/file" + strconv.Itoa(i%100) + ".go", NewStart: i%1000 + 1, NewCount: 6, Owner: OwnerAI, Tool: "Edit", Prompt: 3, Lines: lines})
			drafts = append(drafts, d)
		}
		mustAppend(t, log, drafts...)
		if i%(2000*perBatch) == 0 {
			runGit(t, log.repo.WorkTree, "gc", "-q")
		}
	}
	runGit(t, log.repo.WorkTree, "gc", "-q")
	return log
}

// TestVerifyTiming prints how verification compares with `git log` of the ref; EVENTS_TEST_SIZE says how many events.
func TestVerifyTiming(t *testing.T) {
	size, _ := strconv.Atoi(os.Getenv("EVENTS_TEST_SIZE"))
	if size == 0 {
		t.Skip("EVENTS_TEST_SIZE is not set")
	}
	for _, perBatch := range []int{1, 5} {
		log := bigLog(t, size, perBatch)
		for range 3 {
			start := time.Now()
			cmd := exec.Command("git", "log", refs.EventsRef)
			cmd.Dir = log.repo.WorkTree
			_, err := cmd.Output()
			check(t, err)
			plain := time.Since(start)
			start = time.Now()
			r, err := log.Verify(context.Background(), Verification{})
			check(t, err)
			took := time.Since(start)
			check(t, log.ForgetCopies())
			start = time.Now()
			c, err := log.Copy(context.Background(), refs.EventsRef)
			check(t, err)
			c.Close()
			build := time.Since(start)
			start = time.Now()
			c, err = log.Copy(context.Background(), refs.EventsRef)
			check(t, err)
			c.Close()
			warm := time.Since(start)
			t.Logf("build copy %v, open it warm %v", build, warm)
			t.Logf("%d events, %d a batch: git log %v, verify %v, ratio %.2f (%s)", r.Events, perBatch, plain, took, took.Seconds()/plain.Seconds(), r.Summary())
		}
	}
}
