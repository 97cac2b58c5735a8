package sharing_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/sharing"
)

// S11: several clones claim the lines of one commit, by different evidence and with clocks from 1970 to 9999. Whoever reads
// them says the same, in whatever order they came and whatever was read in between.
func TestTheOrderOfFetchingChangesNoAnswer(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	w, remote := published(t)
	w.Write("claimed.txt", "a\nb\nc\nd\n")
	commit := w.Commit("claimed by all")
	w.Git("push", "-q", "origin", "main")
	blob := w.OID("HEAD:claimed.txt")
	var ids []string
	clocks := []time.Time{time.Unix(1, 0), time.Date(9999, 12, 30, 0, 0, 0, 0, time.UTC), w.Now()}
	methods := []events.Method{events.PostCommit, events.Import, events.PostCommit}
	for n := range testenv.Pick(3, 3, 6) {
		c := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
		c.Clock = clocks[n%3]
		session := fmt.Sprint("of ", n)
		owner := events.AnchorOwner{Kind: events.OwnerAI, Trace: events.NewTraceID("claude-code", session), Agent: "claude-code", Session: session, Prompt: 1}
		c.Append(events.CommitAnchored, methods[n%3], events.CommitData{
			Commit: commit, Owners: []events.AnchorOwner{owner}, Added: 4, AI: 4 - n%3,
			Files: []events.AnchorFile{{Path: "claimed.txt", Blob: blob, Runs: []events.AnchorRun{{Start: 1 + n%3, Count: 4 - n%3, Tier: "exact_blob"}}}},
		})
		push(t, c, sharing.LevelCommits)
		ids = append(ids, testenv.WriterOf(t, c.Repo.WorkTree))
	}
	want := ""
	for order := range permutations(ids) {
		reader := recording.Open(t, t.TempDir(), w.Now(), "clone", "-q", remote, ".")
		for _, id := range order {
			if got := pull(t, reader, sharing.What{Writers: []string{id}}); got.LeftOut() != 0 {
				t.Fatalf("%+v", got)
			}
			owners(t, reader, "claimed.txt") // what is kept of it must not last
		}
		got := owners(t, reader, "claimed.txt")
		if want == "" {
			want = got
		}
		if got != want || !strings.Contains(got, "Kind:ai") || !strings.Contains(got, "Disputed:[") {
			t.Fatalf("in the order %v\n%s\nin another\n%s", order, got, want)
		}
	}
}

// permutations gives all orders of a list. The one that is given changes with the next.
func permutations(list []string) func(yield func([]string) bool) {
	return func(yield func([]string) bool) {
		var put func(n int) bool
		put = func(n int) bool {
			if n == len(list) {
				return yield(list)
			}
			for i := n; i < len(list); i++ {
				list[n], list[i] = list[i], list[n]
				if !put(n + 1) {
					return false
				}
				list[n], list[i] = list[i], list[n]
			}
			return true
		}
		put(0)
	}
}
