package steering

import (
	"slices"
	"strings"
	"unicode"
)

// change is the change that a call made to a file.
type change struct {
	path             string
	added, removed   int // numbers of lines, without blank lines and lines with only brackets
	creates, deletes bool
	patch            *Patch // nil if the log is missing
}

// readChanges finds the changes that each call made: from the log if it has patches, otherwise from the declared edits.
// It also counts the lines that each turn removed from other turns.
func (c *conversation) readChanges() {
	turns := map[*call]*turn{}
	for _, t := range c.everyTurn() {
		for _, one := range t.calls {
			turns[one] = t
		}
	}
	if c.Known != nil && len(c.Known.Patches) > 0 {
		c.fromLog(turns)
		return
	}
	b := book{files: map[string]*page{}}
	for _, one := range c.all {
		if t := turns[one]; t != nil && one.succeeded() {
			b.take(c, t, one)
		}
	}
}

func (c *conversation) everyTurn() []*turn {
	if c.before == nil {
		return c.turns
	}
	return append([]*turn{c.before}, c.turns...)
}

// fromLog reads the changes from the log's patches. A patch can remove lines of several turns, and the log does not say
// how many of each. Then at least one line of each turn is counted.
func (c *conversation) fromLog(turns map[*call]*turn) {
	calls, owners, left := map[string]*call{}, map[string]*turn{}, map[string]int{}
	for _, one := range c.all {
		calls[one.id] = one
	}
	for i := range c.Known.Patches {
		p := &c.Known.Patches[i]
		one := calls[p.Call]
		t := turns[one]
		if t == nil {
			continue
		}
		owners[p.ID], left[p.ID] = t, p.Added
		from := map[*turn][]string{}
		for _, id := range p.Previous {
			if o := owners[id]; o != nil && o != t && !slices.Contains(from[o], id) {
				from[o] = append(from[o], id)
			}
		}
		for o, ids := range from {
			n := len(ids)
			if len(from) == 1 {
				n = p.Removed
			}
			for _, id := range ids {
				take := min(n, left[id])
				t.taken[o] += take
				left[id] -= take
				n -= take
			}
		}
		t.change(one, &change{path: p.Path, added: p.Added, removed: p.Removed, creates: p.Created, deletes: p.Deleted,
			patch: p})
	}
}

func (t *turn) change(c *call, one *change) {
	t.changes = append(t.changes, one)
	c.changes = append(c.changes, one)
}

// book records, for each file, the lines that a conversation wrote and the turns that wrote them.
type book struct{ files map[string]*page }

type page struct {
	lines map[string][]*turn
}

func (b *book) page(path string) (p *page, known bool) {
	p, known = b.files[path]
	if !known {
		p = &page{lines: map[string][]*turn{}}
		b.files[path] = p
	}
	return p, known
}

// `take` records the changes of a call.
func (b *book) take(c *conversation, t *turn, one *call) {
	for i := range one.edits {
		e := &one.edits[i]
		path := c.places.relative(e.Path)
		if e.Deletes {
			b.remove(t, one, path)
			continue
		}
		p, known := b.page(path)
		before, now := told(e.Old), told(e.New)
		if e.Whole {
			before = p.all()
		}
		gone, came := difference(before, now), difference(now, before)
		ch := &change{path: path, creates: e.Whole && !known}
		for line, n := range gone {
			ch.removed += n
			p.lose(t, line, n)
		}
		for line, n := range came {
			ch.added += n
			for range n {
				p.lines[line] = append(p.lines[line], t)
			}
		}
		t.change(one, ch)
	}
	for _, path := range removedBy(one.command) {
		if path = c.places.relative(path); b.files[path] != nil {
			b.remove(t, one, path)
		}
	}
}

func (b *book) remove(t *turn, one *call, path string) {
	p, _ := b.page(path)
	ch := &change{path: path, deletes: true}
	for line, n := range p.all() {
		ch.removed += n
		p.lose(t, line, n)
	}
	delete(b.files, path)
	t.change(one, ch)
}

func (p *page) all() map[string]int {
	out := make(map[string]int, len(p.lines))
	for line, owners := range p.lines {
		if len(owners) > 0 {
			out[line] = len(owners)
		}
	}
	return out
}

// lose removes n copies of a line from the turns that wrote them.
func (p *page) lose(t *turn, line string, n int) {
	owners := p.lines[line]
	for ; n > 0 && len(owners) > 0; n-- {
		if o := owners[len(owners)-1]; o != t {
			t.taken[o]++
		}
		owners = owners[:len(owners)-1]
	}
	if p.lines[line] = owners; len(owners) == 0 {
		delete(p.lines, line)
	}
}

// `told` returns the lines of a text that contain a letter or digit, with the number of copies of each.
func told(s string) map[string]int {
	out := map[string]int{}
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		if strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
			out[line]++
		}
	}
	return out
}

func difference(a, b map[string]int) map[string]int {
	out := map[string]int{}
	for line, n := range a {
		if n > b[line] {
			out[line] = n - b[line]
		}
	}
	return out
}

// `added` returns the number of lines that the turn wrote.
func (t *turn) added() int {
	n := 0
	for _, c := range t.changes {
		n += c.added
	}
	return n
}

// files returns the files that the turn changed, in order and without repetitions.
func (t *turn) files() []string {
	var out []string
	for _, c := range t.changes {
		if !slices.Contains(out, c.path) {
			out = append(out, c.path)
		}
	}
	return out
}

func (t *turn) changed(path string) bool {
	return slices.ContainsFunc(t.changes, func(c *change) bool { return c.path == path })
}
