package origin

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/vector"
)

// The rules of lines that were copied, and of lines between others, once more and as slowly as they can be written
// down. Random contents tell whether both say the same.

type maker struct{ *rand.Rand }

func rounds(t *testing.T, n uint64, test func(m maker) string) {
	t.Helper()
	for seed := range n {
		if wrong := test(maker{rand.New(rand.NewPCG(seed, 12))}); wrong != "" {
			t.Fatalf("seed %d: %s", seed, wrong)
		}
	}
}

// Lines that speak for themselves, have one letter less, or say nothing.
var someLines = []string{"", "}", "return", "elevenchars", "twelve_chars", "first of lines", "second of the lines", "last of them all"}

func (m maker) lines(most int) [][]byte {
	var out [][]byte
	for range m.IntN(most + 1) {
		out = append(out, []byte(someLines[m.IntN(len(someLines))]))
	}
	return out
}

// like is a content that has most of another one's lines.
func (m maker) like(lines [][]byte) [][]byte {
	var out [][]byte
	for _, l := range lines {
		switch m.IntN(5) {
		case 0:
			out = append(out, m.lines(2)...)
		case 1:
			out = append(append(out, l), m.lines(2)...)
		default:
			out = append(out, l)
		}
	}
	return out
}

func (m maker) content(lines [][]byte) vector.Content {
	var b vector.Builder
	for range lines {
		b.Add([]vector.Owner{{Kind: events.OwnerHuman}, {Kind: events.OwnerAI, Patch: "a"}, {Kind: events.OwnerAI, Patch: "b"}}[m.IntN(3)], 1)
	}
	return vector.Content{Lines: lines, Owners: b.Vector()}
}

func keyOf(line []byte) string { return string(linediff.StripSpace(line)) }

func speaks(line []byte) bool { return len(keyOf(line)) >= 12 }

// A stash took what is new if it has each new line between the same neighbours.
func TestWhatAStashTookIsThatOfTheRule(t *testing.T) {
	t.Parallel()
	rounds(t, 6000, func(m maker) string {
		base := m.lines(4)
		content := m.like(base)
		stash := m.like(content)
		if m.IntN(2) == 0 {
			stash = append(m.lines(1), append(slices.Clone(content), m.lines(1)...)...)
		}
		where := map[int]int{-1: -1, len(content): len(stash)}
		for at, from := range linediff.Lineage(content, stash) {
			if from >= 0 {
				where[from] = at
			}
		}
		want, news := true, 0
		for i, from := range linediff.Lineage(base, content) {
			if from < 0 {
				news++
				for _, near := range []int{i - 1, i, i + 1} {
					at, there := where[near]
					want = want && there && at-where[i] == near-i
				}
			}
		}
		if want = want && news > 0; tookAll(base, content, stash) != want {
			return fmt.Sprintf("%q, %q, %q: %v", base, content, stash, !want)
		}
		return ""
	})
}

// A line of the index is that between the same neighbours.
func TestLinesBetweenOthersAreThoseOfTheRule(t *testing.T) {
	t.Parallel()
	rounds(t, 12000, func(m maker) string {
		lines := m.lines(7)
		content := m.content(m.like(lines))
		var runs []vector.Origin
		for i, l := range lines {
			o := vector.Origin{Start: i, Count: 1, Source: -1, Owner: vector.Unknown}
			if speaks(l) && m.IntN(8) > 0 || m.IntN(4) == 0 {
				o.Source, o.Owner = 3, vector.Owner{Kind: events.OwnerMixed}
			}
			runs = append(runs, o)
		}
		want := slices.Clone(runs)
		for i := range want {
			if want[i].Source >= 0 {
				continue
			}
			first, last := i-1, i+1
			for first > 0 && !speaks(lines[first]) {
				first--
			}
			for last < len(lines)-1 && !speaks(lines[last]) {
				last++
			}
			if first < 0 || last >= len(lines) || want[first].Source < 0 || want[last].Source < 0 {
				continue
			}
			row := shownRow(lines[first : last+1])
			var at []int
			for k := range len(content.Lines) - (last - first) {
				begins, ends := k == 0, k+last-first == len(content.Lines)-1
				if shownRow(content.Lines[k:k+last-first+1]) == row && (begins || speaks(lines[first])) && (ends || speaks(lines[last])) {
					at = append(at, k)
				}
			}
			for k := i; k < last && len(at) == 1; k++ {
				if want[k].Source < 0 {
					want[k] = vector.Origin{Start: k, Count: 1, Source: 0, Why: vector.Equal, Owner: content.Owners.At(at[0] + k - first)}
				}
			}
		}
		got := slices.Clone(runs)
		fill(got, linediff.Keys(lines), content)
		if !slices.Equal(got, want) {
			return fmt.Sprintf("%q among %q: %v, want %v", lines, content.Lines, got, want)
		}
		return ""
	})
}

func shownRow(lines [][]byte) string {
	return strings.Join(slices.Collect(func(yield func(string) bool) {
		for _, l := range lines {
			if !yield(keyOf(l)) {
				return
			}
		}
	}), "\n")
}

