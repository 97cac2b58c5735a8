package belief

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/correlate"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

func commitID(n int) refs.OID {
	id, err := refs.ParseOID(fmt.Sprintf("%040d", n))
	if err != nil {
		panic(err)
	}
	return id
}

// said is an anchor of commit 1: by whom, how they came to know, and runs of file f as "START+COUNT WHO [TIER]".
func said(t *testing.T, writer string, method events.Method, runs ...string) events.Event {
	t.Helper()
	data := events.CommitData{Commit: commitID(1)}
	file := events.AnchorFile{Path: "f"}
	for _, text := range runs {
		var run events.AnchorRun
		who, tier := "", correlate.TierExactBlob
		if n, _ := fmt.Sscanf(text, "%d+%d %s %s", &run.Start, &run.Count, &who, &tier); n < 3 {
			t.Fatalf("%q is no run", text)
		}
		owner := events.AnchorOwner{Kind: events.OwnerAI, Session: who}
		if who == "human" || who == "unknown" {
			owner = events.AnchorOwner{Kind: events.OwnerKind(who)}
		}
		at := slices.IndexFunc(data.Owners, func(had events.AnchorOwner) bool { return had.Kind == owner.Kind && had.Session == who })
		if at < 0 || owner.Session == "" {
			at = len(data.Owners)
			data.Owners = append(data.Owners, owner)
		}
		run.Owner, run.Tier = at, tier
		file.Runs = append(file.Runs, run)
		if run.Count > 0 && run.Count < 100 {
			data.Added += run.Count
		}
	}
	data.Files = []events.AnchorFile{file}
	raw, err := events.Encode(data)
	if err != nil {
		t.Fatal(err)
	}
	return events.Event{Type: events.CommitAnchored, Writer: writer, Method: []events.Method{method}, Data: raw}
}

