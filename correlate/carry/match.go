package carry

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/git-trace/git-trace/correlate"
	"github.com/git-trace/git-trace/correlate/history"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/trails/linediff"
)

// mostSources limits the number of files that are compared with one file.
const mostSources = 128

// target is a file of a commit that needs owners for its lines.
type target struct {
	*finder
	commit  *history.Commit
	file    *history.File
	lines   [][]byte
	count   map[string]int // number of times that the file has a line
	added   map[int]bool
	removed map[string]bool // lines that the commit removed
	bids    map[int]bid     // bids by line, from 0
}

// bid is the owner that one source names for a line.
type bid struct {
	of     *source
	line   int // line in the source
	owner  int
	tier   string
	weight int
	split  bool // another source is equally good and names another owner
}

// search compares the file with all sources that may be its origin.
func (t *target) search() {
	hits, letters, short := map[*source]int{}, map[*source]int{}, 0
	inRow, open := map[*source]bool{}, map[*source]bool{} // open: at least one line of the source is free for this file
	for _, s := range t.byBlob[t.file.New] {
		hits[s]++
		inRow[s], open[s] = true, true
	}
	for _, h := range t.file.Hunks {
		var lines []rowLine
		for i, line := range h.Added {
			one := rowLine{h.NewStart + i, events.FingerprintOf(line), correlate.Letters(line)}
			lines = append(lines, one)
			if one.letters < correlate.MinSpecific {
				short += one.letters
				continue
			}
			for _, s := range t.byPrint[one.print] {
				hits[s]++
				letters[s] += one.letters
				open[s] = open[s] || s.left[one.print] > 0 || t.removed[text(line)] || t.isBack(s, one.print)
			}
		}
		for r := range rowsOf(lines) {
			for _, s := range t.byRow[r] {
				inRow[s] = true
			}
		}
	}
	// A source of the same name must share enough letters, or half of its own. A source of another name must share a row,
	// or half of its own letters.
	near := func(s *source) bool {
		most := letters[s] + min(s.common, short)
		if t.hasName(s) {
			return most >= correlate.MinMoved || most*2 >= s.said
		}
		return inRow[s] || most*2 >= s.said
	}
	var list []*source
	for s := range open {
		if open[s] && near(s) && !t.commit.Committed.Before(t.dated[s.commit].Add(-slack)) &&
			!t.before(t.commit.ID, s.commit) {
			list = append(list, s)
		}
	}
	if len(list) == 0 {
		return
	}
	slices.SortFunc(list, func(a, b *source) int { return cmp.Compare(a.number, b.number) }) // parents first
	if len(list) > mostSources {
		slices.SortStableFunc(list, func(a, b *source) int { return cmp.Compare(hits[b], hits[a]) })
		list = list[:mostSources]
	}
	t.lines, t.count = t.finder.lines(t.file.New), map[string]int{}
	for _, line := range t.lines {
		t.count[text(line)]++
	}
	for _, s := range list {
		t.compare(s)
	}
}

// pair is a block of equal lines.
type pair struct{ old, new, count int }

// compare makes the bids of one source, for the lines that both files have.
func (t *target) compare(s *source) {
	was := t.finder.lines(s.blob)
	if len(was) == 0 {
		return
	}
	equal := equalBlocks(was, t.lines)
	matched := 0
	for _, p := range equal {
		for i := range p.count {
			if _, is := s.owner[p.old+i]; is && t.added[p.new+i] {
				matched += correlate.Letters(was[p.old+i])
			}
		}
	}
	if !t.hasName(s) && matched*2 < s.said {
		t.rows(s, was, equal)
		return
	}
	if matched < correlate.MinMoved && matched*2 < s.said {
		return // these few lines may have been written independently
	}
	weight := matched + 1
	if s.path == t.file.Path {
		weight += 1 << 20
	}
	at, often := map[int]bool{}, t.often(was)
	for _, p := range equal {
		p = p.firm(was, t.lines, often)
		if correlate.LettersIn(was[p.old:p.old+p.count]) < correlate.MinSpecific {
			continue
		}
		back := slices.ContainsFunc(t.lines[p.new:p.new+p.count], func(line []byte) bool {
			return t.isBack(s, events.FingerprintOf(line))
		})
		for i := range p.count {
			at[p.old+i] = true
			if back && correlate.Letters(was[p.old+i]) < correlate.MinSpecific {
				delete(s.given, p.old+i) // it returns with the lines around it
			}
			t.offer(s, p.old+i, p.new+i, correlate.TierRewritten, weight)
		}
	}
	t.moved(s, was, at)
}

