package correlate

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/vector"
)

func TestWhatATierIsWorth(t *testing.T) {
	t.Parallel()
	worth := map[string]string{
		TierExactBlob: "high", TierExactLines: "high", TierRewritten: "high",
		TierMovedLines: "medium", TierReformatted: "medium", TierSamePatch: "medium", TierNamed: "medium",
		TierFingerprint: "low", "a tier of a later version": "low", "": "low",
	}
	for tier, want := range worth {
		if got := Confidence(tier, events.AnchorOwner{}); got != want {
			t.Errorf("%s is worth %q, want %q", tier, got, want)
		}
	}
	for _, limit := range []events.Limit{events.LimitConcurrentWriters, events.LimitBackgroundProcess} {
		if got := Confidence(TierExactBlob, events.AnchorOwner{Limits: []events.Limit{events.LimitModelUnknown, limit}}); got != "low" {
			t.Errorf("with %s the best tier is worth %q, want low", limit, got)
		}
	}
	if got := Confidence(TierExactBlob, events.AnchorOwner{Limits: []events.Limit{events.LimitModelUnknown}}); got != "high" {
		t.Errorf("that the model is unknown makes it %q", got)
	}
	if tiers := Tiers(); len(tiers) != 8 || tiers[0] != TierExactBlob || tiers[7] != TierFingerprint {
		t.Errorf("tiers are %v", tiers)
	}
}

// Owners are named by their place in the list of their own event: a commit that is spread over several events has a
// list in each.
func TestALargeCommitIsSpreadOverEventsThatEachNameTheirOwners(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		files, runs int   // runs of each file
		owners      int   // used one after the other
		parts       []int // files of each event
	}{
		"a small one is one event":                         {3, 2, 2, []int{3}},
		"exactly as many runs as fit":                      {4, 1000, 3, []int{4}},
		"one run more than fits":                           {5, 801, 3, []int{4, 1}},
		"a file with more runs than fit is not cut":        {2, 4001, 3, []int{1, 1}},
		"as many owners as fit: the next file begins anew": {3, 800, 800, []int{1, 1, 1}},
		"one owner less":                                   {3, 799, 799, []int{3}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := events.CommitData{Commit: oid(t, 1), Parents: []refs.OID{oid(t, 2)}, Added: 9, AI: 4, Human: 3, Unknown: 2}
			for i := range tt.owners {
				whole.Owners = append(whole.Owners, events.AnchorOwner{Kind: events.OwnerAI, ToolCall: fmt.Sprint("call", i)})
			}
			want := map[string]string{}
			for f := range tt.files {
				file := events.AnchorFile{Path: fmt.Sprint("f", f)}
				for r := range tt.runs {
					owner := r % tt.owners
					file.Runs = append(file.Runs, events.AnchorRun{Start: r + 1, Count: 1, Owner: owner, Tier: TierExactBlob})
					want[fmt.Sprintf("%s:%d", file.Path, r+1)] = fmt.Sprint("call", owner)
				}
				whole.Files = append(whole.Files, file)
			}
			drafts, err := Drafts(whole, events.Manual)
			if err != nil {
				t.Fatal(err)
			}
			var parts []int
			for i, d := range drafts {
				var data events.CommitData
				if err := json.Unmarshal(d.Data, &data); err != nil {
					t.Fatal(err)
				}
				if d.Type != events.CommitAnchored || !slices.Equal(d.Method, []events.Method{events.Manual}) {
					t.Errorf("part %d is %s by %v", i, d.Type, d.Method)
				}
				if data.Commit != whole.Commit || !slices.Equal(data.Parents, whole.Parents) || data.Added != 9 || data.AI != 4 || data.Human != 3 || data.Unknown != 2 {
					t.Errorf("part %d does not say what all of them say: %+v", i, data)
				}
				if many := len(tt.parts) > 1; many && (data.Part != i || data.Parts != len(tt.parts)) || !many && (data.Part != 0 || data.Parts != 0) {
					t.Errorf("part %d says it is %d of %d", i, data.Part, data.Parts)
				}
				parts = append(parts, len(data.Files))
				for _, file := range data.Files {
					for _, run := range file.Runs {
						key := fmt.Sprintf("%s:%d", file.Path, run.Start)
						if got := data.Owners[run.Owner].ToolCall; got != want[key] {
							t.Fatalf("%s is owned by %s, want %s", key, got, want[key])
						}
						delete(want, key)
					}
				}
			}
			if !slices.Equal(parts, tt.parts) {
				t.Errorf("files of the events are %v, want %v", parts, tt.parts)
			}
			if len(want) > 0 {
				t.Errorf("%d runs are lost", len(want))
			}
			if whole.Files[0].Runs[tt.owners-1].Owner != tt.owners-1 {
				t.Error("the data that was given is changed")
			}
		})
	}
}

func oid(t *testing.T, n int) refs.OID {
	t.Helper()
	id, err := refs.ParseOID(fmt.Sprintf("%040d", n))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestOwnersAreReadWhereGitSaysThatLinesWereAdded(t *testing.T) {
	t.Parallel()
	agent, person := vector.Owner{Kind: events.OwnerAI, Patch: "p"}, vector.Owner{Kind: events.OwnerHuman}
	var b vector.Builder
	b.Add(person, 2)
	b.Add(agent, 3)
	vec := b.Vector()
	tests := map[string]struct {
		added []linediff.Range
		want  []vector.Run
	}{
		"across two owners":              {ranges(1, 3), []vector.Run{{Start: 1, Count: 1, Owner: person}, {Start: 2, Count: 1, Owner: agent}}},
		"to the last line":               {ranges(4, 5), []vector.Run{{Start: 4, Count: 1, Owner: agent}}},
		"two ranges":                     {ranges(0, 1, 3, 4), []vector.Run{{Start: 0, Count: 1, Owner: person}, {Start: 3, Count: 1, Owner: agent}}},
		"beyond the end: what there is":  {ranges(4, 13), []vector.Run{{Start: 4, Count: 1, Owner: agent}}},
		"all of it beyond the end: none": {ranges(6, 8), nil},
		"none":                           {nil, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := ownersAt(vec, tt.added); !slices.Equal(got, tt.want) {
				t.Errorf("runs are %v, want %v", got, tt.want)
			}
		})
	}
}

func TestLinesAreCountedByWhoWroteThem(t *testing.T) {
	t.Parallel()
	a := anchorer{}
	for kind, lines := range map[events.OwnerKind]int{events.OwnerAI: 1, events.OwnerMixed: 2, events.OwnerHuman: 4, events.OwnerUnknown: 8} {
		a.count(kind, lines)
	}
	if a.added != 15 || a.ai != 3 || a.human != 4 || a.unknown != 8 {
		t.Errorf("added %d, agents' %d, people's %d, unknown %d", a.added, a.ai, a.human, a.unknown)
	}
}
