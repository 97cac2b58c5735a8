package blame

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/blame/gitblame"
	"github.com/git-trace/git-trace/correlate"
	"github.com/git-trace/git-trace/correlate/belief"
	"github.com/git-trace/git-trace/correlate/unseen"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// anchorsOf gives the same events for every commit.
type anchorsOf []events.Event

func (a anchorsOf) ByCommit(refs.OID) ([]events.Event, error) {
	if len(a) > 0 && a[0].Type == "fails" {
		return nil, errors.New("no log")
	}
	return a, nil
}

func (a anchorsOf) OwnWriter() (string, error) { return "own", nil }

// answers is a searcher that notes what it is asked.
type answers struct {
	asked []unseen.Question
	give  []unseen.Answer
}

func (a *answers) Ask(_ context.Context, questions []unseen.Question) ([]unseen.Answer, error) {
	a.asked = questions
	return a.give, nil
}

func commitID(n int) refs.OID {
	id, err := refs.ParseOID(fmt.Sprintf("%040d", n))
	if err != nil {
		panic(err)
	}
	return id
}

// An anchor is written as runs "START+COUNT WHO", WHO being human, unknown or a session.
func anchor(t *testing.T, writer string, commit refs.OID, path string, runs ...string) events.Event {
	t.Helper()
	owners, file := anchored(t, runs...)
	file.Path = path
	data, err := events.Encode(events.CommitData{Commit: commit, Files: []events.AnchorFile{file}, Owners: owners})
	if err != nil {
		t.Fatal(err)
	}
	return events.Event{Type: events.CommitAnchored, Writer: writer, Data: data}
}

func anchored(t *testing.T, runs ...string) ([]events.AnchorOwner, events.AnchorFile) {
	t.Helper()
	var owners []events.AnchorOwner
	var file events.AnchorFile
	for i, run := range runs {
		var start, count int
		var who string
		if _, err := fmt.Sscanf(run, "%d+%d %s", &start, &count, &who); err != nil {
			t.Fatal(err)
		}
		owner := events.AnchorOwner{Kind: events.OwnerAI, Session: who}
		if who == "human" || who == "unknown" {
			owner = events.AnchorOwner{Kind: events.OwnerKind(who)}
		}
		owners = append(owners, owner)
		file.Runs = append(file.Runs, events.AnchorRun{Start: start, Count: count, Owner: i, Tier: correlate.TierExactBlob})
	}
	return owners, file
}

// told is who wrote lines 1 to n, a letter or a word each.
func told(t *testing.T, e *Evidence, commit refs.OID, path string, n int) string {
	t.Helper()
	var lines []int
	for i := range n {
		lines = append(lines, i+1)
	}
	found, err := e.Committed(t.Context(), commit, path, lines)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, a := range found {
		out = append(out, map[bool]string{true: a.Session, false: string(a.Kind)}[a.Kind == events.OwnerAI])
	}
	return strings.Join(out, " ")
}

