package trails

import (
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/ledger"
	"github.com/git-trace/git-trace/trails/vector"
)

const (
	revised  = events.TraceID("trace of the call")
	besideIt = events.TraceID("trace of another")
	patchOne = events.PatchID("0123456789abcdef0011223344556677")
	newOwn   = "0123456789abcdef"
)

func minute(n int) time.Time { return time.Date(2026, 1, 2, 3, n, 0, 0, time.UTC) }

// The call ended in minute 5, or never began.
func TestWhatACallLosesThatHadEnded(t *testing.T) {
	t.Parallel()
	both := []events.CandidateData{{Trace: revised, ToolCall: "c1"}, {Trace: besideIt, ToolCall: "c2"}}
	three := append([]events.CandidateData{{Trace: besideIt, ToolCall: "c3"}}, both...)
	for name, tt := range map[string]struct {
		never      bool
		class      events.ToolClass
		beside     bool
		at         int
		looks      []int
		candidates []events.CandidateData
		call       string
		want       string
	}{
		"it never ran":                                         {never: true, at: 1, call: "c1", want: "human"},
		"it ran when the patch was recorded":                   {at: 5, call: "c1", want: "c1"},
		"the file changed before or after the end":             {at: 6, looks: []int{2, 6}, call: "c1", want: "unknown"},
		"the file was looked at since":                         {at: 8, looks: []int{6, 8}, call: "c1", want: "human"},
		"another call's line":                                  {never: true, at: 1, call: "c2", want: "c2"},
		"one of two":                                           {never: true, at: 1, candidates: both, want: "c2"},
		"one of three":                                         {never: true, at: 1, candidates: three, want: "c2|c3"},
		"one of two, which ran then":                           {at: 4, candidates: both, want: "c1|c2"},
		"an edit never made, the same text beside a command":   {never: true, class: events.ToolEdits, beside: true, at: 1, call: "c1", want: "unknown"},
		"an edit never made, and nobody else was there":        {never: true, class: events.ToolEdits, at: 1, call: "c1", want: "human"},
		"a command that never ran, beside another that cannot": {never: true, class: events.ToolRuns, beside: true, at: 1, call: "c1", want: "human"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ended := minute(5)
			if tt.never {
				ended = time.Time{}
			}
			owners := ledger.NewOwners(newScene(t).step.tree.repo)
			r := newRevision(revised, "c1", tt.class, tt.never, ended, owners)
			r.beside = tt.beside
			for _, look := range tt.looks {
				r.looks["a"] = append(r.looks["a"], minute(look))
			}
			trace := revised
			if tt.call != "c1" {
				trace = besideIt
			}
			r.hearOwner(events.AnchorOwner{
				Kind: events.OwnerAI, Patch: patchOne, Trace: trace, ToolCall: tt.call, Candidates: tt.candidates,
			}, recordedPatch{"a", minute(tt.at)})
			was := vector.Owner{Kind: events.OwnerAI, Patch: patchOne}
			now := r.owner(was)
			got := string(now.Kind)
			switch {
			case now == was && len(tt.candidates) > 0:
				got = "c1|c2"
			case now == was:
				got = tt.call
			case now.Kind == events.OwnerAI:
				o := owners.Describe(now.Patch)
				if got = o.ToolCall; len(o.Candidates) > 0 {
					got = o.Candidates[0].ToolCall + "|" + o.Candidates[1].ToolCall
				}
			}
			if got != tt.want {
				t.Errorf("%s (%v), want %s", got, now, tt.want)
			}
			if now.Kind == events.OwnerHuman && now.Patch != newOwn+events.PatchID(ledger.Person) {
				t.Errorf("the patch became %s", now.Patch)
			}
			after := r.owner(vector.Owner{Kind: events.OwnerHuman, Previous: patchOne})
			if kept := after.Previous != ""; kept != (now.Kind == events.OwnerAI) {
				t.Errorf("a person's line took the place of %q", after.Previous)
			}
		})
	}
}

func TestARevisedAnchorCountsItsLinesAnew(t *testing.T) {
	t.Parallel()
	r := newRevision(revised, "c1", events.ToolRuns, true, time.Time{}, ledger.NewOwners(newScene(t).step.tree.repo))
	commit := refs.SHA1.Hash(refs.BlobObject, []byte("a commit"))
	other := events.AnchorOwner{Kind: events.OwnerHuman, Patch: "1123456789abcdef0000000000000000", Previous: patchOne}
	mine := events.AnchorOwner{Kind: events.OwnerAI, Patch: patchOne, Trace: revised, ToolCall: "c1"}
	tell := func(part int, runs ...events.AnchorRun) {
		raw, err := events.Encode(events.CommitData{
			Commit: commit, Part: part, Parts: 2, Added: 6, AI: 4, Human: 2, Revision: 3, Owners: []events.AnchorOwner{mine, other},
			Files: []events.AnchorFile{{Path: "a", Blob: commit, Runs: runs}},
		})
		if err != nil {
			t.Fatal(err)
		}
		r.hear(&events.Event{Type: events.CommitAnchored, Time: minute(1), Method: []events.Method{events.PostCommit}, Data: raw})
	}
	tell(1, events.AnchorRun{Start: 9, Count: 3, Owner: 0, Tier: "exact_blob"}) // the log is read from its end
	tell(0, events.AnchorRun{Start: 1, Count: 2, Owner: 1, Tier: "exact_blob"}, events.AnchorRun{Start: 3, Count: 1, Owner: 0, Tier: "exact_lines"})
	drafts, err := r.anchor(commit, []events.Method{events.HookPrompt})
	if err != nil || len(drafts) != 2 {
		t.Fatal(drafts, err)
	}
	for part, d := range drafts {
		data := events.DataOf[events.CommitData](events.Event{Data: d.Data})
		if data.Part != part || data.Parts != 2 || data.Revision != 4 || data.Added != 6 || data.AI != 0 || data.Human != 6 {
			t.Errorf("part %d: %+v", part, data)
		}
		if data.Owners[0].Trace != revised {
			t.Error("the conversation that lost its lines is not named")
		}
		for _, run := range data.Files[0].Runs {
			if o := data.Owners[run.Owner]; o.Kind != events.OwnerHuman || o.Previous != "" {
				t.Errorf("run %+v is of %+v", run, o)
			}
		}
	}
	right := newRevision(besideIt, "c9", events.ToolRuns, true, time.Time{}, r.owners)
	right.commits, right.anchors = r.commits, r.anchors
	if drafts, err := right.anchor(commit, nil); err != nil || drafts != nil {
		t.Errorf("an anchor that does not name the call was made anew: %v, %v", drafts, err)
	}
}
