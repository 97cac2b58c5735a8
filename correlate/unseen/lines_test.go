package unseen

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/correlate"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/linediff"
)

func split(text string) [][]byte {
	return linediff.Split([]byte(strings.ReplaceAll(text, "|", "\n") + "\n"))
}

func printsOf(lines [][]byte) []events.Fingerprint {
	out := make([]events.Fingerprint, len(lines))
	for i, l := range lines {
		out[i] = events.FingerprintOf(l)
	}
	return out
}

// Where a file has lines of a patch, in rows that say enough: a specific line in the file that the patch was about, a
// block in another one.
func TestInWhichRowsAFileHasThePatchsLines(t *testing.T) {
	t.Parallel()
	const specific, block = "exactly12345", "a line of fourteen|another of fourteen|third of fourteens"
	tests := map[string]struct {
		file, wrote, path, oldPath string
		want                       string // START+COUNT@LINE OF THE PATCH:WEIGHT
	}{
		"a specific line":                          {"x|" + specific + "|y", specific, "a.txt", "", "1+1@0:12"},
		"a line that says one letter too little":   {"x|exactly1234|y", "exactly1234", "a.txt", "", ""},
		"two lines that say enough together":       {"exactly|12345", "exactly|12345", "a.txt", "", "0+2@0:12"},
		"the file had another name in the patch":   {specific, specific, "b.txt", "a.txt", "0+1@0:12"},
		"the commit renamed the file":              {specific, specific, "was.txt", "", "0+1@0:12"},
		"a specific line in another file":          {specific, specific, "b.txt", "", ""},
		"three lines in another file":              {block, block, "b.txt", "", "0+3@0:48"},
		"three short lines in another file":        {"one|two|three", "one|two|three", "b.txt", "", ""},
		"two long lines in another file":           {strings.Repeat("long", 9) + "|" + strings.Repeat("line", 9), strings.Repeat("long", 9) + "|" + strings.Repeat("line", 9), "b.txt", "", ""},
		"a part of the patch, further down":        {"x|" + specific, "first|second|" + specific, "a.txt", "", "1+1@2:12"},
		"the longer of two places in the patch":    {"same words here|and the next", "same words here|other|same words here|and the next", "a.txt", "", "0+2@2:23"},
		"the first of two places that are as long": {"same words here|z", "same words here|other|same words here|end", "a.txt", "", "0+1@0:13"},
		"two rows": {specific + "|between|" + specific, specific, "a.txt", "", "0+1@0:12 2+1@0:12"},
		"a row ends with the patch, another follows":  {specific + "|" + specific, specific, "a.txt", "", "0+1@0:12 1+1@0:12"},
		"white space does not count":                  {"  exactly 12345", specific, "a.txt", "", "0+1@0:12"},
		"a path that cannot be read is none":          {specific, specific, "\n", "\n", ""},
		"lines that the patch has in another order":   {"one and another|two and another", "two and another|one and another", "a.txt", "", "0+1@1:13 1+1@0:13"},
		"a row of the whole patch and more of a file": {"first of all lines|second of all lines|third", "first of all lines|second of all lines", "a.txt", "", "0+2@0:31"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &file{lines: split(tt.file), change: correlate.FileChange{Path: "a.txt", OldPath: "was.txt"}}
			patch := events.PatchData{Path: tt.path, OldPath: tt.oldPath, Lines: events.EncodeFingerprints(printsOf(split(tt.wrote)))}
			var got []string
			for _, r := range f.rowsOf(patch, events.AnchorOwner{}, printsOf(f.lines)) {
				got = append(got, fmt.Sprintf("%d+%d@%d:%d", r.start, r.count, r.at, r.weight))
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("rows are %v, want %s", got, tt.want)
			}
		})
	}
	f := &file{lines: split("x")}
	if rows := f.rowsOf(events.PatchData{Lines: "?"}, events.AnchorOwner{}, printsOf(f.lines)); rows != nil {
		t.Errorf("fingerprints that cannot be read are %v", rows)
	}
}

