package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// Many conversations are recorded along one reading of the history. Where that cannot be read, because a content of
// another branch is gone, git is asked for each file, and the records are the same.
func TestManyRecordsNeedNoHistory(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	tree := func(damage bool) string {
		w := newPastWorld(t, 5)
		w.bulk(60, 12, 4, 60)
		w.git("checkout", "-q", "-b", "other")
		w.put("src/part0/file0.go", append(w.get("src/part0/file0.go"), "another line"))
		w.commit("on another branch")
		gone := strings.TrimSpace(w.git("rev-parse", "HEAD:src/part0/file0.go"))
		w.git("checkout", "-q", "main")
		if damage {
			w.must(os.Remove(filepath.Join(w.dir, ".git", "objects", gone[:2], gone[2:])))
		}
		out, err := w.command("git-trace", "backfill", "--transcripts", w.folder).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if n := len(strings.Fields(w.git("ls-tree", "-r", "--name-only", "refs/traces/records"))); n < 8 { // fewer are asked for one by one
			t.Fatalf("%d records: %s", n, out)
		}
		return strings.ReplaceAll(w.git("grep", "-c", "", "refs/traces/records"), "refs/traces/records:", "") +
			w.git("rev-parse", "refs/traces/records^{tree}")
	}
	if whole, damaged := tree(false), tree(true); whole != damaged {
		t.Errorf("--- whole\n%s\n--- damaged\n%s", whole, damaged)
	}
}
