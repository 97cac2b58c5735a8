package index

import (
	"context"
	"fmt"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// The summary says the same whether a conversation was stored in one go, in parts, or not at all.
func TestSummariesSayWhatCameOfAConversation(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	conversations := 1
	look := func(when string, files int, held map[refs.OID]int) {
		t.Helper()
		ix, err := Open(repo)
		check(t, err)
		defer ix.Close()
		sum, ok, err := ix.Trace(events.NewTraceID("claude-code", "s"))
		if err != nil || !ok {
			t.Fatalf("%s: %v, %v", when, ok, err)
		}
		got := map[refs.OID]int{}
		for _, h := range sum.Held {
			got[h.Commit] += h.Lines
		}
		if sum.Files() != files || fmt.Sprint(got) != fmt.Sprint(held) {
			t.Errorf("%s: %d files, held %v, want %d and %v", when, sum.Files(), got, files, held)
		}
		all, err := ix.Traces()
		check(t, err)
		if len(all) != conversations || all[0].Files() != files {
			t.Errorf("%s: all conversations: %+v", when, all)
		}
		for _, other := range all[1:] { // only anchors speak of it
			if other.Agent != "pi" || other.Session != "never seen here" || fmt.Sprint(other.Models) != "[m]" || !other.First.IsZero() || len(other.Held) != 3 {
				t.Errorf("%s: %+v", when, other)
			}
		}
		sameIDs(t, ix)
	}
	story(t, repo, "s", 3)
	look("in memory", 3, map[refs.OID]int{commitID("s", 2): 3})
	_, _, err := Rebuild(t.Context(), repo, nil)
	check(t, err)
	look("stored", 3, map[refs.OID]int{commitID("s", 2): 3})

	trace := events.NewTraceID("claude-code", "s")
	other := events.NewTraceID("pi", "never seen here")
	conversations = 2
	anchor := func(commit refs.OID, part, parts, first, second int) {
		raw, err := events.Encode(events.CommitData{
			Commit: commit, Part: part, Parts: parts, Owners: []events.AnchorOwner{{Kind: "ai", Trace: trace}, {Kind: "ai", Trace: other, Agent: "pi", Session: "never seen here", Model: "m"}},
			Files: []events.AnchorFile{{Path: "x", Runs: []events.AnchorRun{{Start: 1, Count: first}, {Start: 50, Count: second, Owner: 1}}}},
		})
		check(t, err)
		_, err = events.OpenLog(repo).Append(context.Background(), []events.Draft{
			{Type: events.CommitAnchored, Method: []events.Method{events.PostCommit}, Data: raw},
		})
		check(t, err)
	}
	anchor(commitID("s", 2), 0, 1, 5, 1) // anchored again
	anchor(commitID("s", 9), 0, 2, 7, 1)
	anchor(commitID("s", 9), 1, 2, 4, 1)
	want := map[refs.OID]int{commitID("s", 2): 5, commitID("s", 9): 11}
	look("the rest in memory", 3, want)
	_, _, err = Rebuild(t.Context(), repo, nil)
	check(t, err)
	look("stored whole", 3, want)
}

func TestAnchorsAreCountedWithoutReadingThem(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	for range 2 {
		raw, err := events.Encode(events.CommitData{Commit: commitID("s", 2), Owners: []events.AnchorOwner{{Kind: "human"}}})
		check(t, err)
		_, err = events.OpenLog(repo).Append(context.Background(), []events.Draft{{Type: events.CommitAnchored, Method: []events.Method{events.Import}, Data: raw}})
		check(t, err)
	}
	look := func(when string) {
		t.Helper()
		ix := open(t, repo)
		for commit, want := range map[refs.OID]int{commitID("s", 2): 2, commitID("s", 3): 0} {
			if n, err := ix.Anchors(commit); n != want || err != nil {
				t.Errorf("%s: %d anchors, %v, want %d", when, n, err, want)
			}
		}
		if own, err := ix.OwnWriter(); own == "" || err != nil {
			t.Errorf("%s: the own writer is %q, %v", when, own, err)
		}
	}
	look("in memory")
	_, _, err := Rebuild(t.Context(), repo, nil)
	check(t, err)
	look("stored")
}

func TestPathSetsAreBounded(t *testing.T) {
	t.Parallel()
	var s pathSet
	for i := range mostPaths + 100 {
		s = s.with(fmt.Sprint("path", i))
		s = s.with(fmt.Sprint("path", i))
	}
	if n := len(s) / hashSize; n != mostPaths {
		t.Errorf("%d paths, want %d", n, mostPaths)
	}
}
