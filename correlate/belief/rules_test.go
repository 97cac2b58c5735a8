package belief

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/git-trace/git-trace/correlate"
	"github.com/git-trace/git-trace/events"
)

// someRuns are runs in order, no line twice, within 14 lines.
func someRuns(random *rand.Rand, owners []*events.AnchorOwner, writer string) []Run {
	var out []Run
	for at := 1 + random.IntN(4); at < 14; at += random.IntN(3) {
		r := Run{Start: at, Count: 1 + random.IntN(4), Owner: owners[random.IntN(len(owners))], Tier: []string{"", "exact"}[random.IntN(2)]}
		r.By, r.Beyond = &events.Event{Writer: writer}, random.IntN(4) == 0
		if random.IntN(4) == 0 {
			r.Disputed = []string{"x"}
		}
		out, at = append(out, r), at+r.Count
	}
	return out
}

// ofLine is the run that a line is of; nil for none.
func ofLine(runs []Run, line int) *Run {
	for i := range runs {
		if r := &runs[i]; r.Start <= line && line < r.Start+r.Count {
			return r
		}
	}
	return nil
}

// What is said of a line is what one of both says, or what they settle between them. Lines in a row of which the same
// is said are one run.
func TestRunsAreLaidOverEachOtherLineByLine(t *testing.T) {
	t.Parallel()
	owners := []*events.AnchorOwner{{Kind: events.OwnerHuman}, {Kind: events.OwnerAI}}
	shown := func(r *Run) string {
		if r == nil {
			return "none"
		}
		return fmt.Sprint(r.Owner.Kind, r.Tier, r.Beyond, r.Disputed)
	}
	for seed := range uint64(6000) {
		random := rand.New(rand.NewPCG(seed, 51))
		under, over := someRuns(random, owners, "u"), someRuns(random, owners, "o")
		take := func(o, u *Run) Run { // hangs on both, and is not symmetric
			if o.By.Writer != "o" || u.By.Writer != "u" {
				t.Fatal("which is above was mixed up")
			}
			if o.Owner.Kind == events.OwnerAI || u.Tier == "" {
				return *o
			}
			return *u
		}
		got := lay(under, over, take)
		for line := range 24 {
			o, u := ofLine(over, line), ofLine(under, line)
			want := o
			switch {
			case o != nil && u != nil:
				both := take(o, u)
				want = &both
			case o == nil:
				want = u
			}
			if is := ofLine(got, line); shown(is) != shown(want) {
				t.Fatalf("seed %d: line %d: %s, want %s", seed, line, shown(is), shown(want))
			}
		}
		for i := 1; i < len(got); i++ {
			a, b := &got[i-1], &got[i]
			if a.end() > b.Start || a.end() == b.Start && shown(a) == shown(b) && a.Owner == b.Owner {
				t.Fatalf("seed %d: runs %d to %d and %d to %d", seed, a.Start, a.end(), b.Start, b.end())
			}
		}
	}
}

// A line that others do not speak of is beyond them.
func TestLinesAreMarkedThatOthersDoNotSpeakOf(t *testing.T) {
	t.Parallel()
	owners := []*events.AnchorOwner{{Kind: events.OwnerHuman}}
	for seed := range uint64(4000) {
		random := rand.New(rand.NewPCG(seed, 52))
		runs, others := someRuns(random, owners, "r"), someRuns(random, owners, "o")
		got := marked(runs, others)
		lines := 0
		for i, r := range got {
			lines += r.Count
			if r.Count < 1 || i > 0 && got[i-1].end() > r.Start {
				t.Fatalf("seed %d: runs are out of order: %+v", seed, got)
			}
			for line := r.Start; line < r.end(); line++ {
				was := ofLine(runs, line)
				if was == nil || was.Tier != r.Tier || r.Beyond != (ofLine(others, line) == nil) {
					t.Fatalf("seed %d: line %d is beyond: %v", seed, line, r.Beyond)
				}
			}
		}
		for _, r := range runs {
			lines -= r.Count
		}
		if lines != 0 {
			t.Fatalf("seed %d: %d lines more than there were", seed, lines)
		}
	}
}

