package numbers

import (
	"fmt"
	"strings"
)

// Owned holds figures of lines by owner. As in documents, Unknown includes the lines older than the recording.
type Owned struct{ AI, Human, Unknown, Older int }

// Part holds the lines of one kind of owner.
type Part struct {
	Kind  string // ai, human, older, unknown: each owner has one
	Word  string // for people: agents, people, older, unknown
	Lines int
}

// Parts returns the lines by kind. They add up to all lines. Older lines have a part only if there are some; then
// unknown lines also have one only if there are some.
func (o Owned) Parts() []Part {
	out := []Part{{"ai", "agents", o.AI}, {"human", "people", o.Human}}
	if o.Older > 0 {
		out = append(out, Part{"older", "older", o.Older})
	}
	if unknown := o.Unknown - o.Older; unknown > 0 || o.Older == 0 {
		out = append(out, Part{"unknown", "unknown", unknown})
	}
	return out
}

// By returns the lines by parts that a whole has: a column for each.
func (o Owned) By(parts []Part) []int {
	of := map[string]int{"ai": o.AI, "human": o.Human, "older": o.Older, "unknown": o.Unknown - o.Older}
	out := make([]int, len(parts))
	for i, p := range parts {
		out[i] = of[p.Kind]
	}
	return out
}

// Plus adds the lines of another.
func (o Owned) Plus(a Owned) Owned {
	return Owned{o.AI + a.AI, o.Human + a.Human, o.Unknown + a.Unknown, o.Older + a.Older}
}

// Sum returns the number of all lines.
func (o Owned) Sum() int { return o.AI + o.Human + o.Unknown }

// Lines returns the lines of the parts.
func (o Owned) Lines() []int {
	var out []int
	for _, p := range o.Parts() {
		out = append(out, p.Lines)
	}
	return out
}

// String lists the parts: "3 by agents, 1 by people, 2 older, 0 unknown".
func (o Owned) String() string {
	var out []string
	for _, p := range o.Parts() {
		out = append(out, fmt.Sprintf("%d %s", p.Lines, p.Phrase()))
	}
	return strings.Join(out, ", ")
}

// Phrase returns the word after a number of lines: by agents, by people, older, unknown.
func (p Part) Phrase() string {
	if p.Kind == "ai" || p.Kind == "human" {
		return "by " + p.Word
	}
	return p.Word
}

// Share is a part with its percentage.
type Share struct {
	Part
	Percent string
}

// Shares returns the parts with percentages that add up to 100; none for no lines.
func (o Owned) Shares() []Share {
	if o.Sum() == 0 {
		return nil
	}
	var out []Share
	percents := Percents(o.Lines(), o.Sum())
	for i, p := range o.Parts() {
		out = append(out, Share{p, strings.TrimSpace(percents[i])})
	}
	return out
}