func TestWhatSeveralAnchorsSayOfALine(t *testing.T) {
	t.Parallel()
	at := commitID(1)
	own := func(runs ...string) events.Event { return anchor(t, "own", at, "f", runs...) }
	fetched := func(runs ...string) events.Event { return anchor(t, "other", at, "f", runs...) }
	tests := map[string]struct {
		recorded []events.Event
		want     string
	}{
		"nothing is recorded":                              {nil, "unknown unknown unknown unknown unknown"},
		"runs, and lines between them":                     {[]events.Event{own("2+1 A", "4+2 human")}, "unknown A unknown human human"},
		"the last line of a run":                           {[]events.Event{own("1+5 A")}, "A A A A A"},
		"the later of two":                                 {[]events.Event{own("1+5 A"), own("2+2 B")}, "A B B A A"},
		"what knows nothing gives way, though later":       {[]events.Event{own("1+3 A"), own("1+5 unknown")}, "A A A unknown unknown"},
		"and is replaced, though earlier":                  {[]events.Event{own("1+5 unknown"), own("2+2 A")}, "unknown A A unknown unknown"},
		"a later run across two earlier ones":              {[]events.Event{own("1+2 A", "4+2 B"), own("2+3 C")}, "A C C C B"},
		"a later run inside an earlier one":                {[]events.Event{own("1+5 A"), own("3+1 B")}, "A A B A A"},
		"an unknown run with holes that earlier ones fill": {[]events.Event{own("2+1 A", "4+1 B"), own("1+5 unknown")}, "unknown A unknown B unknown"},
		"own before fetched":                               {[]events.Event{own("1+2 A"), fetched("1+4 B")}, "A A B B unknown"},
		"own before fetched, in a person's favour":         {[]events.Event{own("1+2 human"), fetched("1+4 B")}, "human human B B unknown"},
		"what is unknown here may be known there":          {[]events.Event{own("1+5 unknown"), fetched("2+1 B")}, "unknown B unknown unknown unknown"},
		"runs that overlap each other: the first":          {[]events.Event{own("1+3 A", "2+3 B")}, "A A A B unknown"},
		"a run that begins before the first line":          {[]events.Event{own("0+3 A")}, "unknown unknown unknown unknown unknown"},
		"an empty run":                                     {[]events.Event{own("1+0 A", "2+1 B")}, "unknown B unknown unknown unknown"},
		"a run out of order":                               {[]events.Event{own("4+1 B", "1+1 A")}, "A unknown unknown B unknown"},
		"a run of more lines than there can be":            {[]events.Event{own("2+2147483647 A", "1+1 B")}, "B unknown unknown unknown unknown"},
		"an anchor of another commit":                      {[]events.Event{anchor(t, "own", commitID(2), "f", "1+5 A")}, "unknown unknown unknown unknown unknown"},
		"an anchor of another path":                        {[]events.Event{anchor(t, "own", at, "g", "1+5 A")}, "unknown unknown unknown unknown unknown"},
		"an event that is no anchor":                       {[]events.Event{{Type: events.CommitRewritten, Data: own("1+5 A").Data}}, "unknown unknown unknown unknown unknown"},
		"an anchor that cannot be read":                    {[]events.Event{{Type: events.CommitAnchored, Data: []byte("{")}, own("1+1 A")}, "A unknown unknown unknown unknown"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := NewEvidence(&refs.Repo{GitDir: t.TempDir()}, anchorsOf(tt.recorded), nil)
			if got := told(t, e, at, "f", 5); got != tt.want {
				t.Errorf("owners are %s, want %s", got, tt.want)
			}
		})
	}
}

func TestAnAttributionSaysWhatTheOwnerSays(t *testing.T) {
	t.Parallel()
	e := NewEvidence(&refs.Repo{GitDir: t.TempDir()}, anchorsOf{}, nil).WithPrompts(oneText("the question"))
	o := events.AnchorOwner{
		Kind: events.OwnerAI, Trace: "T", Agent: "agent", Model: "model", Session: "S", Subagent: "sub", Step: 4, ToolCall: "call", Tool: "Edit",
		Prompt: 3, Patch: "patch", Previous: "before", Limits: []events.Limit{events.LimitBackgroundProcess},
		Candidates: []events.CandidateData{{Session: "S2"}},
	}
	a := e.attribution(o, correlate.TierMovedLines)
	want := Attribution{
		Kind: events.OwnerAI, Trace: "T", Agent: "agent", Model: "model", Session: "S", Subagent: "sub", Step: 4, ToolCall: "call", Tool: "Edit",
		PromptIndex: 3, PromptText: "the question", Patch: "patch", Previous: "before", Limits: o.Limits, Candidates: o.Candidates,
		Evidence: correlate.TierMovedLines, Confidence: "low",
	}
	if !a.Same(&want) {
		t.Errorf("attribution is %+v, want %+v", a, want)
	}
	o.Limits = nil
	if a := e.attribution(o, correlate.TierMovedLines); a.Confidence != "medium" {
		t.Errorf("moved lines are worth %s", a.Confidence)
	}
	for _, kind := range []events.OwnerKind{events.OwnerUnknown, ""} {
		if a := e.attribution(events.AnchorOwner{Kind: kind, Session: "S"}, correlate.TierExactBlob); !a.Same(unknown) {
			t.Errorf("an owner of kind %q is %+v", kind, a)
		}
	}
	if a := e.attribution(events.AnchorOwner{Kind: events.OwnerAI, Trace: "T"}, ""); a.PromptText != "" {
		t.Error("a line without a prompt has a text")
	}
	if a := e.attribution(events.AnchorOwner{Kind: events.OwnerAI, Prompt: 3}, ""); a.PromptText != "" {
		t.Error("a line without a conversation has a text")
	}
}

