package vector

import (
	"bytes"
	"slices"
	"sort"

	"github.com/git-trace/git-trace/trails/linediff"
)

// stream holds the words of some consecutive lines.
type stream struct {
	keys    []uint64
	weights []int // number of letters and digits of each word
	ends    []int // line i has the words from ends[i] to ends[i+1]
}

func (s *stream) lines() int { return len(s.ends) - 1 }

// border reports whether a line begins or ends before a word.
func (s *stream) border(word int) bool {
	i := sort.SearchInts(s.ends, word)
	return i < len(s.ends) && s.ends[i] == word
}

func (s *stream) lineAt(word int) int { return sort.SearchInts(s.ends, word+1) - 1 }

func (s *stream) wordless(line int) bool { return s.ends[line] == s.ends[line+1] }

func (s *stream) weigh(from, to int) int {
	n := 0
	for _, w := range s.weights[from:to] {
		n += w
	}
	return n
}

// rewording compares the old and the new lines of a gap by their words.
type rewording struct {
	change   *Change
	gap      link
	old, new stream
	oldFrom  int // the first line of the gap in the old text and in the new text
	newFrom  int
	runs     []wordRun
	whole    bool  // all words of the gap are the same
	from     []int // for each new line, the old line whose owner it has, within the gap; -1 for none
}

// gaps lists the gaps between runs in a hunk that have lines on both sides.
func gaps(p *part, runs []link) []link {
	var out []link
	at := link{}
	end := link{linediff.Range{Start: p.OldCount}, linediff.Range{Start: p.NewCount}}
	for _, run := range append(slices.Clip(runs), end) {
		gap := link{
			linediff.Range{Start: at.old.End, End: run.old.Start}, linediff.Range{Start: at.new.End, End: run.new.Start},
		}
		if gap.old.Len() > 0 && gap.new.Len() > 0 {
			out = append(out, gap)
		}
		at = run
	}
	return out
}

// slice returns the stream of a range of its lines.
func (s *stream) slice(r linediff.Range) stream {
	out := stream{ends: make([]int, 0, r.Len()+1)}
	from := s.ends[r.Start]
	for _, end := range s.ends[r.Start : r.End+1] {
		out.ends = append(out.ends, end-from)
	}
	out.keys, out.weights = s.keys[from:s.ends[r.End]], s.weights[from:s.ends[r.End]]
	return out
}

// rewordings finds the lines of a hunk that have the words of old lines. It searches between the runs of lines that are
// equal except for white space. These runs may be misplaced: they are ignored if comparing the whole hunk by words
// keeps more. For example: a formatter breaks an agent's long call into three lines and changes the quotation marks;
// all three lines are the agent's. If somebody adds a line that equals an old one, each keeps its place.
func (c *Change) rewordings(p *part, runs []link) (found []*rewording, whole bool) {
	between := gaps(p, runs)
	if len(between) == 0 {
		return nil, false
	}
	old := streamOf(c.old.Lines, p.OldStart, p.Old().End)
	new := streamOf(c.new, p.NewStart, p.New().End)
	in := func(gap link) *rewording {
		r := &rewording{change: c, gap: gap, old: old.slice(gap.old), new: new.slice(gap.new)}
		r.oldFrom, r.newFrom = p.OldStart+gap.old.Start, p.NewStart+gap.new.Start
		if !r.match() {
			return nil
		}
		return r
	}
	apart := 0
	for _, gap := range between {
		if r := in(gap); r != nil {
			found = append(found, r)
			apart += r.letters()
		}
	}
	same := slices.Equal(old.keys, new.keys)
	if len(runs) == 0 || len(found) == 0 && !same {
		return found, false
	}
	for _, run := range runs {
		apart += lettersIn(c.new[p.NewStart+run.new.Start : p.NewStart+run.new.End])
	}
	all := in(link{linediff.Range{End: p.OldCount}, linediff.Range{End: p.NewCount}})
	if all != nil && (same || all.letters() > apart) {
		return []*rewording{all}, true
	}
	return found, false
}

// letters returns the number of letters and digits of the new lines that are kept.
func (r *rewording) letters() int {
	n := 0
	for j, from := range r.from {
		if from >= 0 {
			n += letters(r.change.new[r.newFrom+j])
		}
	}
	return n
}

func (r *rewording) match() bool {
	if len(r.old.keys) == 0 || len(r.new.keys) == 0 {
		return false
	}
	r.runs = slid(&r.old, &r.new, alignWords(&r.old, &r.new))
	r.whole = len(r.runs) == 1 && r.runs[0].words == len(r.old.keys) && r.runs[0].words == len(r.new.keys)
	r.from = slices.Repeat([]int{-1}, r.new.lines())
	for j := range r.from {
		r.from[j] = r.lineOf(j)
	}
	r.signs()
	return true
}

