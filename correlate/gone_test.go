package correlate

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/gitdiff"
	"github.com/git-trace/git-trace/trails"
	"github.com/git-trace/git-trace/trails/ledger"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/vector"
)

// place is an anchorer in a repository whose contents are given.
type place struct {
	*anchorer
	t     *testing.T
	blobs map[refs.OID]string
}

func newPlace(t *testing.T) *place {
	t.Helper()
	repo := &refs.Repo{CommonDir: t.TempDir()}
	p := &place{t: t, blobs: map[refs.OID]string{}}
	view := &trails.View{Known: ledger.NewKnown(repo), Owners: ledger.NewOwners(repo), Blob: func(oid refs.OID) ([]byte, error) {
		if text, found := p.blobs[oid]; found {
			return []byte(text), nil
		}
		return nil, refs.ErrMissing
	}}
	p.anchorer = &anchorer{view: view, owners: map[vector.Owner]int{}}
	return p
}

// content is one whose lines are owned as told: a letter for each line, a-y for a patch of an agent, h
// for a person; a capital for a line in another form.
func (p *place) content(path, text, owners string) refs.OID {
	p.t.Helper()
	id := oid(p.t, len(p.blobs)+1)
	p.blobs[id] = text
	var b vector.Builder
	for _, who := range owners {
		b.Add(ownerCalled(who), 1)
	}
	if owners != "" {
		p.view.Known.Put(path, id, b.Vector())
	}
	return id
}

func ownerCalled(who rune) vector.Owner {
	if unicode.IsUpper(who) {
		owner := ownerCalled(unicode.ToLower(who))
		owner.Reformatted = true
		return owner
	}
	switch who {
	case 'h':
		return vector.Owner{Kind: events.OwnerHuman, Patch: patchCalled(who)}
	case '?':
		return vector.Unknown
	}
	return vector.Owner{Kind: events.OwnerAI, Patch: patchCalled(who)}
}

func patchCalled(who rune) events.PatchID {
	return events.PatchID(strings.Repeat(fmt.Sprintf("%02x", who), 16))
}

// What the evidence is for a line that a commit added, the content of the commit having been seen.
func TestTheEvidenceForAnAddedLine(t *testing.T) {
	t.Parallel()
	const one, two, three = "the first line\n", "the second line\n", "the third line\n"
	tests := map[string]struct {
		was, wasOwners string
		now, owners    string
		added          []linediff.Range
		want           string
	}{
		"a line of a patch that the parent has nothing of": {
			one, "a", one + two, "ab", ranges(1, 2), "2+1 b exact_blob",
		},
		"the rest of a patch that was committed in part is no other form of it": {
			one, "a", one + two, "aa", ranges(1, 2), "2+1 a exact_blob",
		},
		"a line that the commit took out elsewhere has moved": {
			one + two + three, "aaa", two + three + one, "aaa", ranges(2, 3), "3+1 a moved_lines",
		},
		"a line that stays elsewhere has not moved: this is another one": {
			one + two, "aa", one + two + one, "aaa", ranges(2, 3), "3+1 a exact_blob",
		},
		"its white space changed": {
			one, "a", "\tthe first  line\n", "A", ranges(0, 1), "1+1 a reformatted",
		},
		"one owner, two tiers": {
			one + two, "aa", two + " " + one + three, "aAa", ranges(1, 3), "2+1 a reformatted, 3+1 a exact_blob",
		},
		"a new file": {
			"", "", one + two, "ah", ranges(0, 2), "1+1 a exact_blob, 2+1 h exact_blob",
		},
		"two places, and an owner is listed once": {
			two, "?", one + two + three, "a?a", ranges(0, 1, 2, 3), "1+1 a exact_blob, 3+1 a exact_blob",
		},
		"nobody knows": {
			"", "", one, "?", ranges(0, 1), "1+1 ? exact_blob",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			f := fileDiff{Record: record("a.txt", p.content("a.txt", tt.now, tt.owners)), Patched: Patched{Added: tt.added}}
			if tt.was != "" {
				f.Old = p.content("a.txt", tt.was, tt.wasOwners)
			}
			if err := p.file(f); err != nil {
				t.Fatal(err)
			}
			if got := runsOf(p.part); got != tt.want {
				t.Errorf("runs are %s, want %s", got, tt.want)
			}
		})
	}
}

