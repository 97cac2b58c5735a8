package index

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

// manyWriters fetches the logs of n other clones, each with a short conversation.
func manyWriters(t testing.TB, repo *refs.Repo, n int) {
	t.Helper()
	other := newRepo(t)
	var staged strings.Builder
	for i := range n {
		writer := writeAs(t, other, i+1)
		story(t, other, storyOf(i+1), 2)
		testenv.SealLog(t, other.WorkTree)
		tip, err := other.ReadRef(refs.EventsRef)
		check(t, err)
		fmt.Fprintf(&staged, "create refs/staged/%s/events %s\n", writer, tip)
		testenv.LoseLog(t, other.WorkTree)
	}
	cmd := exec.Command("git", "update-ref", "--stdin")
	cmd.Dir, cmd.Stdin = other.WorkTree, strings.NewReader(staged.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	runGit(t, repo.WorkTree, "fetch", "-q", "--no-write-fetch-head", other.WorkTree, "refs/staged/*:refs/traces/remotes/origin/*")
}

// writeAs has the next log of a repository written under another id, which it gives.
func writeAs(t testing.TB, repo *refs.Repo, writer int) string {
	t.Helper()
	id := fmt.Sprintf("%016x", writer)
	check(t, os.MkdirAll(repo.TracesDir(), 0o777))
	check(t, os.WriteFile(filepath.Join(repo.TracesDir(), "writer"), []byte(id+"\n"), 0o666))
	return id
}

// storyOf is a conversation of a writer of manyWriters.
func storyOf(writer int) string { return fmt.Sprintf("theirs %016x", writer) }

func logOf(writer int) string { return testenv.FetchedLog("origin", fmt.Sprintf("%016x", writer)) }

// joinedFile is what all small fetched logs are read from.
func joinedFile(repo *refs.Repo, name string) string {
	return filepath.Join(repo.TracesDir(), "cache", "fetched", name)
}

func TestManyWritersAreReadFromOneFile(t *testing.T) {
	t.Parallel()
	writers := testenv.Pick(12, 60, 1000)
	repo := newRepo(t)
	story(t, repo, "mine", 3)
	manyWriters(t, repo, writers)
	sessions := []string{"mine", storyOf(1), storyOf(2), storyOf(writers)}
	ask := func() string { return answers(t, open(t, repo), sessions, 3) }
	want := ask()
	if !strings.Contains(want, storyOf(2)) {
		t.Fatalf("the story of a writer is missing from %s", want)
	}
	spoil := map[string]func(raw []byte) []byte{
		"cut":     func(raw []byte) []byte { return raw[:len(raw)/2] },
		"emptied": func([]byte) []byte { return nil },
		"turned": func(raw []byte) []byte {
			raw[len(raw)/2] ^= 1
			return raw
		},
	}
	for _, name := range []string{"joined", "ends"} {
		for how, change := range spoil {
			file := joinedFile(repo, name)
			raw, err := os.ReadFile(file)
			check(t, err)
			check(t, os.WriteFile(file, change(raw), 0o666))
			if got := ask(); got != want {
				t.Errorf("%s %s: %s", name, how, got)
			}
			check(t, os.Remove(joinedFile(repo, name)))
			if got := ask(); got != want {
				t.Errorf("%s removed: %s", name, got)
			}
		}
	}
	ask()
	copies, err := filepath.Glob(joinedFile(repo, "*.log"))
	check(t, err)
	if len(copies) != writers {
		t.Fatalf("%d copies of %d logs", len(copies), writers)
	}
	for _, name := range copies {
		check(t, os.Remove(name))
	}
	if got := ask(); got != want {
		t.Errorf("without the copies of each: %s", got)
	}
}

func TestWhatIsJoinedFollowsTheRefs(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	manyWriters(t, repo, 4)
	prompts := func() map[string]int {
		out := map[string]int{}
		traces, err := open(t, repo).Traces()
		check(t, err)
		for _, tr := range traces {
			out[tr.Session] = tr.Prompts
		}
		return out
	}
	prompts()
	other := newRepo(t)
	writeAs(t, other, 2)
	story(t, other, "another history", 5) // in the place of the one that was fetched
	for round := range 30 {
		testenv.FetchLogAs(t, repo.WorkTree, other.WorkTree, logOf(2))
		if got := prompts(); got["another history"] != 5 || got[storyOf(2)] != 0 || got[storyOf(3)] != 2 {
			t.Fatalf("round %d: %v", round, got)
		}
		story(t, other, "more "+strings.Repeat("x", 200), 20)
	}
	runGit(t, repo.WorkTree, "update-ref", "-d", logOf(3))
	if got := prompts(); got[storyOf(3)] != 0 || got[storyOf(4)] != 2 {
		t.Errorf("a log was deleted: %v", got)
	}
	testenv.FetchLogAs(t, repo.WorkTree, other.WorkTree, logOf(9))
	open(t, repo)
	wrong, err := events.OpenLog(repo).Misnamed(t.Context())
	check(t, err)
	if len(wrong) != 1 || wrong[0].Ref != logOf(9) || wrong[0].True != logOf(2) {
		t.Errorf("a log under another writer's name: %v", wrong)
	}
	var live int64
	copies, err := filepath.Glob(joinedFile(repo, "*.log"))
	check(t, err)
	for _, name := range append(copies, joinedFile(repo, "joined")) {
		info, err := os.Stat(name)
		check(t, err)
		if live += info.Size(); strings.HasSuffix(name, "joined") && info.Size() > 2*(live-info.Size())+(2<<20) {
			t.Errorf("the joined file has %d bytes for logs of %d", info.Size(), live-info.Size())
		}
	}
}

func TestManyReadersBeginAtOnce(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	manyWriters(t, repo, 6)
	openAtOnce(t, repo, func(traces []Trace) bool { return len(traces) == 6 })
}
