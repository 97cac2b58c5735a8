package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// A backfill that is killed, and begun again until it ends, leaves what one run leaves: the same owners of the same
// lines, the same conversations with the same prompts, the same records. It is killed at every few of the renames by
// which everything that it keeps comes to be; with GITTRACE_LONG set at each of them.
func TestBackfillThatWasKilledIsTakenUpAgain(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	testenv.NeedsTrace(t)
	w := pastHistory(t, 31, 6)
	traces := filepath.Join(w.dir, ".git", "traces")
	w.backfill()
	want := w.kept()
	if len(want) < 20 {
		t.Fatalf("one run keeps only %d things", len(want))
	}
	// Everything that was kept is taken away.
	for ref := range strings.FieldsSeq(w.git("for-each-ref", "--format=%(refname)", "refs/traces")) {
		w.git("update-ref", "-d", ref)
	}
	w.must(os.RemoveAll(traces))

	killed := 0
	const most = 1000
	for n := 1; n < most; {
		if !w.killedBackfill(t, n) {
			break
		}
		killed++
		if os.Getenv("GITTRACE_LONG") != "" {
			n++
		} else {
			n += 1 + n/2
		}
	}
	if killed < 4 {
		t.Errorf("it was killed %d times: this test no longer knows the backfill", killed)
	}
	got := w.kept()
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("after %d kills this is missing: %.300s", killed, line)
		}
	}
	if len(got) != len(want) {
		t.Errorf("after %d kills there are %d things, one run keeps %d", killed, len(got), len(want))
	}
	if left, _ := filepath.Glob(filepath.Join(traces, "pending", "*.json")); len(left) > 0 {
		t.Errorf("%d conversations still wait: %v", len(left), left)
	}
	for _, args := range [][]string{{"git-trace", "verify"}, {"git", "fsck", "--strict"}} {
		if out, err := w.command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Errorf("%v: %v: %s", args, err, out)
		}
	}
	if rows := w.backfill(); len(rows) > 0 {
		t.Errorf("another run found %d links", len(rows))
	}
}

// killedBackfill runs a backfill that SIGKILL ends at the n-th rename of one of its threads; false if it came to its
// end.
func (w *pastWorld) killedBackfill(t *testing.T, n int) bool {
	t.Helper()
	program, err := exec.LookPath("git-trace")
	w.must(err)
	cmd := w.command("strace", "-f", "-qq", "-o", os.DevNull, "-e", "trace=renameat", "-e", fmt.Sprintf("inject=renameat:signal=SIGKILL:when=%d", n),
		program, "backfill", "--transcripts", w.folder)
	cmd.Env = append(cmd.Env, "GOMAXPROCS=1")
	out, err := cmd.CombinedOutput()
	if err != nil && len(out) > 0 {
		t.Logf("kill at rename %d: %v: %s", n, err, out)
	}
	return err != nil
}

// kept is what a backfill leaves, without the times at which it was written, sorted.
func (w *pastWorld) kept() []string {
	var out []string
	events, err := w.command("git-trace", "events", "--json").Output()
	w.must(err)
	for line := range strings.Lines(string(events)) {
		var e struct {
			Type    string         `json:"type"`
			Time    string         `json:"time"`
			Trace   string         `json:"trace"`
			Session string         `json:"session"`
			Data    map[string]any `json:"data"`
		}
		w.must(json.Unmarshal([]byte(line), &e))
		switch e.Type {
		case "commit_anchored":
			out = append(out, fmt.Sprint(e.Type, e.Data))
		case "session_started", "prompt_submitted", "session_ended":
			out = append(out, fmt.Sprint(e.Type, e.Time, e.Trace, e.Session, e.Data))
		}
	}
	for path := range strings.FieldsSeq(w.git("ls-tree", "-r", "--name-only", "refs/traces/records")) {
		out = append(out, path+" "+w.git("cat-file", "-p", "refs/traces/records:"+path))
	}
	slices.Sort(out)
	return out
}