func TestWhoseWordCounts(t *testing.T) {
	t.Parallel()
	const (
		own   = "mmmm"
		other = "aaaa" // before the own one by name
		third = "bbbb"
	)
	saw := func(writer string, runs ...string) events.Event { return said(t, writer, events.PostCommit, runs...) }
	found := func(writer string, runs ...string) events.Event { return said(t, writer, events.Backfill, runs...) }
	read := func(writer string, runs ...string) events.Event { return said(t, writer, events.Import, runs...) }
	tests := map[string]struct {
		recorded []events.Event
		want     string // lines 1 to 5, "-" where nothing is said; then added, AI, human, unknown
	}{
		"nothing":                                 {nil, "- - - - - 0 0 0 0"},
		"one anchor":                              {[]events.Event{saw(own, "2+1 A", "4+2 human")}, "- A - human human 3 1 2 0"},
		"the last word of a log":                  {[]events.Event{saw(own, "1+5 A"), saw(own, "2+2 B")}, "A B B A A 5 5 0 0"},
		"what knows before what does not":         {[]events.Event{saw(own, "1+3 A"), saw(own, "1+5 unknown")}, "A A A unknown unknown 5 3 0 2"},
		"though it came first":                    {[]events.Event{saw(own, "1+5 unknown"), saw(own, "2+2 A")}, "unknown A A unknown unknown 5 2 0 3"},
		"a fetched log, where the own is silent":  {[]events.Event{saw(other, "1+2 A", "3+3 human")}, "A A human human human 5 2 3 0"},
		"the own log before a fetched one":        {[]events.Event{saw(own, "1+4 A"), saw(other, "1+4 B")}, "A A A A - 4 4 0 0"},
		"in a person's favour too":                {[]events.Event{saw(own, "1+4 human"), saw(other, "1+4 B")}, "human human human human - 4 0 4 0"},
		"whatever the order of reading":           {[]events.Event{saw(other, "1+4 B"), saw(own, "1+4 human")}, "human human human human - 4 0 4 0"},
		"what is unknown here may be known there": {[]events.Event{saw(own, "1+5 unknown"), saw(other, "2+1 B")}, "unknown B unknown unknown unknown 5 1 0 4"},
		"own, though weaker":                      {[]events.Event{read(own, "1+1 A line_fingerprint"), saw(other, "1+1 B")}, "A - - - - 1 1 0 0"},
		"a hook before a backfill, of others":     {[]events.Event{found(other, "1+2 A"), saw(third, "1+2 B")}, "B B - - - 2 2 0 0"},
		"a backfill before an import, of others":  {[]events.Event{read(other, "1+2 A"), found(third, "1+2 B")}, "B B - - - 2 2 0 0"},
		"the better evidence, of others":          {[]events.Event{saw(other, "1+2 A line_fingerprint"), saw(third, "1+2 B")}, "B B - - - 2 2 0 0"},
		"the smaller writer, all else equal":      {[]events.Event{saw(third, "1+2 B"), saw(other, "1+2 A")}, "A A - - - 2 2 0 0"},
		"an import takes nothing that hooks saw":  {[]events.Event{saw(own, "1+2 human", "3+2 unknown"), read(own, "1+4 A")}, "human human A A - 4 2 2 0"},
		"nor what a backfill found":               {[]events.Event{found(own, "1+2 A"), read(own, "1+2 B")}, "A A - - - 2 2 0 0"},
		"hooks take what was imported":            {[]events.Event{read(own, "1+2 A"), saw(own, "1+2 human")}, "human human - - - 2 0 2 0"},
		"a conversation that no hook reported disputes a person's line": {
			[]events.Event{saw(own, "1+3 human"), found(own, "2+1 A exact_lines")}, "human A human - - 3 1 2 0",
		},
		"not by weak evidence":           {[]events.Event{saw(own, "1+3 human"), found(own, "2+1 A line_fingerprint")}, "human human human - - 3 0 3 0"},
		"not an agent's line":            {[]events.Event{saw(own, "1+3 A"), found(own, "2+1 B")}, "A A A - - 3 3 0 0"},
		"not from a fetched log":         {[]events.Event{saw(own, "1+3 human"), found(other, "2+1 A")}, "human human human - - 3 0 3 0"},
		"and the dispute is heard there": {[]events.Event{saw(other, "1+3 human"), found(other, "2+1 A")}, "human A human - - 3 1 2 0"},
		"lines that the commit did not add, says a fetched log": {
			[]events.Event{saw(own, "1+2 human"), saw(other, "1+5 A")}, "human human A A A 2 0 2 0",
		},
		"runs that overlap: the first":                   {[]events.Event{saw(own, "1+3 A", "2+3 B")}, "A A A B - 6 4 0 2"},
		"one within another":                             {[]events.Event{saw(own, "1+5 A", "2+1 B")}, "A A A A A 6 5 0 1"},
		"runs out of order":                              {[]events.Event{saw(own, "4+1 B", "1+1 A")}, "A - - B - 2 2 0 0"},
		"a run before the first line":                    {[]events.Event{saw(own, "0+3 A")}, "- - - - - 3 0 0 3"},
		"a run without lines":                            {[]events.Event{saw(own, "1+0 A", "2+1 B")}, "- B - - - 1 1 0 0"},
		"a run of more lines than there can be":          {[]events.Event{saw(own, "2+2147483647 A", "1+1 B")}, "B - - - - 1 1 0 0"},
		"an event that is no anchor":                     {[]events.Event{{Type: events.CommitRewritten, Data: saw(own, "1+5 A").Data}}, "- - - - - 0 0 0 0"},
		"an anchor that cannot be read":                  {[]events.Event{{Type: events.CommitAnchored, Data: []byte("{")}, saw(own, "1+1 A")}, "A - - - - 1 1 0 0"},
		"three logs, each of which knows a part":         {[]events.Event{saw(own, "1+5 unknown"), saw(other, "1+2 A"), saw(third, "2+2 B")}, "A A B unknown unknown 5 3 0 2"},
		"a later run across two earlier ones":            {[]events.Event{saw(own, "1+2 A", "4+2 B"), saw(own, "2+3 C")}, "A C C C B 5 5 0 0"},
		"no own log: what others saw, each its lines":    {[]events.Event{saw(other, "1+2 A"), saw(third, "1+5 B")}, "A A B B B 5 5 0 0"},
		"only a backfill of the own: others may add":     {[]events.Event{found(own, "1+2 A"), saw(other, "1+5 B")}, "A A B B B 5 5 0 0"},
		"beyond what the commit added, up to a run":      {[]events.Event{saw(own, "1+1 human", "4+1 human"), saw(other, "1+2 A")}, "human A - human - 2 0 2 0"},
		"beyond what it added, of one owner with others": {[]events.Event{saw(own, "1+2 unknown"), saw(other, "1+4 A")}, "A A A A - 2 2 0 0"},
		"two runs of one owner apart":                    {[]events.Event{saw(own, "1+1 A", "3+1 A"), saw(own, "5+1 B")}, "A - A - B 3 3 0 0"},
		"a run before a later one":                       {[]events.Event{saw(own, "1+1 A"), saw(own, "3+1 B")}, "A - B - - 2 2 0 0"},
		"an unknown run with holes that are told":        {[]events.Event{saw(own, "2+1 A", "4+1 B"), saw(own, "1+5 unknown")}, "unknown A unknown B unknown 5 2 0 3"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := Weigh(commitID(1), tt.recorded, own)
			if got := lines(c); got != tt.want {
				t.Errorf("believed: %s, want %s", got, tt.want)
			}
			again := Weigh(commitID(1), tt.recorded, own)
			if lines(again) != tt.want {
				t.Error("weighing changes what is weighed")
			}
		})
	}
}