// runsOf tells the runs of all files.
func runsOf(part events.CommitData) string {
	var out []string
	for _, file := range part.Files {
		for _, run := range file.Runs {
			who := '?'
			for _, letter := range "abch" {
				if part.Owners[run.Owner].Patch == patchCalled(letter) {
					who = letter
				}
			}
			out = append(out, fmt.Sprintf("%d+%d %c %s", run.Start, run.Count, who, run.Tier))
		}
	}
	return strings.Join(out, ", ")
}

// A commit that a hook sees is spread over several events as soon as one has as many owners or runs as fit.
func TestTheAnchorOfALargeCommitIsSpreadOverEvents(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		owners, lines int // of each file: line n is owned by owner n modulo owners
		files         int
		want          []int // files of each event
	}{
		"as many owners as fit end an event":           {maxOwnersPerEvent, maxOwnersPerEvent, 2, []int{1, 1}},
		"one owner less: both files are in one event":  {maxOwnersPerEvent - 1, maxOwnersPerEvent, 2, []int{2}},
		"as many runs as fit end an event":             {2, maxRunsPerEvent, 2, []int{1, 1}},
		"one run less: the second file ends the event": {2, maxRunsPerEvent - 1, 3, []int{2, 1}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			var files []fileDiff
			for n := range tt.files {
				var b vector.Builder
				for i := range tt.lines {
					b.Add(vector.Owner{Kind: events.OwnerAI, Patch: events.PatchID(fmt.Sprintf("%032x", i%tt.owners+1))}, 1)
				}
				f := fileDiff{Record: record(fmt.Sprint("f", n), refs.OID{}), Patched: Patched{Added: ranges(0, tt.lines)}}
				f.New = p.content(f.Path, strings.Repeat("x\n", tt.lines), "")
				p.view.Known.Put(f.Path, f.New, b.Vector())
				files = append(files, f)
			}
			drafts, err := p.anchor(t.Context(), nil, files)
			if err != nil {
				t.Fatal(err)
			}
			var got []int
			for i, d := range drafts {
				var data events.CommitData
				if err := json.Unmarshal(d.Data, &data); err != nil {
					t.Fatal(err)
				}
				got = append(got, len(data.Files))
				if data.Added != tt.files*tt.lines || data.AI != data.Added || data.Part != i || len(tt.want) > 1 && data.Parts != len(tt.want) {
					t.Errorf("event %d says it is part %d of %d with %d lines, %d of agents", i, data.Part, data.Parts, data.Added, data.AI)
				}
				for _, file := range data.Files {
					for _, run := range file.Runs {
						if want := events.PatchID(fmt.Sprintf("%032x", (run.Start-1)%tt.owners+1)); data.Owners[run.Owner].Patch != want {
							t.Fatalf("%s:%d is owned by %s, want %s", file.Path, run.Start, data.Owners[run.Owner].Patch, want)
						}
					}
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("files of the events are %v, want %v", got, tt.want)
			}
		})
	}
}

