package claim_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/correlate/claim"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

func oid(t *testing.T, digit string) refs.OID {
	t.Helper()
	text := ""
	for range 40 {
		text += digit
	}
	id, err := refs.ParseOID(text)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func sample(t *testing.T) *claim.Commit {
	t.Helper()
	return &claim.Commit{
		CommitData: events.CommitData{
			Commit: oid(t, "a"), Owners: []events.AnchorOwner{{Kind: events.OwnerHuman}, {Kind: events.OwnerAI, Agent: "x"}},
			Files: []events.AnchorFile{
				{Path: "f", Runs: []events.AnchorRun{{Start: 1, Count: 9, Owner: 1, Tier: "t"}, {Start: 4, Count: 8, Owner: 0, Tier: "t"}}},
				{Path: "elsewhere", Runs: []events.AnchorRun{{Start: 1, Count: 1, Owner: 0, Tier: "t"}}},
			},
		},
		Lines: []claim.Lines{{Path: "f", Blob: oid(t, "b"), Added: []int{2, 3, 4, 8, 10, 20}}},
	}
}

func TestAClaimFillsOnlyWhatNobodyKnows(t *testing.T) {
	t.Parallel()
	c := sample(t)
	err := c.Fill(func(_ string, lines []int) ([]bool, error) {
		out := make([]bool, len(lines))
		for i, line := range lines {
			out[i] = line != 3
		}
		return out, nil
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []events.AnchorRun{
		{Start: 2, Count: 1, Owner: 0, Tier: "t"}, {Start: 4, Count: 1, Owner: 0, Tier: "t"}, {Start: 8, Count: 1, Owner: 0, Tier: "t"},
		{Start: 10, Count: 1, Owner: 1, Tier: "t"},
	}
	if len(c.Files) != 1 || !reflect.DeepEqual(c.Files[0].Runs, want) || c.Owners[0].Agent != "x" || c.Owners[1].Kind != events.OwnerHuman {
		t.Errorf("claim %+v", c.CommitData)
	}
	if c.AI != 3 || c.Human != 1 || c.Unknown != 2 || c.Added != 6 || c.Files[0].Blob != oid(t, "b") {
		t.Errorf("sums %+v", c.CommitData)
	}
	if err := c.Fill(func(_ string, lines []int) ([]bool, error) { return make([]bool, len(lines)), nil }, nil); err != nil {
		t.Fatal(err)
	}
	if drafts, err := c.Drafts(events.Import, time.Now()); err != nil || len(drafts) != 0 {
		t.Errorf("nothing to say gives %d events, %v", len(drafts), err)
	}
}

func TestAClaimTakesAPersonsLinesOnlyWhereItMayDisputeThem(t *testing.T) {
	t.Parallel()
	c := sample(t)
	c.Anchored = true
	which := func(these ...int) claim.Unknown {
		return func(_ string, lines []int) ([]bool, error) {
			out := make([]bool, len(lines))
			for i, line := range lines {
				out[i] = slices.Contains(these, line)
			}
			return out, nil
		}
	}
	err := c.Fill(which(8), &claim.Dispute{
		Persons: which(2, 3, 10),
		May:     func(o events.AnchorOwner, tier string) bool { return o.Agent == "x" && tier == "t" },
	})
	if err != nil {
		t.Fatal(err)
	}
	// The owner of lines 4 to 11 may not dispute: of what is a person's, line 10 stays it. Line 8 nobody knows.
	want := []events.AnchorRun{{Start: 2, Count: 2, Owner: 0, Tier: "t"}, {Start: 8, Count: 1, Owner: 0, Tier: "t"}}
	if len(c.Files) != 1 || !reflect.DeepEqual(c.Files[0].Runs, want) || c.Owners[0].Agent != "x" || c.AI != 3 {
		t.Errorf("claim %+v", c.CommitData)
	}
}

func TestALargeClaimIsSpreadOverEvents(t *testing.T) {
	t.Parallel()
	c := &claim.Commit{CommitData: events.CommitData{Commit: oid(t, "a"), AI: 10_000, Added: 10_000}}
	for i := range 1000 {
		c.Owners = append(c.Owners, events.AnchorOwner{Kind: events.OwnerAI, Prompt: i + 1})
	}
	f := events.AnchorFile{Path: "f", Blob: oid(t, "b")}
	for i := range 10_000 {
		f.Runs = append(f.Runs, events.AnchorRun{Start: i + 1, Count: 1, Owner: i / 10, Tier: "t"})
	}
	c.Files = []events.AnchorFile{f}
	drafts, err := c.Drafts(events.Backfill, time.Now())
	if err != nil || len(drafts) < 3 {
		t.Fatalf("%d events, %v", len(drafts), err)
	}
	line := 0
	for i, d := range drafts {
		var part events.CommitData
		if err := json.Unmarshal(d.Data, &part); err != nil {
			t.Fatal(err)
		}
		if part.Part != i || part.Parts != len(drafts) || part.AI != 10_000 || len(d.Data) > 1<<20 {
			t.Errorf("part %d of %d: %d AI lines, %d bytes", part.Part, part.Parts, part.AI, len(d.Data))
		}
		for _, f := range part.Files {
			for _, run := range f.Runs {
				if line++; run.Start != line || part.Owners[run.Owner].Prompt != (line-1)/10+1 {
					t.Fatalf("line %d: %+v by %+v", line, run, part.Owners[run.Owner])
				}
			}
		}
	}
	if line != 10_000 {
		t.Errorf("%d lines", line)
	}
}

// What a second source says of the same commit stands behind what the first one says: each line goes to the first.
func TestTwoClaimsOfOneCommit(t *testing.T) {
	t.Parallel()
	c := sample(t)
	c.Add(&events.CommitData{
		Owners: []events.AnchorOwner{{Kind: events.OwnerMixed, Agent: "y"}, {Kind: events.OwnerUnknown}, {Kind: events.OwnerAI, Agent: "z"}},
		Files: []events.AnchorFile{
			{Path: "f", Runs: []events.AnchorRun{{Start: 2, Count: 1, Owner: 0, Tier: "u"}, {Start: 20, Count: 1, Owner: 2, Tier: "u"}}},
			{Path: "g", Runs: []events.AnchorRun{{Start: 1, Count: 2, Owner: 0, Tier: "u"}, {Start: 3, Count: 1, Owner: 1, Tier: "u"}}},
		},
	})
	c.Lines = append(c.Lines, claim.Lines{Path: "g", Blob: oid(t, "c"), Added: []int{1, 2, 3}})
	everything := func(_ string, lines []int) ([]bool, error) { return slices.Repeat([]bool{true}, len(lines)), nil }
	if err := c.Fill(everything, nil); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range c.Files {
		for _, run := range f.Runs {
			owner := c.Owners[run.Owner]
			got = append(got, fmt.Sprintf("%s %d+%d %s%s %s", f.Path, run.Start, run.Count, owner.Kind, owner.Agent, run.Tier))
		}
	}
	want := []string{
		"f 2+3 aix t", "f 8+1 aix t", "f 10+1 human t", "f 20+1 aiz u", "g 1+2 mixedy u", "g 3+1 unknown u",
	}
	if !slices.Equal(got, want) {
		t.Errorf("claimed is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if c.AI != 7 || c.Human != 1 || c.Unknown != 1 || c.Added != 9 || c.Files[1].Blob != oid(t, "c") {
		t.Errorf("sums %+v", c.CommitData)
	}
}

// A claim whose paths cannot be read, or of which nobody can say what is known, is none.
func TestAClaimThatCannotBeWeighed(t *testing.T) {
	t.Parallel()
	failed := errors.New("the log cannot be read")
	fails := func(string, []int) ([]bool, error) { return nil, failed }
	nothing := func(_ string, lines []int) ([]bool, error) { return make([]bool, len(lines)), nil }
	may := func(events.AnchorOwner, string) bool { return true }
	if err := sample(t).Fill(fails, nil); !errors.Is(err, failed) {
		t.Errorf("what is unknown: %v", err)
	}
	if err := sample(t).Fill(nothing, &claim.Dispute{Persons: fails, May: may}); !errors.Is(err, failed) {
		t.Errorf("what is a person's: %v", err)
	}
	c := sample(t)
	c.Files[0].Path = "\n"
	if err := c.Fill(nothing, nil); err == nil {
		t.Error("a path that cannot be read is passed over")
	}
}

// The runs of a file that are more than an event holds go on in the next one, and no event is empty.
func TestEventsEndWhereTheyAreFull(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		runs   [2]int // of two files
		owners int    // of the runs of a file
		want   string // runs of each event, by file
	}{
		"one event":             {[2]int{1, 3999}, 1, "1 3999"},
		"the second file apart": {[2]int{4000, 1}, 1, "4000|1"},
		"a file that goes on":   {[2]int{4001, 1}, 1, "4000|1 1"},
		"both go on":            {[2]int{3999, 4002}, 1, "3999 1|4000|1"},
		"as many owners":        {[2]int{801, 1}, 900, "800|1 1"},
		"the same owners again": {[2]int{799, 799}, 900, "799 799"},
	} {
		c := &claim.Commit{CommitData: events.CommitData{Commit: oid(t, "a")}}
		for i := range tt.owners {
			c.Owners = append(c.Owners, events.AnchorOwner{Kind: events.OwnerAI, Prompt: i + 1})
		}
		for i, n := range tt.runs {
			f := events.AnchorFile{Path: fmt.Sprint("f", i), Blob: oid(t, "b")}
			for line := range n {
				f.Runs = append(f.Runs, events.AnchorRun{Start: line + 1, Count: 1, Owner: line % tt.owners, Tier: "t"})
			}
			c.Files = append(c.Files, f)
		}
		drafts, err := c.Drafts(events.Import, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range drafts {
			var part events.CommitData
			if err := json.Unmarshal(d.Data, &part); err != nil {
				t.Fatal(err)
			}
			var files []string
			for _, f := range part.Files {
				files = append(files, fmt.Sprint(len(f.Runs)))
				for _, run := range f.Runs {
					if run.Owner >= len(part.Owners) || part.Owners[run.Owner].Prompt != (run.Start-1)%tt.owners+1 {
						t.Fatalf("%s: %s:%d is owned by %d of %d owners", name, f.Path, run.Start, run.Owner, len(part.Owners))
					}
				}
			}
			got = append(got, strings.Join(files, " "))
		}
		if strings.Join(got, "|") != tt.want {
			t.Errorf("%s: %v, want %s", name, got, tt.want)
		}
	}
}
