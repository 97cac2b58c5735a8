package graph

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/git-trace/git-trace/correlate/belief"
	"github.com/git-trace/git-trace/events"
)

func ai(trace events.TraceID, prompt int) events.AnchorOwner {
	return events.AnchorOwner{Kind: events.OwnerAI, Trace: trace, Agent: "claude-code", Prompt: prompt}
}

func run(start, count, owner int) events.AnchorRun {
	return events.AnchorRun{Start: start, Count: count, Owner: owner, Tier: "exact_blob"}
}

func TestCreditAddsUpByConversationAndPrompt(t *testing.T) {
	t.Parallel()
	mixed := ai(first, 1)
	mixed.Kind = events.OwnerMixed
	torn := events.AnchorOwner{Kind: events.OwnerAI, Candidates: []events.CandidateData{
		{Trace: first, Agent: "claude-code", ToolCall: "a"}, {Trace: first, Agent: "claude-code", ToolCall: "b"},
		{Trace: second, Agent: "codex-cli", ToolCall: "c"},
	}}
	anchor := []events.CommitData{
		{
			Parts: 2, Added: 21, AI: 15, Human: 4, Unknown: 2,
			Owners: []events.AnchorOwner{ai(first, 1), {Kind: events.OwnerHuman}, ai(first, 2), mixed, torn},
			Files: []events.AnchorFile{
				{Path: "a.go", Runs: []events.AnchorRun{run(1, 3, 0), run(4, 4, 1), run(8, 5, 2), run(13, 1, 3), run(14, 2, 4)}},
			},
		},
		{
			Part: 1, Parts: 2, Owners: []events.AnchorOwner{{Kind: events.OwnerUnknown}, ai(first, 1)},
			Files: []events.AnchorFile{
				{Path: `"caf\351.go"`, Runs: []events.AnchorRun{run(1, 2, 0), run(3, 3, 1)}},
				{Path: "a.go", Runs: []events.AnchorRun{run(40, 1, 1), run(90, 7, 9), run(99, -3, 1)}},
			},
		},
	}
	var recorded []events.Event
	for _, part := range anchor {
		recorded = append(recorded, anchored(t, events.PostCommit, part))
	}
	var c Commit
	c.credit(belief.Weigh(oid("4"), recorded, "a"))
	want := []Contributor{
		{
			Kind: events.OwnerAI, Trace: first, Agent: "claude-code", Prompt: 1, Mixed: 1, Lines: 8,
			Files: []FileLines{{"a.go", 5}, {"caf\xe9.go", 3}},
		},
		{Kind: events.OwnerAI, Trace: first, Agent: "claude-code", Prompt: 2, Lines: 5, Files: []FileLines{{"a.go", 5}}},
		{
			Kind: events.OwnerAI, Lines: 2, Files: []FileLines{{"a.go", 2}},
			Candidates: []Candidate{{first, "claude-code"}, {second, "codex-cli"}},
		},
		{Kind: events.OwnerHuman, Lines: 4, Files: []FileLines{{"a.go", 4}}},
		{Kind: events.OwnerUnknown, Lines: 2, Files: []FileLines{{"caf\xe9.go", 2}}},
	}
	for i := range c.Contributors {
		who := &c.Contributors[i]
		byTool := 0
		for _, one := range who.Tools {
			byTool += one.Lines
		}
		if who.Kind == events.OwnerAI && byTool != who.Lines {
			t.Errorf("%d of %d lines have a tool", byTool, who.Lines)
		}
		who.Tools = nil
	}
	if !reflect.DeepEqual(c.Contributors, want) {
		t.Errorf("got\n%+v\nwant\n%+v", c.Contributors, want)
	}
	if c.Added != 21 || c.AI != 15 || c.Human != 4 || c.Unknown != 2 {
		t.Errorf("figures: %+v", c)
	}
}

