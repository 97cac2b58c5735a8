package origin

import (
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/vector"
)

// told is what is known of contents, as a test says it.
type told struct {
	texts map[refs.OID]Text
	known map[string]map[refs.OID]vector.Vector
	asked int
}

func newTold() *told {
	return &told{texts: map[refs.OID]Text{}, known: map[string]map[refs.OID]vector.Vector{}}
}

func (t *told) Get(path string, blob refs.OID) (vector.Vector, bool) {
	v, found := t.known[path][blob]
	return v, found
}

func (t *told) Text(blob refs.OID) (Text, error) {
	t.asked++
	if text, found := t.texts[blob]; found {
		return text, nil
	}
	return Text{OID: blob, Whole: !blob.IsZero()}, nil // what is not there is empty, what is gone is whole
}

// bare is a content that is there and of which nothing is known.
func (t *told) bare(text string) refs.OID {
	oid := refs.SHA1.Hash(refs.BlobObject, []byte(text))
	t.texts[oid] = Text{OID: oid, Lines: linediff.Split([]byte(text))}
	return oid
}

// owned is a content of a.txt that all belongs to one owner.
func (t *told) owned(owner, text string) refs.OID {
	oid := t.bare(text)
	if t.known["a.txt"] == nil {
		t.known["a.txt"] = map[refs.OID]vector.Vector{}
	}
	t.known["a.txt"][oid] = vector.Uniform(len(t.texts[oid].Lines), ownerCalled(owner))
	return oid
}

func ownerCalled(name string) vector.Owner {
	switch name {
	case "human":
		return vector.Owner{Kind: events.OwnerHuman}
	case "unknown":
		return vector.Unknown
	}
	return vector.Owner{Kind: events.OwnerAI, Patch: events.PatchID(name)}
}

func TestEveryLineBelongsToWhomItBelongsToInItsCandidate(t *testing.T) {
	t.Parallel()
	const mine, yours = "the first of my lines\nthe second of my lines\n", "the first of your lines\nthe second of your lines\n"
	tests := map[string]struct {
		text string
		list func(w *told) []Candidate
		want string
	}{
		"nothing is known": {text: mine, list: func(*told) []Candidate { return nil }, want: "- -"},
		"each from its own": {text: "the first of my lines\nthe second of your lines\n", list: func(w *told) []Candidate {
			return []Candidate{{Path: "a.txt", Blob: w.owned("a", mine)}, {Path: "a.txt", Blob: w.owned("b", yours)}}
		}, want: "a b"},
		"the first of two counts": {text: mine, list: func(w *told) []Candidate {
			more := w.owned("b", mine+"and more\n")
			return []Candidate{{Path: "a.txt", Blob: w.owned("a", mine)}, {Path: "a.txt", Blob: more}}
		}, want: "a a"},
		"what something is known of counts before what is only there": {text: mine, list: func(w *told) []Candidate {
			bare := w.bare(mine + "and more\n")
			return []Candidate{{Path: "a.txt", Blob: bare}, {Path: "a.txt", Blob: w.owned("a", mine)}}
		}, want: "a a"},
		"that nobody knows is something known": {text: mine, list: func(w *told) []Candidate {
			nobodys := w.owned("unknown", mine)
			return []Candidate{{Path: "a.txt", Blob: nobodys}, {Path: "a.txt", Blob: w.owned("b", mine+"and more\n")}}
		}, want: "unknown unknown"},
		"an owner of another name is not this name's": {text: mine, list: func(w *told) []Candidate {
			return []Candidate{{Path: "b.txt", Blob: w.owned("a", mine)}}
		}, want: "unknown unknown"},
		"no content is no candidate": {text: mine, list: func(*told) []Candidate { return []Candidate{{Path: "a.txt"}} }, want: "- -"},
		"a content that is gone says nothing": {text: mine, list: func(*told) []Candidate {
			return []Candidate{{Path: "a.txt", Blob: refs.SHA1.Hash(refs.BlobObject, []byte("gone"))}}
		}, want: "- -"},
		"an earlier one is asked for what is missing": {text: mine, list: func(w *told) []Candidate {
			early := w.owned("b", mine)
			return []Candidate{
				{Path: "a.txt", Blob: early, Kind: Earlier, Trust: Faint},
				{Path: "a.txt", Blob: w.owned("a", "the first of my lines\n")},
			}
		}, want: "a b"},
		"a brace proves nothing far away": {text: "}\n", list: func(w *told) []Candidate {
			return []Candidate{{Path: "a.txt", Blob: w.owned("a", "if so {\n}\n"), Trust: Far}}
		}, want: "-"},
		"a brace is what it was nearby": {text: "}\n", list: func(w *told) []Candidate {
			return []Candidate{{Path: "a.txt", Blob: w.owned("a", "if so {\n}\n")}}
		}, want: "a"},
		"a row that was told before proves nothing for a faint one": {text: "the first of my lines\n}\n", list: func(w *told) []Candidate {
			near, faint := w.owned("a", "the first of my lines\n"), w.owned("b", "the first of my lines\n}\n")
			return []Candidate{{Path: "a.txt", Blob: near}, {Path: "a.txt", Blob: faint, Trust: Faint}}
		}, want: "a -"},
		"it proves something for a far one": {text: "the first of my lines\n}\n", list: func(w *told) []Candidate {
			near, far := w.owned("a", "the first of my lines\n"), w.owned("b", "the first of my lines\n}\n")
			return []Candidate{{Path: "a.txt", Blob: near}, {Path: "a.txt", Blob: far, Trust: Far}}
		}, want: "a b"},
		"a staged one tells a brace between its neighbours": {text: "the first of my lines\n}\nthe second of my lines\n", list: func(w *told) []Candidate {
			near, staged := w.owned("a", mine), w.owned("b", "the first of my lines\n}\nthe second of my lines\nmore\n")
			return []Candidate{{Path: "a.txt", Blob: near}, {Path: "a.txt", Blob: staged, Kind: Staged}}
		}, want: "a b a"},
		"a staged one that nothing is known of tells nothing": {text: "the first of my lines\n}\nthe second of my lines\n", list: func(w *told) []Candidate {
			near, staged := w.owned("a", mine), w.bare("the first of my lines\n}\nthe second of my lines\nmore\n")
			return []Candidate{{Path: "a.txt", Blob: near}, {Path: "a.txt", Blob: staged, Kind: Staged}}
		}, want: "a - a"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTold()
			list := tt.list(w)
			got, err := Explain(linediff.Split([]byte(tt.text)), list, w)
			if err != nil {
				t.Fatal(err)
			}
			if owners := ownersOf(got); owners != tt.want {
				t.Errorf("owners are %s, want %s", owners, tt.want)
			}
		})
	}
}

// A path may have had thousands of contents: they are read as long as lines are missing.
func TestEarlierContentsAreReadAsLongAsLinesAreMissing(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]int{"the first has all": 0, "the tenth has": 9, "none has": -1} {
		w := newTold()
		text := "a line that one of them has\n"
		var list []Candidate
		for i := range 30 {
			oid := w.owned("a", strings.Repeat("other\n", i+1))
			if i == at {
				oid = w.owned("b", text)
			}
			list = append(list, Candidate{Path: "a.txt", Blob: oid, Kind: Earlier, Trust: Faint})
		}
		if _, err := Explain(linediff.Split([]byte(text)), list, w); err != nil {
			t.Fatal(err)
		}
		want := map[int]int{0: chunk, 9: 2 * chunk, -1: len(list)}[at]
		if w.asked != want {
			t.Errorf("%s: %d contents were read, want %d", name, w.asked, want)
		}
	}
}