// A line that no source has at its place may have been copied.
func TestCopiedLinesAreThoseOfTheRule(t *testing.T) {
	t.Parallel()
	rounds(t, 8000, func(m maker) string {
		lines := m.lines(9)
		var sources []vector.Content
		for range 1 + m.IntN(3) {
			s := m.content(m.like(m.lines(6)))
			if m.IntN(2) == 0 {
				s = m.content(m.like(lines))
			}
			s.Far = m.IntN(2) == 0
			s.Faint = s.Far && m.IntN(3) == 0
			if m.IntN(20) == 0 { // so many lines that two of it are too far apart
				s = m.content(slices.Concat(s.Lines, m.lines(3), slices.Repeat([][]byte{[]byte("x")}, 4+m.IntN(4)), s.Lines))
			}
			sources = append(sources, s)
		}
		known := m.IntN(len(sources) + 1)
		found := vector.Origins(lines, sources)
		want := copiedByTheRule(lines, found, sources, known)
		if got := singles(copies(lines, found, sources, known)); !slices.Equal(got, want) {
			var texts []string
			for _, s := range sources {
				texts = append(texts, fmt.Sprintf("%q %v %v %v", s.Lines, s.Owners, s.Far, s.Faint))
			}
			return fmt.Sprintf("%q of %v, %d known: %v, want %v", lines, texts, known, got, want)
		}
		return ""
	})
}

func copiedByTheRule(lines [][]byte, found []vector.Origin, sources []vector.Content, known int) []vector.Origin {
	out := singles(found)
	from := map[int][]place{}
	has := func(p place, line int) bool {
		all := sources[p.source].Lines
		return p.line >= 0 && p.line < len(all) && keyOf(all[p.line]) == keyOf(lines[line])
	}
	everywhere := func(line int) (all []place) {
		for s := range sources {
			for n := range sources[s].Lines {
				if has(place{s, n}, line) {
					all = append(all, place{s, n})
				}
			}
		}
		return all
	}
	give := func(line int, places []place) {
		owners := map[string]bool{}
		for i, p := range places {
			if o := sources[p.source].Owners.At(p.line); i == 0 || p.source < known {
				owners[string(o.Kind)+string(o.Patch)] = true
			}
		}
		if out[line].Source < 0 && len(owners) == 1 {
			from[line] = places
			p := places[0]
			out[line].Source, out[line].Why, out[line].Owner = p.source, vector.Moved, sources[p.source].Owners.At(p.line)
		}
	}
	stays := func(line []byte) bool {
		return speaks(line) && slices.ContainsFunc(lines, func(l []byte) bool { return keyOf(l) == keyOf(line) })
	}
	near := func(line, step int, from []place) (all []place) {
		for _, p := range from {
			for k := 1; k <= 8; k++ {
				at := place{p.source, p.line + k*step}
				if has(at, line) {
					all = append(all, at)
				}
				if all := sources[p.source].Lines; has(at, line) || at.line < 0 || at.line >= len(all) || stays(all[at.line]) {
					break
				}
			}
		}
		return all
	}
	beside := func(line, next int) []place { return near(line, line-next, from[next]) }
	for i, l := range lines {
		if speaks(l) {
			give(i, everywhere(i))
		}
	}
	for i, l := range lines {
		if !speaks(l) && i > 0 {
			give(i, beside(i, i-1))
		}
	}
	for i, l := range slices.Backward(lines) {
		if !speaks(l) {
			give(i, beside(i, i+1))
		}
	}
	taken := func(i int) bool {
		if i < 0 || i == len(out) {
			return false
		}
		o := out[i]
		return len(from[i]) > 0 || o.Source >= 0 && o.Why == vector.Equal && sources[o.Source].Far && !sources[o.Source].Faint
	}
	places := func(i int) (edges []place) {
		for s := range sources {
			switch {
			case !sources[s].Far:
			case i < 0:
				edges = append(edges, place{s, -1})
			default:
				edges = append(edges, place{s, len(sources[s].Lines)})
			}
		}
		switch {
		case i < 0 || i == len(lines):
			return edges
		case speaks(lines[i]):
			return everywhere(i)
		case len(from[i]) > 0:
			return from[i]
		case taken(i):
			return []place{{out[i].Source, linediff.Lineage(sources[out[i].Source].Lines, lines)[i]}}
		}
		return nil
	}
	for i, l := range lines {
		above, below := i-1, i+1
		for above >= 0 && out[above].Source < 0 && !speaks(lines[above]) {
			above--
		}
		for below < len(lines) && out[below].Source < 0 && !speaks(lines[below]) {
			below++
		}
		if speaks(l) || !taken(above) && !taken(below) {
			continue
		}
		var all []place
		apart := len(places(above)) > 0 && len(places(below)) > 0
		for _, a := range places(above) {
			for _, b := range places(below) {
				apart = apart && (a.source != b.source || b.line-a.line > 8 || b.line < a.line)
				for n := a.line + 1; a.source == b.source && n < b.line && b.line-a.line <= 8; n++ {
					if has(place{a.source, n}, i) {
						all = append(all, place{a.source, n})
					}
				}
			}
		}
		if apart {
			all = slices.Concat(near(i, 1, places(above)), near(i, -1, places(below)))
		}
		give(i, all)
	}
	return out
}

// A commit of more paths than that is not compared with what was there before: each comparison asks git.
func TestACommitOfManyPathsIsNotARepeat(t *testing.T) {
	t.Parallel()
	if (&Case{Anchored: Anchored{Paths: make([]string, maxRepeated+1)}}).mayRepeat() {
		t.Errorf("%d paths are compared", maxRepeated+1)
	}
}
