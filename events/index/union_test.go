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
	return ix
}

// fromMemory opens an index that uses no file.
func fromMemory(t *testing.T, repo *refs.Repo) *Index {
	t.Helper()
	ix := open(t, repo)
	if ix.store != nil {
		ix.closeStore()
	}
	for _, t := range ix.texts {
		t.shelf = shelf{}
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

// S22: what is found of many logs in one text is what they hold, however these come, grow, change and go.
func TestTheStoreLeavesNothingOut(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	story(t, repo, "mine", 3)
	manyWriters(t, repo, 12)
	other, grown := newRepo(t), newRepo(t)
	for _, step := range []struct {
		what string
		do   func()
	}{
		{"fetched", func() {}},
		{"another history in the place of one", func() {
			writeAs(t, other, 2)
			story(t, other, storyOf(2), 5)
			testenv.FetchLogAs(t, repo.WorkTree, other.WorkTree, refOf(2))
		}},
		{"that one goes on with what it had, and with more", func() {
			story(t, other, storyOf(2), 3)
			story(t, other, "more", 2)
			testenv.FetchLogAs(t, repo.WorkTree, other.WorkTree, refOf(2))
		}},
		{"one goes", func() { runGit(t, repo.WorkTree, "update-ref", "-d", refOf(3)) }},
		{"another comes into its place", func() {
			writeAs(t, grown, 13)
			story(t, grown, storyOf(13), 2)
			testenv.FetchLogAs(t, repo.WorkTree, grown.WorkTree, refOf(13))
		}},
		{"which grows long", func() {
			for n := range 8 {
				story(t, grown, fmt.Sprint("long ", n, strings.Repeat("x", 300)), 60)
			}
			testenv.FetchLogAs(t, repo.WorkTree, grown.WorkTree, refOf(13))
		}},
		{"the own log goes on", func() { story(t, repo, "mine", 2) }},
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
	}
}
