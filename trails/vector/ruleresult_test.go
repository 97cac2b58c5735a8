package vector

import (
	"fmt"
	"slices"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/trails/linediff"
)

// Rule 6.
func TestATextOfWhichNothingIsLeftIsNew(t *testing.T) {
	t.Parallel()
	rounds(t, 4000, []string{"", "}", "x", "y", "alpha", "beta"}, func(m *maker) string {
		old := m.content(6)
		new := m.lines(6)
		c := &Change{old: old, new: new}
		keptLines := map[int]bool{}
		for i := range old.Lines {
			keptLines[i] = true
		}
		for rest := alignDeletions(old, linediff.Diff(old.Lines, new, linediff.Options{}).Hunks); len(rest) > 0; {
			parts, taken := c.matchRegion(rest)
			c.parts, rest = append(c.parts, parts...), rest[taken:]
		}
		for i := range c.parts {
			for k, f := range c.parts[i].fates {
				keptLines[c.parts[i].OldStart+k] = f == kept
			}
		}
		had, left := 0, 0
		for i, line := range old.Lines {
			if letters(line) > 0 {
				had++
				if keptLines[i] {
					left++
				}
			}
		}
		if want := len(new) > 0 && had >= 3 && left == 0; c.isNewText() != want {
			return fmt.Sprintf("%s → %s: a new text: %v", shown(old.Lines), shown(new), !want)
		}
		return ""
	})
}

// Rule 7, and what a change tells of its lines.
func TestWhatReplacedWhatIsThatOfTheRule(t *testing.T) {
	t.Parallel()
	rounds(t, 3000, codeLines, func(m *maker) string {
		changes := someChanges(m)
		Moves(changes...)
		for _, c := range changes {
			authors := m.owners(len(c.new))
			got := c.Resolve(func(_, line int) Owner { return authors.At(line) })
			if wrong := checkResult(c, authors, got); wrong != "" {
				return shown(c.old.Lines) + " → " + shown(c.new) + ": " + wrong
			}
		}
		return ""
	})
}

func checkResult(c *Change, authors Vector, got Result) string {
	var b Builder
	at := 0
	for i := range c.parts {
		p := &c.parts[i]
		b.AddSlice(c.old.Owners, at, p.OldStart)
		at = p.Old().End
		instead := insteadByTheRule(p)
		h := Hunk{Hunk: p.Hunk}
		for k, o := range p.origins {
			line := p.NewStart + k
			one := linediff.Range{Start: line, End: line + 1}
			if o.why != Written {
				owner := inForm(o.source.old, o.line, c.new[line], o.why)
				b.Add(owner, 1)
				run := Kept{one, owner, o.why, o.source}
				if last := len(h.Kept) - 1; last >= 0 && h.Kept[last].End == line {
					run.Start = h.Kept[last].Start
					if longer := h.Kept[last]; longer.Owner == owner && longer.Why == o.why && longer.From == o.source {
						h.Kept = h.Kept[:last]
					} else {
						run.Start = line
					}
				}
				h.Kept = append(h.Kept, run)
				continue
			}
			owner := authors.At(line)
			if old, found := instead[k]; found && owner.Previous == "" {
				was := c.old.Owners.At(p.OldStart + old)
				switch {
				case was.Kind == events.OwnerAI:
					owner.Previous = was.Patch
				case owner.Kind != events.OwnerAI:
					owner.Previous = was.Previous
				}
			}
			b.Add(owner, 1)
			if last := len(h.Written) - 1; last >= 0 && h.Written[last].End == line {
				one.Start = h.Written[last].Start
				h.Written = h.Written[:last]
			}
			h.Written = append(h.Written, one)
		}
		for k, f := range p.fates {
			if patch := c.old.Owners.At(p.OldStart + k).Patch; f == gone && patch != "" && !slices.Contains(h.Replaced, patch) {
				h.Replaced = append(h.Replaced, patch)
			}
		}
		if fmt.Sprint(got.Hunks[i]) != fmt.Sprint(h) {
			return fmt.Sprintf("hunk %v, want %v", got.Hunks[i], h)
		}
	}
	b.AddSlice(c.old.Owners, at, len(c.old.Lines))
	if want := b.Vector(); !got.Vector.Equal(want) {
		return fmt.Sprintf("owners %s, want %s", got.Vector, want)
	}
	return ""
}

// inForm is the owner of a line that was one of a content.
func inForm(old Content, line int, now []byte, why Why) Owner {
	owner := old.Owners.At(line)
	if (why == Space || why == Reformatted) && owner.Kind != events.OwnerUnknown && string(old.Lines[line]) != string(now) {
		owner.Reformatted = true
	}
	return owner
}