// An open line belongs to the heaviest row that has it; to nobody where two owners have rows of one weight.
func TestWhichRowALineBelongsTo(t *testing.T) {
	t.Parallel()
	ai := func(call string) events.AnchorOwner { return events.AnchorOwner{Kind: events.OwnerAI, ToolCall: call} }
	rowOf := func(call string, start, count, weight int, kept ...events.KeptRun) row {
		return row{start: start, count: count, weight: weight, owner: ai(call), patch: events.PatchData{NewStart: 11, Kept: kept}}
	}
	tests := map[string]struct {
		rows []row
		done map[int]claim
		want string
	}{
		"one row":                {[]row{rowOf("c1", 0, 2, 20)}, nil, "0 c1, 1 c1"},
		"the heavier row":        {[]row{rowOf("c1", 0, 2, 20), rowOf("c2", 1, 2, 19)}, nil, "0 c1, 1 c1, 2 c2"},
		"two rows of one weight": {[]row{rowOf("c1", 0, 2, 20), rowOf("c2", 1, 2, 20)}, nil, "0 c1, 2 c2"},
		"two of one author":      {[]row{rowOf("c1", 0, 2, 20), rowOf("c1", 1, 2, 20)}, nil, "0 c1, 1 c1, 2 c1"},
		"a third of the same weight as one of two":  {[]row{rowOf("c1", 0, 1, 20), rowOf("c2", 0, 1, 20), rowOf("c1", 0, 1, 20)}, nil, ""},
		"a line that is not open":                   {[]row{rowOf("c1", 3, 2, 20)}, nil, "3 c1"},
		"a line that has an owner":                  {[]row{rowOf("c1", 0, 2, 20)}, map[int]claim{0: {ai("c0"), "exact_lines"}}, "0 c0 exact_lines, 1 c1"},
		"a line that kept a person for its owner":   {[]row{rowOf("c1", 0, 2, 20, events.KeptRun{Start: 12, Count: 1, Kind: events.OwnerHuman})}, nil, "0 c1, 1 human"},
		"a line of which nothing was known":         {[]row{rowOf("c1", 0, 2, 20, events.KeptRun{Start: 11, Count: 1, Kind: events.OwnerUnknown})}, nil, "1 c1"},
		"lines before and behind what was kept":     {[]row{rowOf("c1", 0, 3, 20, events.KeptRun{Start: 12, Count: 1, Kind: events.OwnerHuman})}, nil, "0 c1, 1 human, 2 c1"},
		"a line that kept another patch":            {[]row{rowOf("c1", 0, 1, 20, events.KeptRun{Start: 11, Count: 1, Kind: events.OwnerAI, Patch: "old"})}, nil, "0 c9"},
		"one whose kind is not what that patch was": {[]row{rowOf("c1", 0, 1, 20, events.KeptRun{Start: 11, Count: 1, Kind: events.OwnerMixed, Patch: "old"})}, nil, "0 c9 mixed"},
		"a line that kept a patch nobody knows":     {[]row{rowOf("c1", 0, 1, 20, events.KeptRun{Start: 11, Count: 1, Kind: events.OwnerAI, Patch: "lost"})}, nil, ""},
		"a line that kept a younger patch":          {[]row{rowOf("c1", 0, 1, 20, events.KeptRun{Start: 11, Count: 1, Kind: events.OwnerAI, Patch: "young"})}, nil, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &Search{people: map[events.PatchID]person{
				"old": {owner: ai("c9"), found: true}, "young": {owner: ai("c8"), found: true}, "lost": {},
			}}
			f := &file{
				Search: s, age: &age{belief: map[events.PatchID]bool{"old": true, "young": false, "lost": true}}, owners: map[int]claim{},
			}
			maps.Copy(f.owners, tt.done)
			if err := f.claim(tt.rows, map[int]bool{0: true, 1: true, 2: true, 3: true}); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, line := range slices.Sorted(maps.Keys(f.owners)) {
				c := f.owners[line]
				text := fmt.Sprint(line, " ", c.owner.ToolCall)
				if c.owner.Kind != events.OwnerAI {
					text = strings.TrimSpace(text) + " " + string(c.owner.Kind)
				}
				if c.tier != correlate.TierFingerprint {
					text += " " + c.tier
				}
				got = append(got, text)
			}
			if strings.Join(got, ", ") != tt.want {
				t.Errorf("claims are %v, want %s", got, tt.want)
			}
		})
	}
}