// `firm` shortens a block so that it begins and ends with a line that both contents have once, or at the beginning or
// end of both contents. At other places a diff may align the wrong one of several equal lines.
func (p pair) firm(old, new [][]byte, often func(line []byte) bool) pair {
	if p.old > 0 || p.new > 0 {
		for p.count > 0 && often(old[p.old]) {
			p.old, p.new, p.count = p.old+1, p.new+1, p.count-1
		}
	}
	if p.old+p.count < len(old) || p.new+p.count < len(new) {
		for p.count > 0 && often(old[p.old+p.count-1]) {
			p.count--
		}
	}
	return p
}

// `often` returns a function that reports whether the file or another content has a line more than once.
func (t *target) often(was [][]byte) func(line []byte) bool {
	count := make(map[string]int, len(was))
	for _, line := range was {
		count[text(line)]++
	}
	return func(line []byte) bool { return t.count[text(line)] > 1 || count[text(line)] > 1 }
}

// rows makes bids for rows of lines that are also in another file.
func (t *target) rows(s *source, was [][]byte, equal []pair) {
	often := t.often(was)
	for _, p := range equal {
		p = p.firm(was, t.lines, often)
		start := 0
		for i := 0; i <= p.count; i++ {
			if i < p.count {
				if _, is := s.owner[p.old+i]; is && t.added[p.new+i] {
					continue
				}
			}
			said := correlate.LettersIn(t.lines[p.new+start : p.new+i])
			if i-start >= correlate.MinRow && said >= correlate.MinMoved {
				for line := start; line < i; line++ {
					t.offer(s, p.old+line, p.new+line, correlate.TierFingerprint, said)
				}
			}
			start = i + 1
		}
	}
}

// `moved` makes bids for lines that both contents have exactly once, at different places.
func (t *target) moved(s *source, was [][]byte, placed map[int]bool) {
	there := map[string]int{}
	for i, line := range was {
		if _, twice := there[text(line)]; twice {
			there[text(line)] = nobody
		} else {
			there[text(line)] = i
		}
	}
	for line := range t.lines {
		old, is := there[text(t.lines[line])]
		if is && old != nobody && !placed[old] && t.count[text(t.lines[line])] == 1 &&
			correlate.Letters(t.lines[line]) >= correlate.MinSpecific {
			t.offer(s, old, line, correlate.TierFingerprint, correlate.Letters(t.lines[line]))
		}
	}
}

// hasName reports whether a source has the name of the file, now or before the commit.
func (t *target) hasName(s *source) bool { return s.path == t.file.Path || s.path == t.file.OldPath }

// isBack reports whether a line of a source returns: the history removed it, and the file of the same name has it
// again.
func (t *target) isBack(s *source, print events.Fingerprint) bool {
	return t.gone[print] && t.hasName(s)
}

// offer compares a source's claim about a line with the best earlier one.
func (t *target) offer(s *source, old, line int, tier string, weight int) {
	owner, is := s.owner[old]
	if !is || !t.added[line] || s.given[old] && !t.removed[text(t.lines[line])] &&
		!t.isBack(s, events.FingerprintOf(t.lines[line])) {
		return
	}
	b := bid{of: s, line: old, owner: owner, tier: tier, weight: weight}
	had, found := t.bids[line]
	switch {
	case !found:
	case t.hasName(s) != t.hasName(had.of): // a source of the same name knows more than a copy
		if t.hasName(had.of) {
			return
		}
	case had.of != s && t.before(had.of.commit, s.commit) && (tier == had.tier || tier == correlate.TierRewritten):
	case had.of != s && t.before(s.commit, had.of.commit), weight < had.weight:
		return
	case weight == had.weight && !same(b, had):
		b.split = true
	}
	t.bids[line] = b
}

// `same` reports whether two sources name the same author.
func same(a, b bid) bool {
	if a.owner == nobody || b.owner == nobody {
		return a.owner == b.owner
	}
	x, y := &a.of.claims.Owners[a.owner], &b.of.claims.Owners[b.owner]
	return x.Kind == y.Kind && x.Trace == y.Trace
}

// equalBlocks returns the blocks of equal lines of two contents, as git's diff aligns them.
func equalBlocks(old, new [][]byte) []pair {
	var out []pair
	i, j := 0, 0
	take := func(end int) {
		if end > i {
			out = append(out, pair{i, j, end - i})
		}
	}
	for _, h := range linediff.Diff(old, new, linediff.Options{}).Hunks {
		take(h.OldStart)
		i, j = h.OldStart+h.OldCount, h.NewStart+h.NewCount
	}
	take(len(old))
	return out
}

// text returns a line without its line feed.
func text(line []byte) string { return string(bytes.TrimSuffix(line, []byte("\n"))) }
