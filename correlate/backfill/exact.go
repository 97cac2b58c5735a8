package backfill

import (
	"slices"

	"github.com/git-trace/git-trace/correlate/history"
)

// asMade finds the edit whose result equals a committed content. The replay knows the owner of each line, even of a
// common one. For example: an agent writes a file, and somebody commits it unchanged. Then the braces are the agent's,
// too.
func (f *finder) asMade(commit int32, file *pastFile, out fileOrigins, strict bool) {
	m := f.maker(commit, file, strict)
	if m == nil {
		return
	}
	owners := m.owners()
	for h, hunk := range file.hunks() {
		for k := range hunk.added {
			if !out[h][k].isOpen() || hunk.start+k > len(owners) {
				continue
			}
			line := owners[hunk.start+k-1]
			if line.b == nil || line.b.prints[line.at] != hunk.added[k] || line.b.edit.late != strict {
				continue
			}
			tier := tierExactBlob
			if !f.may(line.b, int(line.at), commit) {
				tier = tierMovedLines // the content was probably copied from another file
			}
			if len(line.b.removed) > 0 && !isBoilerplate(line.b.edit.name) {
				line.b.edit.root.same += f.weights.of(hunk.added[k])
			}
			out[h][k] = landing{b: line.b, at: int(line.at), tier: tier}
			f.settle(line, f.group(file.place), commit)
		}
	}
}

// maker returns the edit whose result is the committed content. It prefers edits of this file, then edits of a session
// that made the commit, then the last edit before the commit. If a file was renamed before its commit, a distinctive
// content identifies it.
func (f *finder) maker(commit int32, file *pastFile, strict bool) *made {
	p := &f.pasts[commit-1]
	var best *made
	here := func(m *made) int {
		group := f.group(m.edit.place)
		return boolInt(group == f.group(file.place) || group == f.group(file.old))
	}
	own := func(m *made) int { return boolInt(slices.Contains(m.edit.session.made, p.ID)) }
	for i := range f.made[file.blob] {
		m := &f.made[file.blob][i]
		if m.edit.late != strict || p.timing(m.edit) == after || m.edit.root.isStrange() {
			continue
		}
		if here(m) == 0 && (m.edit.session.how != member || f.said(m) < enough) {
			continue
		}
		if best == nil || here(m) > here(best) || here(m) == here(best) &&
			(own(m) > own(best) || own(m) == own(best) && isLater(m, best, p.Commit)) {
			best = m
		}
	}
	return best
}

// isLater reports whether edit a is a better choice than edit b: it was made later, but not after the commit.
func isLater(a, b *made, c *history.Commit) bool {
	afterA, afterB := a.edit.Time.After(c.Committed), b.edit.Time.After(c.Committed)
	if afterA != afterB {
		return afterB
	}
	return compareTimes(a.edit.Time, b.edit.Time) > 0
}

// `said` returns the weight of all owned lines of a content together.
func (f *finder) said(m *made) float64 {
	sum := 0.0
	for _, o := range m.owned {
		for _, p := range o.b.prints[int(o.at) : int(o.at)+o.count] {
			sum += f.weights.of(p)
		}
	}
	return sum
}

// isStrange reports whether this repository lacks most of the texts that edits below a root replaced.
func (r *root) isStrange() bool { return r.how == candidate && r.wrong > r.right+slips }