// What stands where two logs meet hangs on who has the better right, and on nothing else.
func TestOfTwoLogsTheOneWithTheBetterRightIsBelieved(t *testing.T) {
	t.Parallel()
	known, other := &events.AnchorOwner{Kind: events.OwnerAI, Trace: "T"}, &events.AnchorOwner{Kind: events.OwnerHuman}
	nobody := &events.AnchorOwner{Kind: events.OwnerUnknown}
	by := func(writer string, method events.Method) *events.Event {
		return &events.Event{Writer: writer, Method: []events.Method{method}}
	}
	signer := func(writer string) string { return map[string]string{"signed": "somebody"}[writer] }
	for name, tt := range map[string]struct {
		a, b Run
		want int // below 0: the first one
	}{
		"who knows, before who does not":          {Run{Owner: known, By: by("z", events.Import)}, Run{Owner: nobody, By: by("own", events.PostCommit)}, -1},
		"the own log":                             {Run{Owner: known, By: by("own", events.Import)}, Run{Owner: known, By: by("signed", events.PostCommit)}, -1},
		"a signed log":                            {Run{Owner: known, By: by("signed", events.Import)}, Run{Owner: known, By: by("a", events.PostCommit)}, -1},
		"who was there, before who found it":      {Run{Owner: known, By: by("z", events.PostCommit)}, Run{Owner: known, By: by("a", events.Backfill)}, -1},
		"who found it, before who imported it":    {Run{Owner: known, By: by("z", events.Backfill)}, Run{Owner: known, By: by("a", events.Import)}, -1},
		"by hand counts as found":                 {Run{Owner: known, By: by("z", events.Manual)}, Run{Owner: known, By: by("a", events.Backfill)}, 0},
		"the better evidence":                     {Run{Owner: known, Tier: correlate.Tiers()[0], By: by("z", events.Backfill)}, Run{Owner: known, Tier: "?", By: by("a", events.Backfill)}, -1},
		"the same right":                          {Run{Owner: known, By: by("z", events.PostCommit)}, Run{Owner: other, By: by("a", events.PostCommit)}, 0},
		"one log has no better right than itself": {Run{Owner: known, By: by("a", events.PostCommit)}, Run{Owner: known, By: by("a", events.Import)}, 0},
	} {
		if got := right(&tt.a, &tt.b, "own", signer); got != tt.want {
			t.Errorf("%s: %d, want %d", name, got, tt.want)
		}
		if got := right(&tt.b, &tt.a, "own", signer); got != -tt.want {
			t.Errorf("%s, the other way: %d, want %d", name, got, -tt.want)
		}
	}
	one := func(writer string, owner *events.AnchorOwner, disputed ...string) *Run {
		return &Run{Owner: owner, By: by(writer, events.PostCommit), Disputed: disputed}
	}
	elsewhere := &events.AnchorOwner{Kind: events.OwnerAI, Trace: "U"}
	for name, tt := range map[string]struct {
		over, under *Run
		writer      string
		disputed    []string
	}{
		"the smaller writer":                   {one("b", known), one("a", known), "a", nil},
		"the smaller writer above":             {one("a", known), one("b", known), "a", nil},
		"they say different things":            {one("b", other), one("a", known), "a", []string{"b"}},
		"of two conversations":                 {one("b", elsewhere), one("a", known), "a", []string{"b"}},
		"what was disputed stays so":           {one("b", known, "c"), one("a", known, "d"), "a", []string{"c", "d"}},
		"each is named once, the winner never": {one("b", other, "a", "c"), one("a", known, "c"), "a", []string{"b", "c"}},
		"neither knows":                        {one("b", nobody), one("a", nobody), "a", nil},
		"the own log is not disputed":          {one("own", known), one("a", other), "own", nil},
		"nor is it from below":                 {one("a", other), one("own", known), "own", nil},
	} {
		got := between(tt.over, tt.under, "own", signer)
		if got.By.Writer != tt.writer || !slices.Equal(got.Disputed, tt.disputed) {
			t.Errorf("%s: %s, disputed by %v", name, got.By.Writer, got.Disputed)
		}
	}
}

// Of what was found and what is claimed, the one that is found counts where both name one conversation; else the one
// that is known better does.
func TestWhetherWhatWasFoundOutweighsAClaim(t *testing.T) {
	t.Parallel()
	disputing := correlate.Tiers()[slices.IndexFunc(correlate.Tiers(), correlate.Disputes)]
	best, worst := correlate.Tiers()[0], correlate.Tiers()[len(correlate.Tiers())-1]
	agent := &events.AnchorOwner{Kind: events.OwnerAI, Trace: "T"}
	another, person := &events.AnchorOwner{Kind: events.OwnerAI, Trace: "U"}, &events.AnchorOwner{Kind: events.OwnerHuman}
	nobody := &events.AnchorOwner{Kind: events.OwnerUnknown}
	by := func(method events.Method) *events.Event { return &events.Event{Method: []events.Method{method}} }
	for name, tt := range map[string]struct {
		over, under Run
		want        bool
	}{
		"nothing is claimed":                   {Run{Owner: agent}, Run{Owner: nobody, By: by(events.Import)}, true},
		"nothing was found":                    {Run{Owner: nobody}, Run{Owner: agent, By: by(events.Import)}, false},
		"neither knows":                        {Run{Owner: nobody}, Run{Owner: nobody, By: by(events.Import)}, false},
		"one conversation":                     {Run{Owner: agent, Tier: worst}, Run{Owner: agent, Tier: best, By: by(events.PostCommit)}, true},
		"two, and the claim is better known":   {Run{Owner: another, Tier: best}, Run{Owner: agent, Tier: best, By: by(events.PostCommit)}, false},
		"two, and it is known worse":           {Run{Owner: another, Tier: worst}, Run{Owner: agent, Tier: best, By: by(events.Import)}, true},
		"two, known alike, by better evidence": {Run{Owner: another, Tier: best}, Run{Owner: agent, Tier: worst, By: by(events.Backfill)}, true},
		"two, known alike, by worse":           {Run{Owner: another, Tier: worst}, Run{Owner: agent, Tier: best, By: by(events.Backfill)}, false},
		"two persons, who are no conversation": {Run{Owner: person, Tier: worst}, Run{Owner: person, Tier: best, By: by(events.Backfill)}, false},
		"all alike":                            {Run{Owner: another, Tier: best}, Run{Owner: agent, Tier: best, By: by(events.Backfill)}, true},
		"an agent disputes a person's line":    {Run{Owner: person, Tier: best}, Run{Owner: agent, Tier: disputing, By: by(events.Backfill)}, false},
	} {
		if got := outweighs(&tt.over, &tt.under); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
