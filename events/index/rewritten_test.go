package index

import (
	"fmt"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// rewrote logs which commits took the place of which, a thousand in one event.
func rewrote(t testing.TB, repo *refs.Repo, pairs []events.RewritePair) {
	t.Helper()
	for ; len(pairs) > 0; pairs = pairs[min(len(pairs), 1000):] {
		raw, err := events.Encode(events.RewriteData{Kind: "rebase", Pairs: pairs[:min(len(pairs), 1000)]})
		check(t, err)
		_, err = events.OpenLog(repo).Append(t.Context(), []events.Draft{{
			Time: testTime, Type: events.CommitRewritten, Method: []events.Method{events.PostRewrite}, Data: raw,
		}})
		check(t, err)
	}
}

// However many commits a stranger names, the word of the own log comes first and whole, and little is read of the rest.
func TestTheOwnWordOfARewritingIsHeardBesideThousands(t *testing.T) {
	t.Parallel()
	repo, stranger := newRepo(t), newRepo(t)
	heir := commitID("heir", 0)
	var own, foreign []events.RewritePair
	for i := range 3 {
		own = append(own, events.RewritePair{Old: commitID("own", i), New: heir})
	}
	for i := range 3000 {
		foreign = append(foreign, events.RewritePair{Old: commitID("foreign", i), New: heir},
			events.RewritePair{Old: own[0].Old, New: commitID("foreign", i)})
	}
	rewrote(t, repo, own)
	rewrote(t, repo, own[1:2]) // told a second time, and so the newest
	rewrote(t, stranger, foreign)
	fetchFrom(t, repo, stranger, "origin")
	for _, stored := range []bool{false, true} {
		if stored {
			_, _, err := Rebuild(t.Context(), repo, nil)
			check(t, err)
		}
		ix := open(t, repo)
		old, err := ix.Replaced(heir)
		check(t, err)
		if len(old) != MostReplaced || old[0] != own[0].Old || old[1] != own[2].Old || old[2] != own[1].Old {
			t.Errorf("%d commits are replaced, first %v", len(old), old[:3])
		}
		heirs, err := ix.Heirs(own[0].Old)
		check(t, err)
		if len(heirs) != MostReplaced || heirs[0].New != heir || heirs[0].Voice != "" || heirs[1].Voice == "" {
			t.Errorf("%d heirs, first %+v", len(heirs), heirs[:2])
		}
		last, err := ix.Heirs(foreign[2998].Old) // an event of its own log, far behind
		check(t, err)
		if len(last) != 1 || last[0].New != heir {
			t.Errorf("heirs of a stranger's commit: %+v", last)
		}
		ix.Close()
	}
}

// However often strangers anchor a commit, and however many they are, the newest of it are read of each, and all of the
// own log.
func TestSoManyAnchorsOfACommitAreReadFromElsewhere(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	commit := commitID("commit", 1)
	anchor := func(repo *refs.Repo) {
		var all []events.Draft
		for i := range mostAnchors + 50 {
			raw, err := events.Encode(events.CommitData{Commit: commit, Added: i})
			check(t, err)
			all = append(all, events.Draft{
				Time: testTime, Type: events.CommitAnchored, Method: []events.Method{events.PostCommit}, Data: raw,
			})
		}
		_, err := events.OpenLog(repo).Append(t.Context(), all)
		check(t, err)
	}
	anchor(repo)
	for n := range 20 {
		stranger := newRepo(t)
		anchor(stranger)
		fetchFrom(t, repo, stranger, fmt.Sprint("origin", n))
		if n > 0 && n < 19 {
			continue
		}
		want := []int{mostAnchors, mostAnchoring / 21 * 20}[n/19]
		got, err := open(t, repo).ByCommit(commit)
		check(t, err)
		if len(got)-mostAnchors-50 != want || events.DataOf[events.CommitData](got[len(got)-1]).Added != mostAnchors+49 {
			t.Errorf("of %d strangers %d anchors are read, not %d", n+1, len(got)-mostAnchors-50, want)
		}
	}
}

// A clone that names thousands of commits for a conversation makes nobody look at each.
func TestSoManyCommitsOfAConversationAreTakenFromElsewhere(t *testing.T) {
	t.Parallel()
	s := source{voice: &events.Voice{Name: "another"}}
	var told Trace
	for i := range mostHeld {
		told.hold(Held{Commit: commitID("held", i), Lines: 1})
	}
	if got := len(s.heard(told).Held); got != mostHeldElsewhere {
		t.Errorf("%d commits are taken of another clone", got)
	}
	s.voice = nil
	if got := len(s.heard(told).Held); got != mostHeld {
		t.Errorf("%d commits are taken of the own log", got)
	}
}

// Of the commits that another clone names for a conversation, those that are here are all looked at, and few that are
// not: it may make up any number.
func TestSoManyMadeUpCommitsOfAConversationAreLookedAt(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	ix := open(t, repo)
	var held []Held
	for i := range mostHeldElsewhere {
		held = append(held, Held{Commit: commitID("made up", i), Lines: 1})
	}
	out, err := repo.Git(t.Context(), nil, "commit-tree", "-m", "here", repo.Format.EmptyTree().String())
	check(t, err)
	here, err := refs.ParseOID(strings.TrimSpace(string(out)))
	check(t, err)
	near := ix.near(append(held, Held{Commit: here, Lines: 1}))
	if len(near) != MostReplaced+1 || near[MostReplaced].Commit != here {
		t.Errorf("%d commits are looked at", len(near))
	}
}
