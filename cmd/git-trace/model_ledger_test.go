package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// The model knows who wrote every line without knowing anything of git. A line with a word in it is unique: whatever
// git does to it, its writer stays its writer. Between them stand lines that are everywhere; their owner is known as
// long as both neighbours of their block stay, so that a dictionary of line contents cannot pass.

// The owners that are no conversation.
const (
	byHuman   = "human"
	byUnknown = "unknown"
)

// commons are the lines that are everywhere.
var commons = []string{"}", "", "return nil", "end", ""}

// writers remembers who wrote what.
type writers struct {
	words map[string]string          // a unique line without its white space → who wrote it
	runs  map[string]map[string]bool // a block of common lines with its neighbours → the owners that it was seen to have
	lives map[string]*lineLife       // a unique line → what else is known of it

	whole map[string]string // half of a line that is wrapped → the line

	// Where session files alone tell of calls:
	stranger   bool            // a command was at work since everything was looked at
	recent     map[string]bool // unique lines that were written since
	recentRuns map[string]bool // blocks of common lines that were found since

	// Where hooks are killed:
	doubted map[string][]string // a unique line → who else may be taken for its writer
	unheard unheard
	cut     bool // a boundary was cut short since everything was looked at
}

func newLedger() *writers {
	return &writers{
		words: map[string]string{}, runs: map[string]map[string]bool{}, lives: map[string]*lineLife{}, doubted: map[string][]string{},
		unheard: newUnheard(), whole: map[string]string{}, recent: map[string]bool{}, recentRuns: map[string]bool{},
	}
}

// unsure marks a block of common lines whose owner the text alone does not tell.
const unsure = "?"

// bare is a line without its white space and without the signs that formatters change.
func bare(line string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, changedSigns.Replace(line))
}

func isCommon(line string) bool {
	key := bare(line)
	return slices.ContainsFunc(commons, func(c string) bool { return bare(c) == key })
}

// block is a run of common lines first ≤ i < last between two neighbours.
type block struct {
	first, last int
	key         string // "" when a neighbour is neither a unique line nor the file's end: a conflict marker
}

// blocks lists the runs of common lines of a text.
func (l *writers) blocks(lines []string) []block {
	var out []block
	for i := 0; i < len(lines); {
		if !isCommon(lines[i]) {
			i++
			continue
		}
		b := block{first: i}
		var text []string
		for ; i < len(lines) && isCommon(lines[i]); i++ {
			text = append(text, bare(lines[i]))
		}
		b.last = i
		before, after, known := "^", "$", true
		if b.first > 0 {
			before = l.wholeOf(bare(lines[b.first-1]))
			known = l.words[before] != ""
		}
		if b.last < len(lines) {
			after = l.wholeOf(bare(lines[b.last]))
			known = known && l.words[after] != ""
		}
		if known && (before != "^" || after != "$") {
			b.key = before + "\x00" + strings.Join(text, "\x01") + "\x00" + after
		}
		out = append(out, b)
	}
	return out
}

// expect gives, for each line, the owners that are right; none for a line that nothing is known of.
func (l *writers) expect(lines []string) [][]string {
	out := make([][]string, len(lines))
	for i, line := range lines {
		if who := l.words[bare(line)]; who != "" {
			out[i] = append([]string{who}, l.also(l.wholeOf(bare(line)))...)
		}
	}
	for _, b := range l.blocks(lines) {
		seen := l.runs[b.key]
		if b.key == "" || len(seen) == 0 || l.inDoubt(b.key) {
			continue
		}
		for list := range seen {
			for k, who := range strings.Split(list, ",") {
				if !slices.Contains(out[b.first+k], who) {
					out[b.first+k] = append(out[b.first+k], who)
				}
			}
		}
	}
	return out
}

// sole is the owner of a line if only one is right.
func sole(owners []string) string {
	if len(owners) == 1 {
		return owners[0]
	}
	return unsure
}

// edit is what somebody made of a text: from says which old line each new line is, -1 for what was written.
type edit struct {
	old, text []string
	from      []int
}

// after joins an edit to the ones before it, since the text that base had.
func (e edit) after(base edit) edit {
	from := make([]int, len(e.from))
	for i, at := range e.from {
		from[i] = -1
		if at >= 0 {
			from[i] = base.from[at]
		}
	}
	return edit{base.old, e.text, from}
}