func TestCreditNamesTheOtherClonesThatSaySo(t *testing.T) {
	t.Parallel()
	say := func(writer string, owner events.AnchorOwner, runs ...events.AnchorRun) events.Event {
		e := anchored(t, events.PostCommit, events.CommitData{
			Added: 9, Owners: []events.AnchorOwner{owner}, Files: []events.AnchorFile{{Path: "a.go", Runs: runs}},
		})
		e.Writer = writer
		return e
	}
	own := anchored(t, events.Backfill, events.CommitData{
		Added: 2, Owners: []events.AnchorOwner{ai(first, 1)}, Files: []events.AnchorFile{{Path: "a.go", Runs: []events.AnchorRun{run(1, 2, 0)}}},
	})
	var c Commit
	c.credit(belief.Weigh(oid("4"), []events.Event{
		own, say("b", ai(first, 1), run(2, 3, 0), run(7, 1, 0)), say("c", ai(first, 1), run(8, 1, 0)), say("c", events.AnchorOwner{Kind: events.OwnerHuman}, run(9, 1, 0)),
	}, "a"))
	got := ""
	for _, who := range c.JSON().Contributors {
		got += fmt.Sprint(who.Contributor, " ", who.Lines, " ", who.Sources, ";")
	}
	if want := "ai 6 [{b <nil> 3} {c <nil> 1}];human 1 [{c <nil> 1}];"; got != want {
		t.Errorf("%s, not %s", got, want)
	}
}

// anchored is an anchor of the commit 4 in the own log.
func anchored(t *testing.T, method events.Method, data events.CommitData) events.Event {
	t.Helper()
	data.Commit = oid("4")
	raw, err := events.Encode(data)
	if err != nil {
		t.Fatal(err)
	}
	return events.Event{Type: events.CommitAnchored, Writer: "a", Method: []events.Method{method}, Data: raw}
}

func TestAClaimIsLaidOverTheAnchor(t *testing.T) {
	t.Parallel()
	seen := anchored(t, events.PostCommit, events.CommitData{
		Added: 12, AI: 2, Human: 6, Unknown: 4, Owners: []events.AnchorOwner{{Kind: events.OwnerHuman}, ai(first, 1), {Kind: events.OwnerUnknown}},
		Files: []events.AnchorFile{{Path: "a", Runs: []events.AnchorRun{run(1, 6, 0), run(7, 2, 1), run(9, 2, 2)}}},
	})
	claim := anchored(t, events.Backfill, events.CommitData{ // two lines of a person, one unknown and one of which the anchor says nothing
		Added: 4, AI: 4, Owners: []events.AnchorOwner{ai(second, 1)},
		Files: []events.AnchorFile{{Path: "a", Runs: []events.AnchorRun{run(3, 2, 0), run(10, 2, 0), run(5, -1, 0), run(1, 1, 7)}}},
	})
	for name, test := range map[string]struct {
		recorded []events.Event
		want     string
	}{
		"an anchor and a claim":             {[]events.Event{seen, claim}, "added 12, ai 6, human 4, unknown 2: ai 4, ai 2, human 4, unknown 1"},
		"the claim comes twice":             {[]events.Event{seen, claim, claim}, "added 12, ai 6, human 4, unknown 2: ai 4, ai 2, human 4, unknown 1"},
		"a claim of what nobody saw":        {[]events.Event{claim}, "added 4, ai 4, human 0, unknown 0: ai 4"},
		"the anchor comes behind the claim": {[]events.Event{claim, seen}, "added 12, ai 6, human 4, unknown 2: ai 4, ai 2, human 4, unknown 1"},
	} {
		var c Commit
		c.credit(belief.Weigh(oid("4"), test.recorded, "a"))
		got := fmt.Sprintf("added %d, ai %d, human %d, unknown %d:", c.Added, c.AI, c.Human, c.Unknown)
		for i, one := range c.Contributors {
			if i > 0 {
				got += ","
			}
			got += fmt.Sprintf(" %s %d", one.Kind, one.Lines)
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}
