package events

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/git-trace/git-trace/refs"
)

// pruneLog does to the log what git-filter-repo does with --prune-empty always.
func pruneLog(t *testing.T, l *Log) {
	t.Helper()
	runGit(t, l.repo.GitDir, "update-ref", "-d", refs.EventsRef)
	runGit(t, l.repo.GitDir, "prune", "--expire=now")
	name := filepath.Join(l.repo.CommonDir, "filter-repo", "commit-map")
	check(t, os.MkdirAll(filepath.Dir(name), 0o777))
	check(t, os.WriteFile(name, []byte("old new\n"), 0o666))
}

func TestALogThatWasPrunedGrowsAgainFromItsCopy(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, damage := range map[string]func(t *testing.T, l *Log, path string) (batches int){
		"whole": func(*testing.T, *Log, string) int { return 3 },
		"older than the log": func(t *testing.T, l *Log, _ string) int {
			mustAppend(t, l, promptDraft(9))
			return 3
		},
		"cut in the middle of a batch": func(t *testing.T, _ *Log, path string) int {
			info, err := os.Stat(path)
			check(t, err)
			check(t, os.Truncate(path, info.Size()-40))
			return 2
		},
		"another form": func(t *testing.T, _ *Log, path string) int {
			check(t, os.WriteFile(path, []byte("nonsense\n"), 0o666))
			return 0
		},
		"none": func(t *testing.T, _ *Log, path string) int {
			check(t, os.Remove(path))
			return 0
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := OpenLog(newRepo(t))
			var tips []refs.OID
			for i := range 3 {
				mustAppend(t, log, promptDraft(2*i), promptDraft(2*i+1))
				tip, err := log.Tip(refs.EventsRef)
				check(t, err)
				tips = append(tips, tip)
			}
			c, err := log.Copy(ctx, refs.EventsRef)
			check(t, err)
			c.Close()
			batches := damage(t, log, log.copyPath(refs.EventsRef))
			pruneLog(t, log)
			check(t, log.Heal(ctx))
			got, err := log.Tip(refs.EventsRef)
			check(t, err)
			var want refs.OID
			if batches > 0 {
				want = tips[batches-1]
			}
			if got != want {
				t.Errorf("the log ends in %s, want %s, that of batch %d", got, want, batches)
			}
			mustAppend(t, log, promptDraft(20))
			if report, err := log.Verify(ctx, Verification{}); err != nil || report.State != Consistent {
				t.Errorf("the log is %s: %v %v", report.Summary(), report.Faults, err)
			}
			fsck(t, log.repo)
		})
	}
}
