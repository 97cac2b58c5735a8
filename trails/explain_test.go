package trails

import (
	"fmt"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/vector"
)

// Which changes need no owner of their own: HEAD has "head", the work tree had "old".
func TestWhatGitOrAToolExplains(t *testing.T) {
	t.Parallel()
	const (
		head = "one\ntwo\n"
		old  = "one\ntwo\nthree\n"
		past = "zero\none\n"
	)
	restored := func(sc *scene) { sc.step.git.restored = true }
	doubtful := func(sc *scene) { sc.step.git.restored, sc.step.git.doubtful = true, true }
	tests := map[string]struct {
		new   string // "-" if the file is gone
		known bool   // the path had the content before
		did   func(sc *scene)
		path  string // of the file, a.txt if empty
		old   string
		want  bool
	}{
		"a content that a tool announced": {new: "announced\n", did: func(sc *scene) {
			sc.state.Expected = map[string]refs.OID{"a.txt": sc.text("announced", "announced\n").oid}
		}, want: true},
		"another content than the announced one": {new: "other\n", did: func(sc *scene) {
			sc.state.Expected = map[string]refs.OID{"a.txt": sc.text("announced", "announced\n").oid}
		}},
		"an announced content of another path": {new: "announced\n", did: func(sc *scene) {
			sc.state.Expected = map[string]refs.OID{"b.txt": sc.text("announced", "announced\n").oid}
		}},
		"git wrote: a content that the path had":             {new: past, known: true, did: restored, want: true},
		"git wrote: a content that the path never had":       {new: past, did: restored},
		"git did not write: a content that the path had":     {new: past, known: true},
		"git may have applied a stash: what the path had":    {new: past, known: true, did: doubtful},
		"git may have applied a stash: what HEAD has":        {new: head, known: true, did: doubtful, want: true},
		"git did not write: what HEAD has, and was seen":     {new: head, known: true, want: true},
		"git did not write: what HEAD has, and was not seen": {new: head},
		"git wrote: what HEAD has, though never seen":        {new: head, did: restored, want: true},
		"git wrote: it deletes what HEAD does not have":      {new: "-", path: "b.txt", did: restored, want: true},
		"git wrote: what HEAD has was deleted":               {new: "-", did: restored},
		"git did not write: what HEAD does not have is gone": {new: "-", path: "b.txt"},
		"git wrote: a binary file as HEAD has it":            {new: "\x00bin", path: "bin", did: restored, want: true},
		"git wrote: a binary file that HEAD does not have":   {new: "\x00other", path: "bin", did: restored},
		"git wrote: text where HEAD has a binary file":       {new: "text\n", old: "\x00old", path: "bin", did: restored},
		"git wrote: HEAD's text over a binary file":          {new: head, old: "\x00old", did: restored, want: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sc := newScene(t)
			sc.work("a.txt", head)
			sc.work("bin", "\x00bin")
			sc.commit()
			path, was := tt.path, tt.old
			if path == "" {
				path = "a.txt"
			}
			if was == "" {
				was = old
			}
			f := sc.change(path, sc.text("old", was), text{})
			if tt.new == "-" {
				f.new.whole = true
			} else {
				f.new = sc.text("new", tt.new)
				sc.work(path, tt.new)
			}
			if tt.known {
				sc.knows(path, f.new, vector.Owner{Kind: events.OwnerHuman})
			}
			if tt.did != nil {
				tt.did(sc)
			}
			rest, err := sc.explain([]*file{f})
			if err != nil {
				t.Fatal(err)
			}
			if got := len(rest) == 0; got != tt.want {
				t.Errorf("explained: %v, want %v", got, tt.want)
			}
		})
	}
}

func TestAnAnnouncedContentIsExpectedOnce(t *testing.T) {
	t.Parallel()
	sc := newScene(t)
	sc.commit()
	content := sc.text("new", "announced\n")
	sc.state.Expected = map[string]refs.OID{"a.txt": content.oid}
	f := sc.change("a.txt", sc.text("old", "old\n"), content)
	for i, want := range []int{0, 1} {
		rest, err := sc.explain([]*file{f})
		if err != nil {
			t.Fatal(err)
		}
		if len(rest) != want {
			t.Errorf("time %d: %d changes are left, want %d", i+1, len(rest), want)
		}
	}
}

