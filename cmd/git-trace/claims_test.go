package main

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

// claimed is a traced repository with a file of n lines that was committed before hooks were there. Of that commit
// another clone publishes runs: its log is sound, whatever it says.
func claimed(t *testing.T, n int, runs []events.AnchorRun) *twin {
	t.Helper()
	w := newTwin(t, false)
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "value[%d] = measured(%d)\n", i, i)
	}
	w.put("long.txt", text.String())
	w.commit("long")
	commit, err := refs.ParseOID(strings.TrimSpace(w.must("git", "rev-parse", "HEAD")))
	if err != nil {
		t.Fatal(err)
	}
	blob, err := refs.ParseOID(strings.TrimSpace(w.must("git", "rev-parse", "HEAD:long.txt")))
	if err != nil {
		t.Fatal(err)
	}
	w.must("git", "clone", "-q", ".", "../claims")
	other, err := refs.Discover(filepath.Join(w.base, "claims"))
	if err != nil {
		t.Fatal(err)
	}
	owners := []events.AnchorOwner{
		{Kind: events.OwnerAI, Trace: events.NewTraceID("claude-code", "theirs"), Agent: "claude-code", Session: "theirs"},
		{Kind: events.OwnerAI, Trace: events.NewTraceID("codex-cli", "others"), Agent: "codex-cli", Session: "others"},
	}
	const most = 5000 // an event holds so many runs
	for ; len(runs) > 0; runs = runs[min(most, len(runs)):] {
		raw, err := events.Encode(events.CommitData{
			Commit: commit, Owners: owners, Added: math.MaxInt32,
			Files: []events.AnchorFile{{Path: "long.txt", Blob: blob, Runs: runs[:min(most, len(runs))]}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := events.OpenLog(other).Append(t.Context(), []events.Draft{{
			Time: time.Now(), Type: events.CommitAnchored, Method: []events.Method{events.Backfill}, Data: raw,
		}}); err != nil {
			t.Fatal(err)
		}
	}
	w.trace()
	testenv.FetchLog(t, w.dir, other.WorkTree, "origin")
	return w
}

// Runs of a fetched log were never held against the file, so that stats told of four thousand million lines.
func TestFoundClaimsBeyondTheEndOfAFileCountItsLinesAlone(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	w := claimed(t, 10, []events.AnchorRun{
		{Start: 3, Count: math.MaxInt32 - 4, Owner: 0, Tier: "exact_lines"},
		{Start: 1 << 30, Count: 1 << 29, Owner: 1, Tier: "exact_lines"},
	})
	var told struct {
		Total struct{ AI, Human, Unknown, Lines int }
	}
	out := w.must("../bin/git-trace", "stats", "--json", "HEAD~1..HEAD", "--", "long.txt")
	if err := json.Unmarshal([]byte(out), &told); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Log(out)
	t.Log(w.must("../bin/git-trace", "blame", "--json=runs", "long.txt"))
	t.Log(w.must("../bin/git-trace", "log"))
}

// 1.2 MB of runs of a line each kept blame busy for three minutes and took 730 MB.
func TestFoundClaimsOfManyRunsTakeLittleTime(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	const n = 15_000
	runs := make([]events.AnchorRun, n)
	for i := range runs {
		runs[i] = events.AnchorRun{Start: i + 1, Count: 1, Owner: i % 2, Tier: "exact_lines"}
	}
	w := claimed(t, n, runs)
	for _, args := range [][]string{
		{"blame", "long.txt"}, {"blame", "--json", "long.txt"}, {"stats", "HEAD"}, {"log"}, {"graph"}, {"track", "long.txt:3"}, {"diff", "HEAD"},
	} {
		if c := w.bounded(commandMemory, args...); c.code != 0 || c.cpu > commandTime {
			t.Errorf("%v: exit status %d after %v of processor time\n%.500s", args, c.code, c.cpu, c.out)
		} else {
			t.Log(args, c.cpu)
		}
	}
}