// insteadByTheRule gives, for written lines, the old lines that they replaced.
func insteadByTheRule(p *part) map[int]int {
	out := map[int]int{}
	end := link{linediff.Range{Start: p.OldCount, End: p.OldCount}, linediff.Range{Start: p.NewCount, End: p.NewCount}}
	last := link{}
	for _, next := range append(slices.Clone(p.links), end) {
		var left []int
		for i := last.old.End; i < next.old.Start; i++ {
			if p.fates[i] == gone {
				left = append(left, i)
			}
		}
		for i := last.new.End; i < next.new.Start; i++ {
			if p.origins[i].why == Written && len(left) > 0 {
				out[i], left = left[0], left[1:]
			}
		}
		last = next
	}
	return out
}

// Which source a line of a content is from.
func TestOriginsAreThoseOfTheRule(t *testing.T) {
	t.Parallel()
	pool := append([]string{"=======", "<<<<<<< HEAD", ">>>>>>> other", "||||||| base", "twelve_chars1"}, codeLines...)
	rounds(t, 4000, pool, func(m *maker) string {
		lines := m.lines(10)
		var sources []Content
		for range m.IntN(4) {
			s := Content{Lines: m.edit(lines), Far: m.IntN(2) == 0}
			s.Owners = m.owners(len(s.Lines))
			s.Faint = s.Far && m.IntN(2) == 0
			sources = append(sources, s)
		}
		told := make([]bool, len(lines))
		var all [][]Match
		for _, s := range sources {
			matches := Matches(s, lines)
			if s.Far {
				without := make([]bool, len(lines))
				if s.Faint {
					without = told
				}
				matches = togetherByTheRule(s, lines, matches, without)
			}
			for i, one := range matches {
				told[i] = told[i] || one.Why != Written
			}
			all = append(all, matches)
		}
		giveWayByTheRule(lines, all)
		var got []Origin
		for _, run := range Origins(lines, sources) {
			for k := range run.Count {
				got = append(got, Origin{Start: run.Start + k, Count: 1, Source: run.Source, Why: run.Why, Owner: run.Owner})
			}
		}
		for i := range lines {
			want := Origin{Start: i, Count: 1, Source: -1, Owner: Unknown}
			for _, why := range []Why{Moved, Reformatted, Space, Equal} {
				for s := len(sources) - 1; s >= 0; s-- {
					if one := all[s][i]; one.Why == why {
						owner := inForm(sources[s], one.Line, lines[i], why)
						want = Origin{Start: i, Count: 1, Source: s, Why: why, Owner: owner}
					}
				}
			}
			if len(got) != len(lines) || got[i] != want {
				return fmt.Sprintf("%s: line %d: %v, want %v", shown(lines), i, got, want)
			}
		}
		return ""
	})
}

// giveWayByTheRule leaves out equal lines that say nothing together, if a later source has them in a row that does.
func giveWayByTheRule(lines [][]byte, all [][]Match) {
	said := make([][]int, len(all)) // of the row of each line
	for s, matches := range all {
		said[s] = make([]int, len(lines))
		for i := range matches {
			goesOn := func(k int) bool { // from a line to the next one
				return matches[k].Why == Equal && matches[k+1].Why == Equal && matches[k+1].Line == matches[k].Line+1
			}
			first, last := i, i
			for first > 0 && goesOn(first-1) {
				first--
			}
			for last+1 < len(lines) && goesOn(last) {
				last++
			}
			for _, line := range lines[first : last+1] {
				said[s][i] += letters(line)
			}
		}
	}
	for s, matches := range all {
		for i := range matches {
			for later := s + 1; later < len(all); later++ {
				if matches[i].Why == Equal && said[s][i] < 12 && all[later][i].Why == Equal && said[later][i] >= 12 {
					matches[i] = Match{}
				}
			}
		}
	}
}

// togetherByTheRule leaves out the lines of rows that say nothing together.
func togetherByTheRule(source Content, lines [][]byte, matches []Match, told []bool) []Match {
	out := slices.Clone(matches)
	var row []int
	drop := func() {
		said := 0
		for _, i := range row {
			if !told[i] {
				said += letters(lines[i])
			}
		}
		for _, i := range row {
			if said < 12 {
				out[i] = Match{}
			}
		}
		row = nil
	}
	for i, one := range matches {
		if one.Why == Written {
			continue
		}
		if len(row) > 0 {
			last := row[len(row)-1]
			conflict := slices.ContainsFunc(lines[last+1:i], ConflictMarker)
			above := matches[last]
			broken := above.Why == Reformatted && above.first <= one.first && one.first <= above.last
			follows := above.last < one.first && one.first-above.last <= 8
			for at := above.last + 1; at < one.first; at++ {
				follows = follows && len(keyAt(source.Lines, at)) < 12
			}
			if !follows && !broken || i > last+1 && !conflict {
				drop()
			}
		}
		row = append(row, i)
	}
	drop()
	return out
}

func TestWhatCountsAsALetter(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"": 0, "09": 2, "/:": 0, "az": 2, "`{": 0, "AZ": 2, "@[": 0, "é": 1, "\xbf": 0, "\xc0\xff": 2, "a1 = B;": 3,
	} {
		if got := letters([]byte(text)); got != want {
			t.Errorf("%q has %d, want %d", text, got, want)
		}
	}
}
