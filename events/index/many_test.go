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

func refOf(writer int) string { return testenv.FetchedLog("origin", fmt.Sprintf("%016x", writer)) }

// takenFile is one of those that all fetched logs are read from.
func takenFile(repo *refs.Repo, name string) string {
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
	for _, name := range []string{"log", "ends"} {
		for how, change := range spoil {
			file := takenFile(repo, name)
			raw, err := os.ReadFile(file)
			check(t, err)
			check(t, os.WriteFile(file, change(raw), 0o666))
			if got := ask(); got != want {
				t.Errorf("%s %s: %s", name, how, got)
			}
			check(t, os.Remove(takenFile(repo, name)))
			if got := ask(); got != want {
				t.Errorf("%s removed: %s", name, got)
			}
		}
	}
}

func TestWhatIsTakenInFollowsTheRefs(t *testing.T) {
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
	for round := range testenv.Pick(8, 30, 30) {
		testenv.FetchLogAs(t, repo.WorkTree, other.WorkTree, refOf(2))
		if got := prompts(); got["another history"] != 5 || got[storyOf(2)] != 0 || got[storyOf(3)] != 2 {
			t.Fatalf("round %d: %v", round, got)
		}
		story(t, other, "more "+strings.Repeat("x", 200), 20)
	}
	runGit(t, repo.WorkTree, "update-ref", "-d", refOf(3))
	if got := prompts(); got[storyOf(3)] != 0 || got[storyOf(4)] != 2 {
		t.Errorf("a log was deleted: %v", got)
	}
	testenv.FetchLogAs(t, repo.WorkTree, other.WorkTree, refOf(9))
	open(t, repo)
	wrong, err := events.OpenLog(repo).Misnamed(t.Context())
	check(t, err)
	if len(wrong) != 1 || wrong[0].Ref != refOf(9) || wrong[0].True != refOf(2) {
		t.Errorf("a log under another writer's name: %v", wrong)
	}
	info, err := os.Stat(takenFile(repo, "log"))
	check(t, err)
	live := info.Size()
	check(t, events.OpenLog(repo).ForgetFetched())
	open(t, repo)
	info, err = os.Stat(takenFile(repo, "log"))
	check(t, err)
	if live > 2*info.Size()+(2<<20) {
		t.Errorf("the file has %d bytes for logs of %d", live, info.Size())
	}
}

// Where most of the file is of logs that are gone, it begins anew with those that are there.
func TestTheFileOfManyLogsBeginsAnew(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	manyWriters(t, repo, 3)
	other := newRepo(t)
	writeAs(t, other, 2)
	story(t, other, "long", 1500)
	testenv.FetchLogAs(t, repo.WorkTree, other.WorkTree, refOf(2))
	sessions := []string{"long", "short", storyOf(1), storyOf(3), storyOf(4)}
	generation := func() string { return open(t, repo).sources[1].Generation() }
	first := generation()
	runGit(t, repo.WorkTree, "update-ref", "-d", refOf(2))
	short := newRepo(t)
	writeAs(t, short, 4)
	story(t, short, storyOf(4), 2)
	testenv.FetchLogAs(t, repo.WorkTree, short.WorkTree, refOf(4))
	got := answers(t, open(t, repo), sessions, 3)
	if generation() == first {
		t.Error("the file was not made anew")
	}
	check(t, events.OpenLog(repo).ForgetFetched())
	if want := answers(t, open(t, repo), sessions, 3); got != want || !strings.Contains(want, storyOf(4)) {
		t.Errorf("%s\nwant %s", got, want)
	}
}

func TestManyReadersBeginAtOnce(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	manyWriters(t, repo, 6)
	openAtOnce(t, repo, func(traces []Trace) bool { return len(traces) == 6 })
}