// record takes in an edit. White space apart, a line that stays is the same line. Whole is the edit together with those
// before it that nobody but the same writer saw: who looks at a text from time to time sees only that.
func (l *writers) record(e, whole edit, who string) {
	text, from := e.text, e.from
	was := l.expect(e.old)
	owners := make([]string, len(text))
	for i, at := range from {
		switch {
		case at >= 0 && isCommon(text[i]):
			owners[i] = sole(was[at])
		case at >= 0:
		case !isCommon(text[i]):
			key := bare(text[i])
			if had, taken := l.words[key]; taken {
				panic(fmt.Sprintf("model: %q is written by %s and was by %s", text[i], who, had))
			}
			l.words[key] = who
			if first, second, ok := halves(key); ok {
				l.words[first], l.words[second], l.whole[first], l.whole[second] = who, who, key, key
			}
			l.wrote(key)
			l.unheard.words[key], l.unheard.writers[who] = true, true
		default:
			owners[i] = who
		}
	}
	anew := e.anew() || whole.anew()
	doubt := l.doubtful(e, owners)
	for n := range l.doubtful(whole, owners) {
		doubt[n] = true
	}
	for _, b := range l.blocks(text) {
		if b.key == "" {
			continue
		}
		list := strings.Join(owners[b.first:b.last], ",")
		if doubt[b.first] || strings.Contains(list, unsure) {
			list = unsure
		}
		l.found(b.key, list)
		if anew {
			l.found(b.key, strings.Join(slices.Repeat([]string{who}, b.last-b.first), ","))
		}
	}
}

// found remembers that a block of common lines was seen to have these owners.
func (l *writers) found(key, owners string) {
	if l.runs[key] == nil {
		l.runs[key] = map[string]bool{}
	}
	l.runs[key][owners] = true
	l.recentRuns[key] = true
	if l.stranger {
		l.maybe(key)
	}
	l.unheard.blocks[key] = true
}

// anew tells whether nothing but common lines stayed of a text that had others. Whether they are what is left of it, or
// were written with the rest, is a matter of opinion: git-blame(1) takes them for old ones, git-trace the text for a
// new one.
func (e edit) anew() bool {
	return slices.ContainsFunc(e.old, func(line string) bool { return !isCommon(line) }) &&
		!slices.ContainsFunc(e.from, func(at int) bool { return at >= 0 && !isCommon(e.old[at]) })
}

// hunk is a place where the texts differ: old lines i ≤ n < j became new lines a ≤ n < b.
type hunk struct{ i, j, a, b int }

func hunksOf(old int, from []int) []hunk {
	var out []hunk
	h := hunk{}
	for n := 0; n <= len(from); n++ {
		at := old
		if n < len(from) {
			if from[n] < 0 {
				continue
			}
			at = from[n]
		}
		h.j, h.b = at, n
		if h.j > h.i || h.b > h.a {
			out = append(out, h)
		}
		h = hunk{i: at + 1, a: n + 1}
	}
	return out
}

// joinHunks makes one of hunks between which nothing but common lines stayed.
func joinHunks(hunks []hunk, text []string) []hunk {
	var out []hunk
	for _, h := range hunks {
		if last := len(out) - 1; last >= 0 && !slices.ContainsFunc(text[out[last].b:h.a], func(l string) bool { return !isCommon(l) }) {
			out[last].j, out[last].b = h.j, h.b
			continue
		}
		out = append(out, h)
	}
	return out
}

// doubtful finds the blocks whose first line's owner, or any other's, depends on how the texts are compared: an
// inserted brace beside an equal one may be either. It answers for the first line of each block.
func (l *writers) doubtful(e edit, owners []string) map[int]bool {
	old, text, was := e.old, e.text, l.expect(e.old)
	out := map[int]bool{}
	firstOf := map[int]int{}
	for _, b := range l.blocks(text) {
		for n := b.first; n < b.last; n++ {
			firstOf[n] = b.first
		}
	}
	if !slices.IsSorted(keptOf(e.from)) {
		for _, b := range l.blocks(text) { // something moved: what stands as it stood is sure
			if l.runs[b.key] == nil {
				out[b.first] = true
			}
		}
		return out
	}
	for _, h := range joinHunks(hunksOf(len(old), e.from), text) {
		var near []int // the common lines of the hunk and beside it
		above, below := h.a, h.b
		for above > 0 && isCommon(text[above-1]) {
			above--
		}
		for below < len(text) && isCommon(text[below]) {
			below++
		}
		seen, twice := map[string]int{}, false
		for n := above; n < below; n++ {
			if isCommon(text[n]) {
				near = append(near, n)
				seen[bare(text[n])]++
			}
		}
		owning := map[string]bool{}
		for n := h.i; n < h.j; n++ {
			if isCommon(old[n]) {
				seen[bare(old[n])]++
				owning[sole(was[n])] = true
			}
		}
		for _, count := range seen {
			twice = twice || count > 1
		}
		for _, n := range near {
			owning[owners[n]] = true
		}
		if twice && len(owning) > 1 {
			for _, n := range near {
				out[firstOf[n]] = true
			}
		}
	}
	return out
}

// keptOf are the old lines that stayed, in their new order.
func keptOf(from []int) []int {
	return slices.DeleteFunc(slices.Clone(from), func(at int) bool { return at < 0 })
}