// An anchor's runs are spread over the added lines of another commit with the same change, line by line or not at all.
func TestRunsAreSpreadOverAsManyLines(t *testing.T) {
	t.Parallel()
	owners := []events.AnchorOwner{{ToolCall: "a"}, {ToolCall: "b"}}
	tests := map[string]struct {
		runs []events.AnchorRun
		n    int
		want string
	}{
		"as many lines":                {[]events.AnchorRun{{Count: 1, Owner: 1}, {Count: 2, Owner: 0}}, 3, "baa"},
		"fewer":                        {[]events.AnchorRun{{Count: 2}}, 3, ""},
		"more":                         {[]events.AnchorRun{{Count: 4}}, 3, ""},
		"more with the second run":     {[]events.AnchorRun{{Count: 2}, {Count: 2}}, 3, ""},
		"an owner that is not there":   {[]events.AnchorRun{{Count: 3, Owner: 2}}, 3, ""},
		"an owner below the first":     {[]events.AnchorRun{{Count: 3, Owner: -1}}, 3, ""},
		"a run without lines":          {[]events.AnchorRun{{Count: 0}, {Count: 3}}, 3, ""},
		"a run with a count below one": {[]events.AnchorRun{{Count: -1}, {Count: 3}}, 3, ""},
		"none of none":                 {nil, 0, ""},
	}
	for name, tt := range tests {
		got := ""
		for _, o := range spread(owners, tt.runs, tt.n) {
			got += o.ToolCall
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestUnderWhichNamesAnEventSpeaksOfAContent(t *testing.T) {
	t.Parallel()
	blob, other := refs.SHA1.Hash(refs.BlobObject, []byte("x")), refs.SHA1.Hash(refs.BlobObject, []byte("y"))
	encode := func(data any) []byte {
		raw, err := events.Encode(data)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	patch := encode(events.PatchData{Path: events.EncodePath("a\n.txt"), After: blob})
	anchor := encode(events.CommitData{Files: []events.AnchorFile{{Path: "a", Blob: blob}, {Path: "b", Blob: other}, {Path: "c", Blob: blob}, {Path: "\n", Blob: blob}}})
	for name, tt := range map[string]struct {
		typ  events.Type
		data []byte
		blob refs.OID
		want string
	}{
		"a patch that made it":        {events.PatchRecorded, patch, blob, "a\n.txt"},
		"a patch that made another":   {events.PatchRecorded, patch, other, ""},
		"a commit":                    {events.CommitAnchored, anchor, blob, "a c"},
		"a commit, the other content": {events.CommitAnchored, anchor, other, "b"},
		"an event that names none":    {events.TurnEnded, patch, blob, ""},
		"one that cannot be read":     {events.PatchRecorded, []byte("{"), blob, ""},
	} {
		if got := strings.Join(namesOf(&events.Event{Type: tt.typ, Data: tt.data}, tt.blob), " "); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// The files of a commit are gathered with one list of owners, and every line is counted once.
func TestACommitIsGatheredOfItsFiles(t *testing.T) {
	t.Parallel()
	ai, mixed := events.AnchorOwner{Kind: events.OwnerAI, ToolCall: "a"}, events.AnchorOwner{Kind: events.OwnerMixed}
	human, nobody := events.AnchorOwner{Kind: events.OwnerHuman}, events.AnchorOwner{Kind: events.OwnerUnknown}
	var d gathered
	first := Answer{[]events.AnchorOwner{human, ai}, events.AnchorFile{Path: "a", Runs: []events.AnchorRun{{Start: 1, Count: 1, Owner: 1}, {Start: 2, Count: 2, Owner: 0}}}}
	d.add(first)
	d.add(Answer{})
	second := Answer{[]events.AnchorOwner{ai, nobody, mixed}, events.AnchorFile{Path: "b", Runs: []events.AnchorRun{{Count: 4, Owner: 0}, {Count: 8, Owner: 1}, {Count: 16, Owner: 2}}}}
	d.add(second)
	if d.Added != 31 || d.AI != 21 || d.Human != 2 || d.Unknown != 8 {
		t.Errorf("added %d, agents' %d, people's %d, unknown %d", d.Added, d.AI, d.Human, d.Unknown)
	}
	if len(d.Owners) != 4 || len(d.Files) != 2 || d.Owners[d.Files[1].Runs[0].Owner].ToolCall != "a" || d.Files[0].Runs[0].Owner != 1 || d.Files[1].Runs[2].Owner != 3 {
		t.Errorf("owners %v, files %+v", d.Owners, d.Files)
	}
	if first.File.Runs[1].Owner != 0 || second.File.Runs[0].Owner != 0 || second.File.Runs[2].Owner != 2 || d.Files[1].Runs[0].Owner != 1 {
		t.Error("the answer that was given is changed, or an owner is listed twice")
	}
}

func TestTheLastMentionsComeFirst(t *testing.T) {
	t.Parallel()
	list := []index.Mention{{Seq: 1}, {Seq: 2}, {Seq: 3}}
	if got := latest(list, 2); !slices.Equal(got, []index.Mention{{Seq: 3}, {Seq: 2}}) {
		t.Errorf("the last two are %v", got)
	}
	if got := latest(list, 9); len(got) != 3 || got[2].Seq != 1 {
		t.Errorf("all are %v", got)
	}
	if n := correlate.LettersIn(split("a1 é|-- ;|B")); n != 4 {
		t.Errorf("%d letters and digits", n)
	}
}

// commits asks for whole commits, as log and graph do.
func (w *world) commits(list ...refs.OID) map[refs.OID]events.CommitData {
	w.T.Helper()
	reader, err := index.Open(w.Repo)
	w.Check(err)
	defer reader.Close()
	s := New(w.Repo, reader)
	defer s.Close()
	found, err := s.Commits(context.Background(), list)
	w.Check(err)
	return found
}

// What the anchors of commits would say, for those of which something can be found. It is kept, and asked again when a
// log has grown.
func TestWholeCommitsAreFoundAndKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	base := w.Head()
	w.Edit("S1", "a.txt", byFirst+common)
	w.Write("b.txt", "nothing that anybody looked at\n")
	ai := w.Commit("ai")
	w.Write("c.txt", "and again nothing of the kind\n")
	none := w.Commit("none")
	for range 3 { // searched for, kept, and kept by another search
		found := w.commits(base, ai, none)
		if len(found) != 1 {
			t.Fatalf("%d commits are found, want one", len(found))
		}
		d := found[ai]
		if d.Commit != ai || len(d.Parents) != 1 || d.Parents[0] != base || d.Added != 3 || d.AI != 2 || d.Human+d.Unknown != 1 {
			t.Errorf("the commit is %+v", d)
		}
		if len(d.Files) != 2 || d.Owners[d.Files[0].Runs[0].Owner].Session != "S1" {
			t.Errorf("its files are %+v", d.Files)
		}
	}
	w.Edit("S2", "d.txt", bySecond) // its first look sees the others, which a person wrote
	more := w.Commit("more")
	found := w.commits(base, ai, none, more)
	if len(found) != 3 || found[more].AI != 1 || found[ai].AI != 2 || found[ai].Human != 1 || found[none].Human != 1 {
		t.Errorf("after the log has grown: %+v", found)
	}
}

// Several anchored commits that changed a file in the same way have to agree, line by line.
func TestEqualChangesHaveToAgree(t *testing.T) {
	t.Parallel()
	for what, tt := range map[string]struct{ second, want string }{
		"one author": {"S1", "S1 by same_patch"}, "two authors": {"S2", "unknown"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			for i, session := range []string{"S1", tt.second} {
				w.Git("switch", "-q", "-c", fmt.Sprint("branch", i), "main")
				w.Write("base.txt", strings.Repeat("above\n", i)+"base one\nbase two\nbase three\n")
				w.Commit("apart")
				w.Calls = 0 // the same call, but for its conversation
				w.Edit(session, "base.txt", strings.Repeat("above\n", i)+"base one\nbase two\n"+byFirst+"base three\n")
				w.Commit("ai")
				w.Anchor()
			}
			w.Git("switch", "-q", "-c", "third", "main")
			w.Write("base.txt", "base one\nbase two\n"+byFirst+"base three\nbelow\n")
			w.Commit("the same, and more")
			w.Write("base.txt", "base one\nbase two\nbase three\nbelow\n")
			w.Commit("without")
			w.Write("base.txt", "base one\nbase two\n"+byFirst+"base three\nbelow\n")
			c := w.Commit("the same")
			w.Forget()
			w.want(Question{Commit: c, Path: "base.txt"}, tt.want)
		})
	}
}

// An answer about a whole commit is kept, and holds while the logs speak of other things. It is asked for anew when they
// speak of what it was made of.
func TestAKeptAnswerEndsWithWhatItWasMadeOf(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Edit("S1", "a.txt", byFirst+common)
	c := w.Commit("unseen")
	w.Write("typed.txt", byHand)
	typed := w.Commit("typed")
	whole := func() (ai, human int, asked bool) {
		reader, err := index.Open(w.Repo)
		w.Check(err)
		defer reader.Close()
		s := New(w.Repo, reader)
		defer s.Close()
		found, err := s.Commits(context.Background(), []refs.OID{c, typed})
		w.Check(err)
		return found[c].AI + found[typed].AI, found[c].Human + found[typed].Human, len(s.ages) > 0
	}
	nothing := func() {}
	for i, step := range []struct {
		do        func()
		ai, human int
		asked     bool
	}{
		{nothing, 2, 0, true},
		{nothing, 2, 0, false},
		{func() { w.Edit("S2", "other.txt", bySecond) }, 2, 1, true}, // the timeline sees what was typed
		{nothing, 2, 1, false},
		{func() { w.Edit("S2", "third.txt", "something else that nobody has asked about\n") }, 2, 1, false},
	} {
		step.do()
		if ai, human, asked := whole(); ai != step.ai || human != step.human || asked != step.asked {
			t.Errorf("step %d: %d lines by agents, %d by people, searched %v", i, ai, human, asked)
		}
	}
}

// A row begins at each line that the patch has, and goes on as far as the patch does: of its places in the patch the
// one with the longest row counts, of equals the first.
func TestRowsAreThoseOfTheRule(t *testing.T) {
	t.Parallel()
	texts := []string{"}", "short", "elevenchars", "twelve_chars", "another line that says a lot", "return nil"}
	for seed := range uint64(4000) {
		random := rand.New(rand.NewPCG(seed, 81))
		some := func() (out [][]byte) {
			for range 1 + random.IntN(8) {
				out = append(out, []byte(texts[random.IntN(len(texts))]))
			}
			return out
		}
		wrote := some()
		f := &file{lines: some(), change: correlate.FileChange{Path: "a.txt"}}
		if random.IntN(2) == 0 {
			f.lines = slices.Concat(some(), wrote[random.IntN(len(wrote)):], some())
		}
		path, least, fewest := "a.txt", 12, 1
		if random.IntN(2) == 0 {
			path, least, fewest = "b.txt", 40, 3
		}
		var want []string
		for line := 0; line < len(f.lines); {
			at, count := 0, 0
			for from := range wrote {
				n := 0
				for line+n < len(f.lines) && from+n < len(wrote) && string(f.lines[line+n]) == string(wrote[from+n]) {
					n++
				}
				if n > count {
					at, count = from, n
				}
			}
			if weight := correlate.LettersIn(f.lines[line : line+count]); count >= fewest && weight >= least {
				want = append(want, fmt.Sprintf("%d+%d@%d:%d", line, count, at, weight))
			}
			line += max(count, 1)
		}
		var got []string
		patch := events.PatchData{Path: path, Lines: events.EncodeFingerprints(printsOf(wrote))}
		for _, r := range f.rowsOf(patch, events.AnchorOwner{}, printsOf(f.lines)) {
			got = append(got, fmt.Sprintf("%d+%d@%d:%d", r.start, r.count, r.at, r.weight))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: %q of %q: %v, want %v", seed, f.lines, wrote, got, want)
		}
	}
}