type oneText string

func (o oneText) Get(events.TraceID, int) (string, bool, error) { return string(o), true, nil }

// Any difference between two owners is one that the headers tell.
func TestTwoLinesWithOneOwner(t *testing.T) {
	t.Parallel()
	base := Attribution{Kind: events.OwnerAI}
	if !base.Same(&Attribution{Kind: events.OwnerAI}) {
		t.Error("equal owners differ")
	}
	for what, other := range map[string]Attribution{
		"kind": {Kind: events.OwnerMixed}, "trace": {Trace: "x"}, "agent": {Agent: "x"}, "model": {Model: "x"}, "session": {Session: "x"},
		"subagent": {Subagent: "x"}, "step": {Step: 1}, "call": {ToolCall: "x"}, "tool": {Tool: "x"}, "prompt": {PromptIndex: 1},
		"text": {PromptText: "x"}, "patch": {Patch: "x"}, "evidence": {Evidence: "x"}, "confidence": {Confidence: "x"},
		"previous": {Previous: "x"}, "candidates": {Candidates: []events.CandidateData{{}}}, "limits": {Limits: []events.Limit{"x"}},
	} {
		if other.Kind == "" {
			other.Kind = events.OwnerAI
		}
		if base.Same(&other) {
			t.Errorf("owners of different %s are one", what)
		}
	}
	for kind, want := range map[events.OwnerKind]bool{events.OwnerAI: true, events.OwnerMixed: true, events.OwnerHuman: false, events.OwnerUnknown: false} {
		if a := (Attribution{Kind: kind}); a.ByAI() != want {
			t.Errorf("%s is by an agent: %v", kind, !want)
		}
	}
}

// A search costs time: it is asked for the lines of commits without an anchor, and, in the logs of others, for those
// that an anchor does not know.
func TestWhatIsSearchedFor(t *testing.T) {
	t.Parallel()
	at := commitID(1)
	tests := map[string]struct {
		recorded  []events.Event
		line      int
		asked     bool
		elsewhere bool
	}{
		"a commit without an anchor":        {nil, 1, true, false},
		"an anchor that knows":              {[]events.Event{anchor(t, "own", at, "f", "1+2 A")}, 1, false, false},
		"an anchor that does not know":      {[]events.Event{anchor(t, "own", at, "f", "1+2 unknown")}, 2, true, true},
		"the line behind the unknown ones":  {[]events.Event{anchor(t, "own", at, "f", "1+2 unknown", "3+1 A")}, 3, false, false},
		"the line before the unknown ones":  {[]events.Event{anchor(t, "own", at, "f", "1+1 A", "2+2 unknown")}, 1, false, false},
		"a line that the anchor leaves out": {[]events.Event{anchor(t, "own", at, "f", "1+1 A")}, 2, false, false},
		"only a rewriting names the commit": {[]events.Event{{Type: events.CommitRewritten}}, 1, true, false},
		"only an anchor of another commit":  {[]events.Event{anchor(t, "own", commitID(2), "f", "1+1 A")}, 1, true, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			owners, file := anchored(t, fmt.Sprintf("%d+1 FOUND", tt.line))
			search := &answers{give: []unseen.Answer{{Owners: owners, File: file}}}
			e := NewEvidence(&refs.Repo{GitDir: t.TempDir()}, anchorsOf(tt.recorded), search)
			before := told(t, NewEvidence(&refs.Repo{GitDir: t.TempDir()}, anchorsOf(tt.recorded), nil), at, "f", 4)
			if err := e.Expect(t.Context(), []unseen.Question{{Commit: at, Path: "f", Lines: []int{tt.line}}}); err != nil {
				t.Fatal(err)
			}
			if got := len(search.asked) == 1; got != tt.asked || got && search.asked[0].Elsewhere != tt.elsewhere {
				t.Fatalf("asked %+v, want %v, elsewhere %v", search.asked, tt.asked, tt.elsewhere)
			}
			want := strings.Fields(before)
			if tt.asked {
				want[tt.line-1] = "FOUND"
			}
			if got := told(t, e, at, "f", 4); got != strings.Join(want, " ") {
				t.Errorf("owners are %s, want %v", got, want)
			}
		})
	}
}

