package belief

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// oneLog has an anchor of commit 1 alone.
type oneLog struct{ event events.Event }

func (l oneLog) ByCommit(commit refs.OID) ([]events.Event, error) {
	if commit == commitID(1) {
		return []events.Event{l.event}, nil
	}
	return nil, nil
}

func (oneLog) OwnWriter() (string, error) { return "own", nil }

// finder gives line 2 of f of every commit that it is asked about to A, and notes what it is asked.
type finder struct{ bare, open [][]refs.OID }

func (f *finder) Commits(_ context.Context, commits []refs.OID) (map[refs.OID]events.CommitData, error) {
	f.bare = append(f.bare, commits)
	return found(commits), nil
}

func (f *finder) Carried(context.Context, []refs.OID) (map[refs.OID]events.CommitData, error) {
	return nil, nil
}

func (f *finder) Elsewhere(_ context.Context, commits []refs.OID) (map[refs.OID]events.CommitData, error) {
	f.open = append(f.open, commits)
	return found(commits), nil
}

func found(commits []refs.OID) map[refs.OID]events.CommitData {
	out := map[refs.OID]events.CommitData{}
	for _, id := range commits {
		out[id] = events.CommitData{
			Commit: id, Added: 2, Owners: []events.AnchorOwner{{Kind: events.OwnerAI, Session: "A"}},
			Files: []events.AnchorFile{{Path: "f", Runs: []events.AnchorRun{{Start: 2, Count: 1}}}},
		}
	}
	return out
}

func TestCommitsAreSearchedTogether(t *testing.T) {
	t.Parallel()
	log := oneLog{said(t, "own", events.PostCommit, "1+1 human", "2+1 unknown")}
	ids := []refs.OID{commitID(2), commitID(1), commitID(3)}
	var f finder
	all, err := All(t.Context(), log, &f, ids)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"- A - - - 2 1 0 1", "human A - - - 2 1 1 0", "- A - - - 2 1 0 1"} {
		if got := lines(all[i]); got != want || all[i].ID != ids[i] || !all[i].Speaks() {
			t.Errorf("commit %d: %s, want %s", i, got, want)
		}
	}
	if len(f.bare) != 1 || !slices.Equal(f.bare[0], []refs.OID{commitID(2), commitID(3)}) || len(f.open) != 1 || !slices.Equal(f.open[0], []refs.OID{commitID(1)}) {
		t.Errorf("asked about %v and, elsewhere, %v", f.bare, f.open)
	}
	all, err = All(t.Context(), log, nil, ids)
	if err != nil || all[0].Speaks() || lines(all[1]) != "human unknown - - - 2 0 1 1" {
		t.Errorf("without a search: %+v, %v", all, err)
	}
}

// callingLog calls everybody's conversation by one name.
type callingLog struct{ oneLog }

func (callingLog) Name(o *events.AnchorOwner) { o.Agent, o.Model = "by the log", o.Model+"!" }

func TestOwnersHaveTheNamesOfTheirConversations(t *testing.T) {
	t.Parallel()
	e := said(t, "own", events.PostCommit, "1+1 A", "2+1 unknown", "3+1 human")
	e.Data = []byte(strings.ReplaceAll(string(e.Data), `"kind":"ai"`, `"kind":"ai","trace":"t","agent":"by the anchor"`))
	all, err := All(t.Context(), callingLog{oneLog{e}}, &finder{}, []refs.OID{commitID(1), commitID(2)})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range all {
		for _, r := range c.Runs("f") {
			got = append(got, r.Owner.Session+" "+r.Owner.Agent+r.Owner.Model)
		}
	}
	if want := []string{"A by the log!", "A ", " ", "A "}; !slices.Equal(got, want) {
		t.Errorf("owners %q, want %q", got, want)
	}
}