// keep gives the new lines the owners of their old lines.
func (r *rewording) keep(p *part) {
	for j, from := range r.from {
		if from < 0 {
			continue
		}
		why := Reformatted
		is, was := r.change.new[r.newFrom+j], r.change.old.Lines[r.oldFrom+from]
		if bytes.Equal(linediff.StripSpace(is), linediff.StripSpace(was)) {
			why = Space
		}
		first, last := r.madeOf(j, from)
		p.origins[r.gap.new.Start+j] = origin{why, r.change, r.oldFrom + from, r.oldFrom + first, r.oldFrom + last}
	}
	r.link(p)
}

// madeOf returns the first and the last old line that gave words to a new line, including following old lines without
// words.
func (r *rewording) madeOf(j, from int) (first, last int) {
	run := r.runOf(j)
	if run == nil {
		return from, from
	}
	shift := run.old - run.new
	first, last = r.old.lineAt(r.new.ends[j]+shift), r.old.lineAt(r.new.ends[j+1]-1+shift)
	for last+1 < r.old.lines() && r.old.wordless(last+1) {
		last++
	}
	return first, last
}

// runOf returns the run that has all words of a new line, or nil. If an old word was removed right before or after
// these words, the line was shortened, not wrapped, and it has no run.
func (r *rewording) runOf(j int) *wordRun {
	start, end := r.new.ends[j], r.new.ends[j+1]
	i := sort.Search(len(r.runs), func(i int) bool { return r.runs[i].new+r.runs[i].words > start })
	if start == end || i == len(r.runs) || r.runs[i].new > start || r.runs[i].new+r.runs[i].words < end {
		return nil
	}
	run := &r.runs[i]
	was := start + run.old - run.new
	goesOn := run.new < start || r.old.border(was) || i > 0 && r.runs[i-1].old+r.runs[i-1].words == was
	was += end - start
	goesOn = goesOn && (run.new+run.words > end || r.old.border(was) || i+1 < len(r.runs) && r.runs[i+1].old == was)
	if !goesOn || !r.whole && r.new.weigh(run.new, run.new+run.words) < trivial {
		return nil
	}
	return run
}

// lineOf returns the old line whose owner a new line gets: the owner of most of its letters, or the first if equal. For
// example: a person joins their own short line with an agent's long one, and the joined line is the agent's.
func (r *rewording) lineOf(j int) int {
	run := r.runOf(j)
	if run == nil {
		return -1
	}
	type share struct{ line, letters int }
	var shares []share
	for word := r.new.ends[j]; word < r.new.ends[j+1]; word++ {
		line := r.old.lineAt(word + run.old - run.new)
		owner := r.change.old.Owners.At(r.oldFrom + line)
		at := slices.IndexFunc(shares, func(s share) bool { return r.change.old.Owners.At(r.oldFrom + s.line).is(owner) })
		if at < 0 {
			at, shares = len(shares), append(shares, share{line: line})
		}
		shares[at].letters += r.new.weights[word]
	}
	best := shares[0]
	for _, s := range shares {
		if s.letters > best.letters {
			best = s
		}
	}
	return best.line
}

// `signs` finds the owners of lines without words. Such a line is an old one if an equal line was at the same place
// between the words. Otherwise a closing bracket gets the owner of the line that opened it, and any other line gets the
// owner of the line above.
func (r *rewording) signs() {
	var open []int // lines whose brackets are not closed yet
	said := -1     // the last line with words
	for j := range r.from {
		text := r.change.new[r.newFrom+j]
		if !r.new.wordless(j) {
			said = j
		} else if len(bytes.TrimSpace(text)) == 0 {
			r.from[j] = r.blank(j, said)
		} else if r.from[j] = r.stood(j, said); r.from[j] < 0 {
			r.from[j] = r.bracket(j, said, text, open)
		}
		open = r.brackets(open, j, text)
	}
}

// place finds the position of a new line without words, counted in old words. `ok` is false if neither the line above
// nor the line below is an old one. The result `both` reports whether both of them are old. The edge of the hunk counts
// as an old line.
func (r *rewording) place(j, said int) (word int, ok, both bool) {
	next := j + 1
	for next < len(r.from) && r.new.wordless(next) {
		next++
	}
	above, below := said < 0 || r.from[said] >= 0, next == len(r.from) || r.from[next] >= 0
	switch {
	case said >= 0 && above:
		run := r.runOf(said)
		word = r.new.ends[said+1] + run.old - run.new
	case next < len(r.from) && below:
		run := r.runOf(next)
		word = r.new.ends[next] + run.old - run.new
	case said < 0 && above:
		word = 0
	default:
		word = len(r.old.keys)
	}
	return word, above || below, above && below
}