// What the anchors know stands against what a search finds.
func TestASearchReplacesNothingThatIsKnown(t *testing.T) {
	t.Parallel()
	at := commitID(1)
	owners, file := anchored(t, "1+3 FOUND")
	owners[0].Patch = "one" // without a patch it is a claim, which may dispute a person's line
	search := &answers{give: []unseen.Answer{{Owners: owners, File: file}}}
	e := NewEvidence(&refs.Repo{GitDir: t.TempDir()}, anchorsOf{anchor(t, "own", at, "f", "1+1 human", "2+1 unknown", "3+1 A")}, search)
	if err := e.Expect(t.Context(), []unseen.Question{{Commit: at, Path: "f", Lines: []int{1, 2, 3}}}); err != nil {
		t.Fatal(err)
	}
	if got := told(t, e, at, "f", 3); got != "human FOUND A" {
		t.Errorf("owners are %s", got)
	}
}

func TestALogThatCannotBeReadIsAnError(t *testing.T) {
	t.Parallel()
	e := NewEvidence(&refs.Repo{GitDir: t.TempDir()}, anchorsOf{{Type: "fails"}}, &answers{})
	if _, err := e.Committed(t.Context(), commitID(1), "f", []int{1}); err == nil {
		t.Error("no error of Committed")
	}
	if err := e.Expect(t.Context(), []unseen.Question{{Commit: commitID(1)}}); err == nil {
		t.Error("no error of Expect")
	}
}

func creditFor(commit refs.OID, path string, line int, text string) credit {
	c := credit{commit: commit, path: path, line: line}
	if text != "" {
		c.text = []byte(text)
	}
	return c
}

// dated is a log that has anchors, and began at a time.
type dated struct {
	anchorsOf
	at time.Time
}

func (d dated) Began() (time.Time, error) { return d.at, nil }

