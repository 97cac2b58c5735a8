package numbers

import (
	"fmt"
	"strings"
)

// Owned holds numbers of lines by owner. As in the documentation, Unknown includes Older.
type Owned struct{ AI, Human, Unknown, Older int }

// Part is the lines of one kind of owner.
type Part struct {
	Kind  string // ai, human, older, unknown; each kind has one part
	Word  string // word for people: agents, people, older, unknown
	Lines int
}

// Parts returns the lines by kind. The parts add up to all lines. There is an older part only if it has lines. In that
// case the unknown part, too, exists only if it has lines.
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

// `By` returns the number of lines for each of the given parts, one for each column.
func (o Owned) By(parts []Part) []int {
	of := map[string]int{"ai": o.AI, "human": o.Human, "older": o.Older, "unknown": o.Unknown - o.Older}
	out := make([]int, len(parts))
	for i, p := range parts {
		out[i] = of[p.Kind]
	}
	return out
}

// Plus adds other figures.
func (o Owned) Plus(a Owned) Owned {
	return Owned{o.AI + a.AI, o.Human + a.Human, o.Unknown + a.Unknown, o.Older + a.Older}
}

// Sum returns the number of all lines.
func (o Owned) Sum() int { return o.AI + o.Human + o.Unknown }

// Lines returns the number of lines of each part.
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

// Phrase returns the words after a number of lines: by agents, by people, older, unknown.
func (p Part) Phrase() string {
	if p.Kind == "ai" || p.Kind == "human" {
		return "by " + p.Word
	}
	return p.Word
}

// Share is a part and its percentage.
type Share struct {
	Part
	Percent string
}

// Shares returns the parts with percentages that add up to 100; nothing if there are no lines.
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
