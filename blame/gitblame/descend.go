package gitblame

import (
	"cmp"
	"slices"

	"github.com/git-trace/git-trace/refs"
)

// piece is a run of lines of a file in a commit, and its place in the content in question. Lines count from 1.
type piece struct{ line, final, count int }

// descent passes the lines of a content to older commits, until each line is at its origin.
type descent struct {
	h       *History
	q       *inquiry
	k       *kept
	t       *table
	bases   map[*past]*answer // the answers that are known
	next    int               // number of the newest commit with lines
	outside map[refs.OID][]piece
	found   []placedRun
}

// placedRun is a run of lines at its origin.
type placedRun struct {
	run
	final int
}

// follow adds the answer for the commit in question to the kept ones.
func (h *History) follow(q *inquiry, k *kept) bool {
	here, err := h.objects.EntryAt(q.commit, q.path)
	if err != nil || !regular(here.Mode) {
		return false
	}
	content, err := h.objects.Blob(here.OID)
	if err != nil {
		return false
	}
	d := descent{h: h, q: q, k: k, t: tableOf(k), bases: map[*past]*answer{}, outside: map[refs.OID][]piece{}}
	for _, a := range k.answers {
		for _, commit := range a.commits {
			if p := h.commits[commit]; p != nil && !a.pending {
				d.bases[p] = a
			}
		}
	}
	d.next = len(h.order)
	d.give(h.commits[q.commit], q.commit, []piece{{1, 1, len(splitLines(content))}})
	if !d.all() {
		return false
	}
	slices.SortFunc(d.found, func(a, b placedRun) int { return cmp.Compare(a.final, b.final) })
	a := &answer{commits: []refs.OID{q.commit}, content: here.OID}
	for _, r := range d.found {
		a.add(r.from, r.line, r.count)
	}
	k.put(a)
	return true
}

// all passes on all lines. A commit is newer than its parents nearly always, so each commit is visited once.
func (d *descent) all() bool {
	for d.next < len(d.h.order) {
		p := d.h.order[d.next]
		d.next++
		if pieces := p.pieces; len(pieces) > 0 {
			p.pieces = nil
			if !d.pass(p, pieces) {
				d.forget()
				return false
			}
		}
	}
	for commit, pieces := range d.outside {
		if at := d.h.older[commit]; at != nil {
			d.own(&Line{Commit: at, OrigPath: d.q.path}, pieces)
		} else if !d.asked(commit, pieces) {
			return false
		}
	}
	return true
}

// forget takes the lines from the commits that were not visited.
func (d *descent) forget() {
	for _, p := range d.h.order {
		p.pieces = nil
	}
}

// give passes lines to a commit, which may be outside of the history.
func (d *descent) give(p *past, commit refs.OID, pieces []piece) {
	switch {
	case len(pieces) == 0:
	case p == nil:
		d.outside[commit] = append(d.outside[commit], pieces...)
	case len(p.pieces) == 0:
		p.pieces, d.next = pieces, min(d.next, p.number)
	default:
		p.pieces = append(p.pieces, pieces...)
	}
}

// pass passes the lines of a commit to its parents. If a parent has the same file, it gets all lines. Otherwise each
// parent in turn gets the lines that it has, and the commit keeps the others.
func (d *descent) pass(p *past, pieces []piece) bool {
	if a := d.bases[p]; a != nil {
		return d.settle(a, pieces)
	}
	whole := slices.IndexFunc(p.changes, func(of map[string]*change) bool {
		c := of[d.q.path]
		return c == nil || len(c.hunks) == 0 && !c.odd
	})
	if whole >= 0 {
		d.give(p.before[whole], p.parents[whole], pieces)
		return true
	}
	if len(p.parents) == 0 || slices.ContainsFunc(p.changes, func(of map[string]*change) bool {
		return of[d.q.path].odd && !of[d.q.path].fresh
	}) {
		return d.asked(p.told.ID, pieces)
	}
	from := Line{Commit: p.told, OrigPath: d.q.path}
	for i, parent := range p.parents {
		c := p.changes[i][d.q.path]
		if c.fresh {
			continue
		}
		if i == 0 {
			from.Previous = Origin{parent, d.q.path}
		}
		var through []piece
		through, pieces = split(pieces, c.hunks)
		d.give(p.before[i], parent, through)
	}
	d.own(&from, pieces)
	return true
}

// own says that lines have their origin in a commit.
func (d *descent) own(l *Line, pieces []piece) {
	if len(pieces) == 0 {
		return
	}
	from := d.t.source(l)
	for _, p := range pieces {
		d.found = append(d.found, placedRun{run{from, p.line, p.count}, p.final})
	}
}

// asked gives lines of a commit the origins that git finds.
func (d *descent) asked(commit refs.OID, pieces []piece) bool {
	a := d.k.find(commit, func(a *answer) bool { return !a.pending })
	if a == nil {
		a = d.h.asOf(d.q, d.k, commit)
	}
	return a != nil && d.settle(a, pieces)
}

// settle gives lines of a commit the origins of its answer. It returns false if they do not fit.
func (d *descent) settle(a *answer, pieces []piece) bool {
	origins := a.origins()
	for _, p := range pieces {
		if p.line+p.count-1 > len(origins) {
			return false
		}
		for i, r := range origins[p.line-1 : p.line-1+p.count] {
			from := d.t.source(&Line{Commit: r.from.commit, OrigPath: r.from.path, Previous: r.from.previous})
			d.found = append(d.found, placedRun{run{from, r.line, 1}, p.final + i})
		}
	}
	return true
}

// split divides lines by the hunks of a change: lines that the older file has, with their place there, and the others.
func split(pieces []piece, hunks []hunk) (through, rest []piece) {
	for _, p := range pieces {
		h, _ := slices.BinarySearchFunc(hunks, p.line, func(h hunk, line int) int {
			return cmp.Compare(int(h.newEnd), line+1) // the first hunk that ends after the line
		})
		for p.count > 0 {
			for h < len(hunks) && int(hunks[h].newEnd) <= p.line {
				h++
			}
			some, changed := p.count, false
			if h < len(hunks) {
				if changed = int(hunks[h].new) <= p.line; changed {
					some = min(some, int(hunks[h].newEnd)-p.line)
				} else {
					some = min(some, int(hunks[h].new)-p.line)
				}
			}
			if changed {
				rest = append(rest, piece{p.line, p.final, some})
			} else {
				shift := 0
				if h > 0 {
					shift = int(hunks[h-1].oldEnd - hunks[h-1].newEnd)
				}
				through = append(through, piece{p.line + shift, p.final, some})
			}
			p = piece{p.line + some, p.final + some, p.count - some}
		}
	}
	return through, rest
}