// `stood` returns the old line without words that equals a new one at the same place. If several equal lines are at one
// place, the first pairs with the first, and so on.
func (r *rewording) stood(j, said int) int {
	word, ok, _ := r.place(j, said)
	if !ok {
		return -1
	}
	key := linediff.StripSpace(r.change.new[r.newFrom+j])
	taken := map[int]bool{}
	for k := j - 1; k >= 0 && r.new.wordless(k); k-- {
		taken[r.from[k]] = true
	}
	for i := sort.SearchInts(r.old.ends, word); i < r.old.lines() && r.old.ends[i+1] == word; i++ {
		if !taken[i] && bytes.Equal(linediff.StripSpace(r.change.old.Lines[r.oldFrom+i]), key) {
			return i
		}
	}
	return -1
}

// blank returns the old line whose owner a new blank line gets.
func (r *rewording) blank(j, said int) int {
	_, _, both := r.place(j, said)
	if !both {
		return -1
	}
	if was := r.stood(j, said); was >= 0 || !r.whole {
		return was
	}
	return r.above(j)
}

// `above` returns the old line of the new line above a line.
func (r *rewording) above(j int) int {
	if j > 0 {
		return r.from[j-1]
	}
	return -1
}

// bracket returns the old line whose owner a new line without words gets.
func (r *rewording) bracket(j, said int, text []byte, open []int) int {
	first := bytes.IndexAny(text, "()[]{}")
	closes := first >= 0 && bytes.IndexByte([]byte(")]}"), text[first]) >= 0
	if closes && len(open) > 0 {
		return r.from[open[len(open)-1]]
	}
	if _, _, both := r.place(j, said); !both && closes {
		return -1
	}
	return r.above(j)
}

// brackets updates the list of lines with open brackets after a line.
func (r *rewording) brackets(open []int, j int, text []byte) []int {
	for _, c := range text {
		switch c {
		case '(', '[', '{':
			open = append(open, j)
		case ')', ']', '}':
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		}
	}
	return open
}

// link records the old lines that are kept: lines whose words are all in new lines, and lines without words directly
// below a kept line. If `whole` is set, all old lines are kept.
func (r *rewording) link(p *part) {
	gap := r.gap
	lives := make([]bool, len(r.old.keys))
	for j, from := range r.from {
		if from < 0 || r.new.wordless(j) {
			continue
		}
		run := r.runOf(j)
		for word := r.new.ends[j]; word < r.new.ends[j+1]; word++ {
			lives[word+run.old-run.new] = true
		}
	}
	before := false
	for i := range r.old.lines() {
		words := lives[r.old.ends[i]:r.old.ends[i+1]]
		if len(words) > 0 {
			before = !slices.Contains(words, false)
		}
		if before || r.whole {
			p.fates[gap.old.Start+i] = kept
		}
	}
	for j := 0; j < len(r.from); j++ {
		if r.from[j] < 0 || r.new.wordless(j) {
			continue
		}
		run, first := r.runOf(j), j
		for j+1 < len(r.from) && r.from[j+1] >= 0 && (r.new.wordless(j+1) || r.runOf(j+1) == run) {
			j++
		}
		shift := run.old - run.new
		l := link{new: linediff.Range{Start: gap.new.Start + first, End: gap.new.Start + j + 1}}
		l.old = r.inFull(r.new.ends[first]+shift, min(r.new.ends[j+1], run.new+run.words)+shift)
		l.old.Start, l.old.End = l.old.Start+gap.old.Start, l.old.End+gap.old.Start
		p.links = append(p.links, l)
	}
}

// inFull returns the range of old lines whose words are all in a range of words.
func (r *rewording) inFull(from, to int) linediff.Range {
	start := r.old.lineAt(from)
	if r.old.ends[start] < from {
		start++
	}
	end := r.old.lineAt(to-1) + 1
	if r.old.ends[end] > to {
		end--
	}
	return linediff.Range{Start: start, End: max(start, end)}
}

// spreadForm gives lines without words the owner of the line above them, if the change only wrote the same words in
// another form. For example: a formatter puts two blank lines between an agent's functions.
func (c *Change) spreadForm() {
	reformed := false
	for _, p := range c.parts {
		for i, from := range p.origins {
			if hasSigns := says(c.new[p.NewStart+i]); hasSigns && from.why == Written {
				return
			} else if hasSigns {
				reformed = true
			}
		}
		for i, fate := range p.fates {
			if fate == gone && says(c.old.Lines[p.OldStart+i]) {
				return
			}
		}
	}
	if !reformed {
		return
	}
	for k := range c.parts {
		p := &c.parts[k]
		above := p.OldStart - 1
		for i, from := range p.origins {
			if from.why == Written && above >= 0 {
				p.origins[i] = origin{why: Reformatted, source: c, line: above}
			} else if from.why != Written {
				above = from.line
			}
		}
	}
}

// `says` reports whether a line contains a word.
func says(line []byte) bool { return len(bytes.Trim(line, " \t\r\v\f,;()[]{}'\"`")) > 0 }