// A line without an owner is older where its commit is older than the first event; else unknown, as is one of which the
// log tells why.
func TestWhatNobodyIsKnownToHaveWrittenIsOlderThanTheRecordingOrUnknown(t *testing.T) {
	t.Parallel()
	id, began := commitID(1), time.Unix(1000, 999)
	log := anchorsOf{anchor(t, "own", id, "f", "1+1 A", "2+1 human", "3+1 unknown")}
	seen := anchorsOf{log[0]}
	seen[0].Method = []events.Method{events.PostCommit}
	for name, tt := range map[string]struct {
		log  belief.Log
		made int64
		want string
	}{
		"before":                                {dated{log, began}, 999, "ai human older older"},
		"in the second in which it began":       {dated{log, began}, 1000, "ai human older older"},
		"before by its date, and a hook saw it": {dated{seen, began}, 999, "ai human unknown unknown"},
		"after":                                 {dated{log, began}, 1001, "ai human unknown unknown"},
		"nothing was ever recorded":             {dated{}, 2000, "older older older older"},
		"a log that tells no beginning":         {log, 0, "ai human unknown unknown"},
	} {
		var lines []gitblame.Line
		for n := 1; n <= 4; n++ {
			c := &gitblame.Commit{ID: id, Committer: gitblame.Person{Time: tt.made}}
			lines = append(lines, gitblame.Line{Commit: c, OrigPath: "f", OrigLine: n, FinalLine: n, Content: []byte("x")})
		}
		owned, err := Owners(t.Context(), NewEvidence(&refs.Repo{CommonDir: t.TempDir()}, tt.log, nil), lines, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range owned {
			got = append(got, string(l.Owner.Kind))
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
	why := &Attribution{Kind: events.OwnerUnknown, Limits: []events.Limit{events.LimitBoundaryLate}}
	never := NewEvidence(&refs.Repo{CommonDir: t.TempDir()}, dated{}, nil)
	if got, err := nobody(never, why, &credit{commit: id}); got != why || err != nil {
		t.Errorf("a line of which the log tells why: %+v, %v", got, err)
	}
}

func TestLinesAreAskedForOnceForEachCommitAndPath(t *testing.T) {
	t.Parallel()
	one, two := commitID(1), commitID(2)
	groups := groupCredits([]credit{
		creditFor(one, "f", 5, "e"), creditFor(one, "f", 2, "b"), creditFor(two, "f", 1, ""), creditFor(one, "f", 5, "e"),
		creditFor(one, "g", 3, "c"), creditFor(one, "f", 9, "i"), creditFor(refs.OID{}, "f", 1, ""),
	})
	var got []string
	for _, g := range groups {
		q, committed := g.question()
		got = append(got, fmt.Sprintf("%.1s:%s %v %v texts %q asked %v", strings.TrimLeft(g.commit.String(), "0"), g.path, g.lines, g.at, q.Texts, committed))
	}
	want := []string{
		`1:f [2 5 9] [1 0 3 5] texts ["b" "e" "i"] asked true`, `2:f [1] [2] texts [] asked true`,
		`1:g [3] [4] texts ["c"] asked true`, `:f [1] [6] texts [] asked false`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("groups are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// With --only-ai a group is what git would list as one: neighbours of one commit, path and order, all by agents.
func TestWhichLinesByAgentsAreOneGroup(t *testing.T) {
	t.Parallel()
	one, two := &gitblame.Commit{ID: commitID(1)}, &gitblame.Commit{ID: commitID(2)}
	line := func(c *gitblame.Commit, orig, final int) gitblame.Line {
		return gitblame.Line{Commit: c, OrigPath: "f", OrigLine: orig, FinalLine: final}
	}
	ai, human := &Attribution{Kind: events.OwnerAI}, &Attribution{Kind: events.OwnerHuman}
	changed := func(change func(*gitblame.Line)) []gitblame.Line {
		lines := []gitblame.Line{line(one, 1, 1), line(one, 2, 2)}
		change(&lines[1])
		return lines
	}
	both := []*Attribution{ai, ai}
	tests := map[string]struct {
		lines  []gitblame.Line
		owners []*Attribution
		want   []aiGroup
	}{
		"neighbours":                 {[]gitblame.Line{line(one, 1, 1), line(one, 2, 2), line(one, 3, 3)}, []*Attribution{ai, ai, ai}, []aiGroup{{0, 3}}},
		"a person's between":         {[]gitblame.Line{line(one, 1, 1), line(one, 2, 2), line(one, 3, 3)}, []*Attribution{ai, human, ai}, []aiGroup{{0, 1}, {2, 3}}},
		"a person's first":           {[]gitblame.Line{line(one, 1, 1), line(one, 2, 2)}, []*Attribution{human, ai}, []aiGroup{{1, 2}}},
		"no agent's":                 {[]gitblame.Line{line(one, 1, 1)}, []*Attribution{human}, nil},
		"two commits":                {[]gitblame.Line{line(one, 1, 1), line(two, 2, 2)}, both, []aiGroup{{0, 1}, {1, 2}}},
		"another path":               {changed(func(l *gitblame.Line) { l.OrigPath = "g" }), both, []aiGroup{{0, 1}, {1, 2}}},
		"lines left out in between":  {changed(func(l *gitblame.Line) { l.OrigLine = 3 }), both, []aiGroup{{0, 1}, {1, 2}}},
		"lines put in between":       {changed(func(l *gitblame.Line) { l.FinalLine = 3 }), both, []aiGroup{{0, 1}, {1, 2}}},
		"one of an ignored revision": {changed(func(l *gitblame.Line) { l.Ignored = true }), both, []aiGroup{{0, 1}, {1, 2}}},
		"one that nobody can blame":  {changed(func(l *gitblame.Line) { l.Unblamable = true }), both, []aiGroup{{0, 1}, {1, 2}}},
	}
	for name, tt := range tests {
		if got := aiGroups(tt.lines, tt.owners); !slices.Equal(got, tt.want) {
			t.Errorf("%s: groups are %v, want %v", name, got, tt.want)
		}
	}
}
