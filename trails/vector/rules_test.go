package vector

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/trails/linediff"
)

// The rules of testdata/vectors/ownership/README.md once more, as slowly as they can be written down. Random texts tell
// whether both say the same.

// maker makes texts of a few lines that come again and again.
type maker struct {
	*rand.Rand
	pool []string
}

// rounds calls a test with makers that differ.
func rounds(t *testing.T, n uint64, pool []string, test func(m *maker) string) {
	t.Helper()
	for seed := range n {
		if wrong := test(&maker{rand.New(rand.NewPCG(seed, 11)), pool}); wrong != "" {
			t.Fatalf("seed %d: %s", seed, wrong)
		}
	}
}

func (m *maker) lines(most int) [][]byte {
	var out [][]byte
	for range m.IntN(most + 1) {
		out = append(out, []byte(m.pool[m.IntN(len(m.pool))]))
	}
	return out
}

// edit changes a text at some places: lines go, come, are moved, are indented.
func (m *maker) edit(lines [][]byte) [][]byte {
	out := slices.Clone(lines)
	for range 1 + m.IntN(4) {
		from := m.IntN(len(out) + 1)
		to := from + m.IntN(min(6, len(out)-from)+1)
		block := slices.Clone(out[from:to])
		switch m.IntN(5) {
		case 0:
			out = slices.Delete(out, from, to)
		case 1:
			out = slices.Insert(out, from, m.lines(4)...)
		case 2:
			out = slices.Delete(out, from, to)
			out = slices.Insert(out, m.IntN(len(out)+1), block...)
		case 3:
			for i := range block {
				out[from+i] = append([]byte("\t"), block[i]...)
			}
		case 4:
			out = slices.Replace(out, from, to, m.lines(6)...)
		}
	}
	return out
}

func (m *maker) owners(n int) Vector {
	var b Builder
	for b.Len() < n {
		owner := Owner{Kind: []events.OwnerKind{events.OwnerAI, events.OwnerHuman, events.OwnerUnknown}[m.IntN(3)]}
		if owner.Kind != events.OwnerUnknown {
			owner.Patch = events.PatchID(fmt.Sprint("p", m.IntN(3)))
		}
		if owner.Kind == events.OwnerHuman && m.IntN(2) == 0 {
			owner.Previous = "p9"
		}
		b.Add(owner, 1+m.IntN(min(3, n-b.Len())))
	}
	return b.Vector()
}

func (m *maker) content(most int) Content {
	lines := m.lines(most)
	return Content{Lines: lines, Owners: m.owners(len(lines))}
}

func shown(lines [][]byte) string { return fmt.Sprintf("%q", lines) }

func keyAt(lines [][]byte, i int) string {
	if i < 0 || i >= len(lines) {
		return "\x00"
	}
	return string(linediff.StripSpace(lines[i]))
}

// Rule 1. A hunk that only deletes stands where most of its ends lie between two owners, the nearest of equals.
func TestWhereADeletionStands(t *testing.T) {
	t.Parallel()
	rounds(t, 3000, []string{"a", "b"}, func(m *maker) string {
		old := m.content(9)
		var hunks []linediff.Hunk
		for at, cut := 0, 0; at < len(old.Lines); {
			h := linediff.Hunk{OldStart: at + m.IntN(3), OldCount: m.IntN(3), NewCount: m.IntN(2)}
			h.NewStart = h.OldStart - cut
			if h.Old().End > len(old.Lines) || h.OldCount+h.NewCount == 0 {
				break
			}
			hunks = append(hunks, h)
			at, cut = h.Old().End+1, cut+h.OldCount-h.NewCount
		}
		got := alignDeletions(old, slices.Clone(hunks))
		for i, h := range hunks {
			want := h
			if h.NewCount == 0 && len(old.Owners.Runs()) > 1 {
				low, high := 0, len(old.Lines)
				if i > 0 {
					low = got[i-1].Old().End + 1
				}
				if i+1 < len(hunks) {
					high = hunks[i+1].OldStart - 1
				}
				want.OldStart = standing(old, h, low, high)
				want.NewStart += want.OldStart - h.OldStart
			}
			if got[i] != want {
				return fmt.Sprintf("%s %s: %v stands at %v, want %v", shown(old.Lines), old.Owners, h, got[i], want)
			}
		}
		return ""
	})
}

// standing is the best of the places that give the same text.
func standing(old Content, h linediff.Hunk, low, high int) int {
	without := func(at int) string {
		return shown(append(slices.Clone(old.Lines[:at]), old.Lines[at+h.OldCount:]...))
	}
	worth := func(at int) (n int) {
		for _, line := range []int{at, at + h.OldCount} {
			if line == 0 || line == len(old.Lines) || old.Owners.At(line-1) != old.Owners.At(line) {
				n++
			}
		}
		return n
	}
	best := h.OldStart
	for distance := range len(old.Lines) {
		for _, at := range []int{h.OldStart - distance, h.OldStart + distance} {
			if at >= low && at+h.OldCount <= high && without(at) == without(h.OldStart) && worth(at) > worth(best) {
				best = at
			}
		}
	}
	return best
}

// Rule 2. Lines with a word in them are compared first. The others pair in the gaps between them (see pairTrivial).
func TestLinesWithOtherWhiteSpaceAreThoseOfTheRule(t *testing.T) {
	t.Parallel()
	rounds(t, 6000, []string{"", "}", "abc", "abc ;", "abcd", " abcd", "ab cd", "abcd1", "a1b2", "end of it"}, func(m *maker) string {
		old := m.lines(8)
		new := m.edit(old)
		words := func(lines [][]byte) (at []int, texts [][]byte) {
			for i, l := range lines {
				if letters(linediff.StripSpace(l)) >= 4 {
					at, texts = append(at, i), append(texts, l)
				}
			}
			return at, texts
		}
		oldAt, oldWords := words(old)
		newAt, newWords := words(new)
		want := map[[2]int]bool{}
		i, j := 0, 0
		gap := func(toOld, toNew int) {
			pairTrivial(linediff.StripLines(old[i:toOld]), linediff.StripLines(new[j:toNew]), func(a, b int) { want[[2]int{i + a, j + b}] = true })
			i, j = toOld+1, toNew+1
		}
		for word, from := range linediff.Lineage(oldWords, newWords) {
			if from >= 0 {
				want[[2]int{oldAt[from], newAt[word]}] = true
				gap(oldAt[from], newAt[word])
			}
		}
		gap(len(old), len(new))
		got, last := map[[2]int]bool{}, link{linediff.Range{Start: -1, End: -1}, linediff.Range{Start: -1, End: -1}}
		for _, run := range equalRuns(old, new, linediff.StripLines(old), linediff.StripLines(new)) {
			if run.old.Len() != run.new.Len() || run.old.Start < last.old.End || run.old.Start == last.old.End && run.new.Start == last.new.End {
				return fmt.Sprintf("%s → %s: a run %v behind %v", shown(old), shown(new), run, last)
			}
			for k := range run.old.Len() {
				got[[2]int{run.old.Start + k, run.new.Start + k}] = true
			}
			last = run
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			return fmt.Sprintf("%s → %s: %v, want %v", shown(old), shown(new), got, want)
		}
		return ""
	})
}