func lines(c *Commit) string {
	out := []string{"-", "-", "-", "-", "-"}
	end := 0
	for _, r := range c.Runs("f") {
		if r.Start < end {
			return "a line twice"
		}
		end = r.end()
		for line := r.Start; line < min(r.end(), 6); line++ {
			if out[line-1] = r.Owner.Session; r.Owner.Kind != events.OwnerAI {
				out[line-1] = string(r.Owner.Kind)
			}
		}
	}
	return strings.Join(out, " ") + fmt.Sprintf(" %d %d %d %d", c.Added, c.AI, c.Human, c.Unknown)
}

func TestWhatWasFoundWithoutAnAnchorFillsWhatNobodyKnows(t *testing.T) {
	t.Parallel()
	c := Weigh(commitID(1), []events.Event{said(t, "own", events.PostCommit, "1+2 human", "3+2 unknown")}, "own")
	c.Fill(&events.CommitData{
		Commit: commitID(1), Owners: []events.AnchorOwner{{Kind: events.OwnerAI, Session: "A"}, {Kind: events.OwnerUnknown}},
		Files: []events.AnchorFile{{Path: "f", Runs: []events.AnchorRun{{Start: 1, Count: 3, Owner: 0}, {Start: 4, Count: 1, Owner: 1}}}},
	})
	if got, want := lines(c), "human human A unknown - 4 1 2 1"; got != want {
		t.Errorf("believed: %s, want %s", got, want)
	}
}