func TestWhatAnAnchorLeavesOut(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	id := p.content("a", "one\n", "a")
	submodule := record("submodule", id)
	submodule.NewMode = refs.ModeGitlink
	drafts, err := p.anchor(t.Context(), []refs.OID{id}, []fileDiff{
		{Record: record("a", id), Patched: Patched{Added: ranges(0, 1)}}, {Record: record("only removed", id)},
		{Record: submodule, Patched: Patched{Added: ranges(0, 1)}},
	})
	if empty, err := newPlace(t).anchor(t.Context(), nil, nil); err != nil || len(empty) != 1 {
		t.Errorf("a commit without lines has %d events, %v", len(empty), err)
	}
	if err != nil {
		t.Fatal(err)
	}
	var data events.CommitData
	if len(drafts) != 1 {
		t.Fatalf("%d events", len(drafts))
	}
	if err := json.Unmarshal(drafts[0].Data, &data); err != nil {
		t.Fatal(err)
	}
	if len(data.Files) != 1 || data.Files[0].Path != "a" || data.Added != 1 || !slices.Equal(data.Parents, []refs.OID{id}) || data.Parts != 0 {
		t.Errorf("the anchor is %+v", data)
	}
}

// A line that a person put in the place of an agent's names the patch, whoever describes its owner.
func TestAnAnchorNamesWhatALineReplaced(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	person := ownerCalled('h')
	person.Previous = patchCalled('a')
	for range 2 {
		if at := p.owner(person); at != 0 || len(p.part.Owners) != 1 {
			t.Fatalf("owner %d of %d", at, len(p.part.Owners))
		}
	}
	if got := p.part.Owners[0]; got.Kind != events.OwnerHuman || got.Previous != patchCalled('a') || got.Patch != patchCalled('h') {
		t.Errorf("the owner is %+v", got)
	}
	if p.owner(ownerCalled('h')) != 1 {
		t.Error("a line that replaced none has the owner of one that did")
	}
	if at := p.owner(vector.Unknown); p.part.Owners[at].Patch != "" || p.part.Owners[at].Kind != events.OwnerUnknown {
		t.Errorf("nobody is %+v", p.part.Owners[at])
	}
}

// record is a file that had no other name.
func record(path string, id refs.OID) gitdiff.Record {
	return gitdiff.Record{Path: path, OldPath: path, New: id}
}

// What contents tell of a commit that no hook reported is what a hook would have said, however many owners a file
// has.
func TestWhatContentsTellOfAFile(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	now := p.content("a.txt", "the first line\nthe second line\n", "ah")
	change := FileChange{Path: "a.txt", OldPath: "a.txt", New: now, Old: []refs.OID{{}}}
	found, err := change.Explain(p.view, ranges(1, 2))
	if err != nil || len(found.Open) != 0 || len(found.File.Runs) != 1 || found.File.Runs[0].Start != 2 || found.File.Blob != now ||
		found.Owners[found.File.Runs[0].Owner].Kind != events.OwnerHuman {
		t.Errorf("of a person's line: %+v, %v", found, err)
	}
	var b vector.Builder
	lines := maxOwnersPerEvent + 100
	for i := range lines {
		b.Add(vector.Owner{Kind: events.OwnerAI, Patch: events.PatchID(fmt.Sprintf("%032x", i+1))}, 1)
	}
	change.New = p.content("a.txt", strings.Repeat("x\n", lines), "")
	p.view.Known.Put("a.txt", change.New, b.Vector())
	found, err = change.Explain(p.view, ranges(0, lines))
	if err != nil || len(found.File.Runs) != lines || len(found.Owners) != lines {
		t.Fatalf("%d runs of %d owners, %v", len(found.File.Runs), len(found.Owners), err)
	}
	for i, run := range found.File.Runs {
		if patch := found.Owners[run.Owner].Patch; patch != events.PatchID(fmt.Sprintf("%032x", i+1)) {
			t.Fatalf("line %d is of patch %s", i+1, patch)
		}
	}
	change.Old = []refs.OID{oid(t, 77)}
	p.view.Objects = (&refs.Repo{CommonDir: t.TempDir()}).Objects()
	defer p.view.Objects.Close()
	if _, err := change.Explain(p.view, ranges(0, 1)); err == nil {
		t.Error("the parent's content is missing, and nothing is said")
	}
}
