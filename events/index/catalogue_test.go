package index

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

// stored opens an index whose file has everything that there is.
func stored(t *testing.T, repo *refs.Repo) *Index {
	t.Helper()
	ix := &Index{log: events.OpenLog(repo)}
	err := ix.open(t.Context(), true)
	for range 50 { // a process that is just being started has the files of its parent for a moment
		if err == nil {
			break
		}
		time.Sleep(20 * time.Millisecond)
		ix.Close()
		err = ix.open(t.Context(), true)
	}
	check(t, err)
	t.Cleanup(ix.Close)
	if ix.small == nil {
		t.Fatal("there is no catalogue")
	}
	return ix
}

// fromMemory opens an index that uses no file.
func fromMemory(t *testing.T, repo *refs.Repo) *Index {
	t.Helper()
	ix := open(t, repo)
	if ix.store != nil {
		ix.closeStore()
	}
	for _, s := range ix.sources {
		s.shelf = shelf{}
	}
	return ix
}

// lists are what answers does not ask.
func lists(t *testing.T, ix *Index) string {
	t.Helper()
	ids, err := ix.TraceIDs()
	check(t, err)
	anchored, err := ix.Anchored()
	check(t, err)
	newest, err := ix.Newest("", 7, nil)
	check(t, err)
	under, err := ix.UnderPath("dir")
	check(t, err)
	slices.SortFunc(under, func(a, b events.Event) int { // by paths, in each part of a log
		return cmp.Or(cmp.Compare(a.Writer, b.Writer), cmp.Compare(a.Seq, b.Seq))
	})
	told, err := ix.Told(events.NewTraceID("claude-code", storyOf(2)))
	check(t, err)
	return fmt.Sprint(ids, anchored, newest, under, told)
}

// S22: what the catalogue of small logs finds is what the logs hold, however these come, grow, change and go.
func TestTheCatalogueLeavesNothingOut(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	story(t, repo, "mine", 3)
	manyWriters(t, repo, 12)
	other, grown := newRepo(t), newRepo(t)
	for _, step := range []struct {
		what  string
		small int
		do    func()
	}{
		{"fetched", 12, func() {}},
		{"another history in the place of one", 12, func() {
			writeAs(t, other, 2)
			story(t, other, storyOf(2), 5)
			testenv.FetchLogAs(t, repo.WorkTree, other.WorkTree, logOf(2))
		}},
		{"that one goes on with what it had, and with more", 12, func() {
			story(t, other, storyOf(2), 3)
			story(t, other, "more", 2)
			testenv.FetchLogAs(t, repo.WorkTree, other.WorkTree, logOf(2))
		}},
		{"one goes", 11, func() { runGit(t, repo.WorkTree, "update-ref", "-d", logOf(3)) }},
		{"another comes into its place", 12, func() {
			writeAs(t, grown, 13)
			story(t, grown, storyOf(13), 2)
			testenv.FetchLogAs(t, repo.WorkTree, grown.WorkTree, logOf(13))
		}},
		{"which grows beyond what is small", 11, func() {
			for n := range 8 {
				story(t, grown, fmt.Sprint("long ", n, strings.Repeat("x", 300)), 60)
			}
			testenv.FetchLogAs(t, repo.WorkTree, grown.WorkTree, logOf(13))
		}},
		{"the own log goes on", 11, func() { story(t, repo, "mine", 2) }},
	} {
		step.do()
		sessions := []string{"mine", "more", storyOf(1), storyOf(2), storyOf(3), storyOf(13)}
		want := fromMemory(t, repo)
		wanted := answers(t, want, sessions, 3) + lists(t, want)
		for _, way := range []func(*testing.T, *refs.Repo) *Index{ // what is not stored yet, all is stored, and nothing is new
			func(t *testing.T, repo *refs.Repo) *Index { t.Helper(); return open(t, repo) }, stored, stored,
		} {
			ix := way(t, repo)
			got := strings.Split(answers(t, ix, sessions, 3)+lists(t, ix), "\n")
			for i, line := range strings.Split(wanted, "\n") {
				if i >= len(got) || got[i] != line {
					t.Fatalf("%s: %s\nwant %s", step.what, got[min(i, len(got)-1)], line)
				}
			}
			ix.Close()
		}
		ix := stored(t, repo)
		if n := len(ix.small.numbers); n != step.small {
			t.Errorf("%s: %d logs are in the catalogue", step.what, n)
		}
		ix.Close()
	}
}

// S22: a lookup looks into no bucket of a log that has nothing of it, nor of one that has it in one row.
func TestALookupOpensNoBucketsOfSmallLogs(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	manyWriters(t, repo, 30)
	ix := stored(t, repo)
	found, err := ix.ByCommit(commitID(storyOf(7), 2))
	check(t, err)
	sum, known, err := ix.Trace(events.NewTraceID("claude-code", storyOf(9)))
	check(t, err)
	if len(found) == 0 || !known || sum.Prompts != 2 {
		t.Errorf("%d events, %+v", len(found), sum)
	}
	if opened := slices.IndexFunc(ix.sources, func(s *source) bool { return s.shelf.small != nil && s.shelf.rows != nil }); opened >= 0 {
		t.Errorf("the bucket of %s was opened", ix.sources[opened].copy.Ref())
	}
}