// What git puts together of several contents has their owners, line by line; what none has is a change like any other.
func TestWhatGitPutTogetherKeepsTheOwnersOfItsLines(t *testing.T) {
	t.Parallel()
	agent := vector.Owner{Kind: events.OwnerAI, Patch: events.PatchID(strings.Repeat("a", 32))}
	person := vector.Owner{Kind: events.OwnerHuman}
	sc := newScene(t)
	sc.work("a.txt", "alpha one\nbeta two\n")
	sc.commit()
	past := sc.text("past", "agent writes this\nagent writes that\n")
	sc.knows("a.txt", past, agent)
	f := sc.change("a.txt", sc.text("old", "alpha one\nbeta two\n"), sc.text("new", "alpha one\nagent writes this\nbeta two\nnobody knows this\n"))
	sc.knows("a.txt", f.old, person)
	f.vec = vector.Uniform(2, person)
	sc.step.git.restored = true
	if explained, err := sc.explained(f); err != nil || explained {
		t.Fatalf("explained %v, %v", explained, err)
	}
	var got []string
	for _, o := range f.from {
		for range o.Count {
			owner := "nobody"
			switch {
			case o.Source >= 0 && o.Owner == agent:
				owner = "agent"
			case o.Source >= 0 && o.Owner == person:
				owner = "person"
			case o.Source >= 0:
				owner = fmt.Sprint(o.Owner)
			}
			got = append(got, owner)
		}
	}
	if want := "person agent person nobody"; strings.Join(got, " ") != want {
		t.Errorf("owners are %v, want %s", got, want)
	}
}

func TestConflictMarkersAreNobodys(t *testing.T) {
	t.Parallel()
	lines := func(text string) [][]byte { return newText(refs.OID{}, []byte(text)).lines }
	conflict := "kept\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> topic\n"
	tests := map[string]struct {
		text string
		from []vector.Origin
		want string // for each line: the source, or m for a marker
	}{
		"around the sides of a conflict":                {conflict, []vector.Origin{{Start: 0, Count: 1, Source: 2}, {Start: 1, Count: 5, Source: -1}}, "2 m -1 m -1 m"},
		"a marker that a source has is its own":         {conflict, []vector.Origin{{Start: 0, Count: 6, Source: 1}}, "1 1 1 1 1 1"},
		"without a beginning there is no conflict":      {"=======\ntheirs\n>>>>>>> topic\n", []vector.Origin{{Start: 0, Count: 3, Source: -1}}, "-1 -1 -1"},
		"a beginning needs the space after seven signs": {"<<<<<<<\nours\n=======\n", []vector.Origin{{Start: 0, Count: 3, Source: -1}}, "-1 -1 -1"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			at := 0
			for _, o := range markers(lines(tt.text), tt.from) {
				if o.Start != at {
					t.Errorf("run begins at %d, want %d", o.Start, at)
				}
				at += o.Count
				for range o.Count {
					if o.Source == 0 && o.Owner == vector.Unknown {
						got = append(got, "m")
					} else {
						got = append(got, fmt.Sprint(o.Source))
					}
				}
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("sources are %v, want %s", got, tt.want)
			}
		})
	}
}

func TestWhichContentIsNearer(t *testing.T) {
	t.Parallel()
	lines := func(text string) [][]byte { return newText(refs.OID{}, []byte(text)).lines }
	tests := map[string]struct {
		text, a, b string
		want       bool
	}{
		"a alone is equal":                    {"one\ntwo\n", "one\ntwo\n", "one\n", true},
		"b alone is equal":                    {"one\ntwo\n", "one\n", "one\ntwo\n", false},
		"it is all the same: a":               {"one\n", "x\n", "y\n", true},
		"the longer line weighs more":         {"a long line\nx\n", "a long line\n", "x\n", true},
		"two short lines, one long one":       {"1\n2\nlonger\n", "1\n2\n", "longer\n", false},
		"an empty line counts one":            {"one\n\n", "one\n", "one\n\n", false},
		"white space does not count":          {"o n e\n", "one\n", "o n e\n", true},
		"what has to go counts as what comes": {"one\n", "one\nlonger line\n", "one\nx\n", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := nearer(lines(tt.text), lines(tt.a), lines(tt.b)); got != tt.want {
				t.Errorf("a is nearer: %v, want %v", got, tt.want)
			}
		})
	}
}
