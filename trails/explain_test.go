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
	restored := func(sc *scene) { sc.step.tree.asks.Whole.Restored = true }
	doubtful := func(sc *scene) { sc.step.tree.asks.Whole.Restored, sc.step.tree.asks.Whole.Doubtful = true, true }
	tests := map[string]struct {
		new   string // "-" if the file is gone
		known bool   // the path had the content before
		did   func(sc *scene)
		path  string // of the file, a.txt if empty
		old   string
		want  bool
	}{
		"a content that a tool announced": {new: "announced\n", did: func(sc *scene) {
			sc.step.tree.state.Notes.Expected = map[string]refs.OID{"a.txt": sc.text("announced", "announced\n").OID}
		}, want: true},
		"another content than the announced one": {new: "other\n", did: func(sc *scene) {
			sc.step.tree.state.Notes.Expected = map[string]refs.OID{"a.txt": sc.text("announced", "announced\n").OID}
		}},
		"an announced content of another path": {new: "announced\n", did: func(sc *scene) {
			sc.step.tree.state.Notes.Expected = map[string]refs.OID{"b.txt": sc.text("announced", "announced\n").OID}
		}},
		"git wrote: a content that the path had":             {new: past, known: true, did: restored, want: true},
		"git wrote: a content that the path never had":       {new: past, did: restored},
		"git did not write: a content that the path had":     {new: past, known: true, want: true},
		"git may have applied a stash: what the path had":    {new: past, known: true, did: doubtful, want: true},
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
				f.new.Whole = true
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
			rest, _, err := sc.weighs().explain([]*file{f})
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
	sc.step.tree.state.Notes.Expected = map[string]refs.OID{"a.txt": content.OID}
	f := sc.change("a.txt", sc.text("old", "old\n"), content)
	for i, want := range []int{0, 1} {
		rest, _, err := sc.weighs().explain([]*file{f})
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
	sc.step.tree.asks.Whole.Restored = true
	if explained, err := sc.step.tree.origins.explained(f, false); err != nil || explained {
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

// A line that one source has byte for byte is that one's, though the content before it has it in other signs. Of a
// source whose owners nobody knows this says nothing.
func TestALineWithItsOwnSignsIsNotThatInOtherSigns(t *testing.T) {
	t.Parallel()
	agent := vector.Owner{Kind: events.OwnerAI, Patch: events.PatchID(strings.Repeat("a", 32))}
	person := vector.Owner{Kind: events.OwnerHuman}
	for known, want := range map[bool]vector.Owner{true: person, false: agent} {
		sc := newScene(t)
		f := sc.change("a.txt", sc.text("old", "alpha one\n\tend\n"), sc.text("new", "alpha one\nbeta two\nend\n"))
		f.vec = vector.Uniform(2, agent)
		f.from = []vector.Origin{{Start: 1, Count: 2, Why: vector.Equal, Owner: person, Same: known}}
		change := vector.Compare(vector.Content{Lines: f.old.Lines, Owners: f.vec}, f.new.Lines)
		part := &part{file: f, seg: segment{from: f.old, to: f.new, decide: always(nobody)}, change: change}
		if got := sc.weighs().weighPart(part).result.Vector.At(2); got.Kind != want.Kind {
			t.Errorf("owners known %v: the line is %v's, want %v", known, got, want)
		}
	}
}