// What is found for a commit whose place another took disputes a person's line if it was claimed, exactly; a patch does
// not.
func TestWhatIsFoundOfACommitThatHooksSaw(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		patch events.PatchID
		tier  string
		kind  events.OwnerKind
		want  string
	}{
		"a claim, exactly":      {"", correlate.TierExactLines, events.OwnerAI, "A A A"},
		"a claim, by its print": {"", correlate.TierFingerprint, events.OwnerAI, "human human A"},
		"a patch":               {"p", correlate.TierExactLines, events.OwnerAI, "human human A"},
		"a claim of a person":   {"", correlate.TierExactLines, events.OwnerHuman, "human human human"},
	} {
		c := Weigh(commitID(1), []events.Event{said(t, "own", events.PostCommit, "1+2 human", "3+1 unknown")}, "own")
		c.Fill(&events.CommitData{
			Commit: commitID(1), Owners: []events.AnchorOwner{{Kind: tt.kind, Session: "A", Patch: tt.patch}},
			Files: []events.AnchorFile{{Path: "f", Runs: []events.AnchorRun{{Start: 1, Count: 3, Tier: tt.tier}}}},
		})
		if got := strings.Join(strings.Fields(lines(c))[:3], " "); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

// Lines of one owner that lie side by side are one run, and of several logs the one first by name says which file comes
// first.
func TestRunsAndFilesInOrder(t *testing.T) {
	t.Parallel()
	count := func(runs ...events.Event) int { return len(Weigh(commitID(1), runs, "own").Runs("f")) }
	saw := func(runs ...string) events.Event { return said(t, "own", events.PostCommit, runs...) }
	if n := count(saw("1+2 A", "3+2 A"), saw("9+1 B")); n != 2 {
		t.Errorf("%d runs, want 2", n)
	}
	if n := count(saw("1+2 A", "3+2 A line_fingerprint"), saw("9+1 B")); n != 3 {
		t.Errorf("%d runs of two tiers and of another owner, want 3", n)
	}
	if n := count(saw("1+2 A", "4+2 A"), saw("9+1 B")); n != 3 {
		t.Errorf("%d runs apart, want 3", n)
	}
	g := said(t, "bbbb", events.PostCommit, "1+1 A")
	g.Data = []byte(strings.Replace(string(g.Data), `"path":"f"`, `"path":"g"`, 1))
	for _, recorded := range [][]events.Event{
		{g, said(t, "aaaa", events.PostCommit, "1+1 A")}, {said(t, "aaaa", events.PostCommit, "1+1 A"), g},
	} {
		if c := Weigh(commitID(1), recorded, "own"); len(c.Files) != 2 || c.Files[0].Path != "f" || c.Files[1].Path != "g" {
			t.Errorf("files are %+v", c.Files)
		}
	}
}

// What a backfill found to be older than the commit, and what lies beyond it, is not held by it.
func TestLinesThatTheCommitOnlyMoved(t *testing.T) {
	t.Parallel()
	by := func(method ...events.Method) *events.Event { return &events.Event{Method: method} }
	for name, tt := range map[string]struct {
		run  Run
		want bool
	}{
		"moved, by a backfill":              {Run{Tier: correlate.TierMovedLines, By: by(events.Backfill)}, true},
		"moved, as hooks saw":               {Run{Tier: correlate.TierMovedLines, By: by(events.PostCommit)}, false},
		"moved, as a search found":          {Run{Tier: correlate.TierMovedLines}, false},
		"where they were, by a backfill":    {Run{Tier: correlate.TierExactLines, By: by(events.Backfill)}, false},
		"beyond what the commit added":      {Run{Tier: correlate.TierExactLines, Beyond: true}, true},
		"what the commit added, found then": {Run{Tier: correlate.TierExactLines}, false},
	} {
		if got := tt.run.Elsewhere(); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestAnOwnerWhoIsNotInTheListOwnsNothing(t *testing.T) {
	t.Parallel()
	e := said(t, "own", events.PostCommit, "1+1 A", "2+1 B")
	e.Data = []byte(strings.NewReplacer(`"owner":0`, `"owner":2`, `"owner":1`, `"owner":-1`).Replace(string(e.Data)))
	if got, want := lines(Weigh(commitID(1), []events.Event{e}, "own")), "- - - - - 2 0 0 2"; got != want {
		t.Errorf("believed: %s, want %s", got, want)
	}
}

// A fetched log with as many anchors of one commit as there can be is answered in time.
func TestALogThatSaysTheSameForEver(t *testing.T) {
	t.Parallel()
	var recorded []events.Event
	for i := range 3 * mostAnchors {
		recorded = append(recorded, said(t, "other", events.PostCommit, fmt.Sprintf("%d+1 A", 1+i%5)))
	}
	if got, want := lines(Weigh(commitID(1), recorded, "own")), "A A A A A 5 5 0 0"; got != want {
		t.Errorf("believed: %s, want %s", got, want)
	}
}

// S11, S12: two other clones with the same right that say different things leave a line disputed, in whatever order they
// were fetched. Nobody disputes what was seen here, nor one who has the better right.
func TestWhatOtherClonesDisagreeAboutIsDisputed(t *testing.T) {
	t.Parallel()
	saw := func(writer string, runs ...string) events.Event { return said(t, writer, events.PostCommit, runs...) }
	trusts := func(who string) func(string) string {
		return func(writer string) string { return map[string]string{who: "anna"}[writer] }
	}
	a, b, c := saw("a", "1+3 human"), saw("b", "2+3 A"), saw("c", "3+3 human")
	tests := map[string]struct {
		recorded []events.Event
		trusted  string
		want     string
	}{
		"two":                               {[]events.Event{a, b}, "", "human human:b human:b A -"},
		"three, of which two agree":         {[]events.Event{a, b, c}, "", "human human:b human:b A:c human"},
		"the own one beside them":           {[]events.Event{a, b, saw("own", "1+5 B")}, "", "B B B B B"},
		"the own one, which does not know":  {[]events.Event{a, b, saw("own", "1+5 unknown")}, "", "human human:b human:b A unknown"},
		"one who signs":                     {[]events.Event{a, b, c}, "b", "human A A A human"},
		"one who only read of it":           {[]events.Event{a, said(t, "b", events.Import, "2+3 A")}, "", "human human human A -"},
		"one with less evidence":            {[]events.Event{a, saw("b", "2+3 A line_fingerprint")}, "", "human human human A -"},
		"two who agree":                     {[]events.Event{a, saw("b", "1+3 human")}, "", "human human human - -"},
		"one who does not know":             {[]events.Event{a, saw("b", "1+3 unknown")}, "", "human human human - -"},
		"what is disputed gives way to all": {[]events.Event{saw("a", "1+1 human line_fingerprint"), saw("b", "1+1 A line_fingerprint"), saw("c", "1+1 B")}, "", "B - - - -"},
	}
	for name, tt := range tests {
		for turn := range tt.recorded {
			recorded := append(slices.Clone(tt.recorded[turn:]), tt.recorded[:turn]...)
			commit := weighAll(commitID(1), recorded, "own", trusts(tt.trusted))
			out, disputed := []string{"-", "-", "-", "-", "-"}, 0
			for _, r := range commit.Runs("f") {
				for line := r.Start; line < r.end(); line++ {
					if out[line-1] = r.Owner.Session; r.Owner.Kind != events.OwnerAI {
						out[line-1] = string(r.Owner.Kind)
					}
					if len(r.Disputed) > 0 {
						out[line-1] += ":" + strings.Join(r.Disputed, ",")
						disputed++
					}
				}
			}
			if got := strings.Join(out, " "); got != tt.want || disputed != commit.Disputed {
				t.Errorf("%s: %s, want %s; %d are counted of %d", name, got, tt.want, commit.Disputed, disputed)
			}
		}
	}
}
