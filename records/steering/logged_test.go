package steering_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/records/steering"
	"github.com/git-trace/git-trace/records/treetrace"
)

// logged is a conversation of three prompts of which the log knows what became of the lines: those of the first were
// reverted, those of the second a person rewrote, and a commit holds those of the third.
func logged() steering.Conversation {
	k := newTalk("a").says("make a server").runs("cat >server.go").says("also a client").runs("cat >client.go").says("also a readme").runs("cat >README")
	patch := func(id, call, path string, added int, f steering.Fate) steering.Patch {
		return steering.Patch{ID: id, Call: call, Path: path, Added: added, Created: true, Fate: &f}
	}
	return steering.Conversation{Record: k.r, Known: &steering.Known{
		Prompts: map[int]int{1: 1, 3: 2, 5: 3},
		Patches: []steering.Patch{
			patch("p1", "t1", "server.go", 10, steering.Fate{State: "reverted", Reverted: 10, Commits: []string{"c1"}}),
			patch("p2", "t2", "client.go", 10, steering.Fate{State: "changed", Alive: 4, Changed: 6, Human: 6, Commits: []string{"c2"}}),
			patch("p3", "t3", "README", 5, steering.Fate{State: "alive", Alive: 5, Commits: []string{"c3"}}),
		},
	}}
}

func loggedDocument(t *testing.T) *treetrace.Document { return document(t, logged()) }

func TestWhatBecameOfLinesTellsWhatWentWrong(t *testing.T) {
	t.Parallel()
	d := loggedDocument(t)
	if f := has(d, treetrace.AbandonedPath, "node_001"); f == nil || f.Tier != treetrace.High || f.Git.Commits[0] != "c1" {
		t.Errorf("reverted work is abandoned: %+v", d.Failures)
	}
	if f := has(d, treetrace.HumanRewrite, "node_002"); f == nil || f.Tier != treetrace.Verified {
		t.Errorf("people rewrote it: %+v", d.Failures)
	}
	if len(d.Failures) != 2 {
		t.Errorf("%+v", d.Failures)
	}
	if a := d.Nodes[0].Actions[0]; a.File == nil || *a.File != "server.go" {
		t.Errorf("the file that a shell wrote is that of its patch: %+v", a)
	}
	if g := d.Nodes[1].Git; g.Prompt != 2 || g.Lines.Changed != 6 || !slices.Equal(g.Patches, []string{"p2"}) {
		t.Errorf("%+v", g)
	}
	if got := d.Brief.Decisions; len(got) != 2 || !strings.HasPrefix(got[1], "#3") {
		t.Errorf("what stands is what is alive: %q", got)
	}
}

// What was never committed is abandoned only when later work was.
func TestUncommittedWorkIsNotAbandonedYet(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		later []string
		want  bool
	}{"nothing was committed": {nil, false}, "later work was": {[]string{"c3"}, true}} {
		c := logged()
		c.Known.Patches[0].Fate = &steering.Fate{State: "never_committed", Dropped: 10}
		c.Known.Patches[1].Fate = &steering.Fate{State: "alive", Alive: 10, Uncommitted: 10}
		c.Known.Patches[2].Fate.Commits = test.later
		if got := has(document(t, c), treetrace.AbandonedPath, "node_001") != nil; got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Patches tell which lines a prompt took from another, whatever wrote them.
func TestPatchesTellWhatWasTakenBack(t *testing.T) {
	t.Parallel()
	c := logged()
	c.Known.Patches[1] = steering.Patch{ID: "p2", Call: "t2", Path: "server.go", Removed: 10, Deleted: true, Previous: []string{"p1"}}
	c.Record.Steps[2].Content = new("lieber nicht")
	d := document(t, c)
	if d.Nodes[1].Kind != treetrace.Correction || d.Nodes[1].KindBy != treetrace.ByEvidence {
		t.Errorf("%s by %s", d.Nodes[1].Kind, d.Nodes[1].KindBy)
	}
}

// A call that the log saw declined never ran, even where the session file has no word of it; a prompt that no person
// typed is none.
func TestTheLogTellsOfCallsAndPrompts(t *testing.T) {
	t.Parallel()
	c := logged()
	c.Known.Rejected = map[string]bool{"t3": true}
	c.Known.Tasks = map[int]bool{3: true}
	d := document(t, c)
	if len(d.Nodes) != 2 || d.Nodes[1].Actions[0].Ran == nil {
		t.Errorf("%d nodes, %+v", len(d.Nodes), d.Nodes[1].Actions)
	}
}
