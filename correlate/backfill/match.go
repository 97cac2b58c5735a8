package backfill

import (
	"cmp"
	"slices"
)

// run is a run of consecutive lines of a hunk that equal consecutive lines of a block.
type run struct {
	b          *block
	hunk, line int // number of the hunk in the file, and first line in the hunk
	at         int // first line in the block
	length     int
	score      float64
	alone      bool // one of its lines is distinctive without the others
	same       bool // the block and the hunk replaced the same lines
	timing     timing
	made       bool // the session of the block made the commit
}

// landing is the origin that was found for one line of a commit.
type landing struct {
	b      *block
	at     int
	tier   string
	nobody bool // the line existed before, and its writer is unknown
}

func (l *landing) isOpen() bool { return l.b == nil && !l.nobody }

// fileOrigins holds the origins of the lines that a commit added to a file, by hunk and line; nil if none was found.
type fileOrigins [][]landing

// originsOf returns the known origins, or empty ones that can be filled in.
func (file *pastFile) originsOf(known fileOrigins) fileOrigins {
	if known != nil {
		return known
	}
	out := make(fileOrigins, 0, file.last-file.first)
	for _, h := range file.hunks() {
		out = append(out, make([]landing, len(h.added)))
	}
	return out
}

// `kept` returns the origins, or nil if no later step needs them: so most commits of a long history need no memory.
func (f *finder) kept(p *past, o fileOrigins) fileOrigins {
	again := f.late || f.named[p.ID] != nil // a later step looks at lines without an owner
	for _, lines := range o {
		if slices.ContainsFunc(lines, func(l landing) bool { return l.b != nil || l.nobody && again }) {
			return o
		}
	}
	return nil
}

// commit finds the origins of the lines that a commit added, by file. It returns nil if no file can have lines of
// edits.
func (f *finder) commit(commit int32) []fileOrigins {
	p := &f.pasts[commit-1]
	if !slices.ContainsFunc(p.files, func(file pastFile) bool { return f.concerns(&file) }) {
		return nil
	}
	out := make([]fileOrigins, len(p.files))
	for j := range p.files {
		out[j] = p.files[j].originsOf(nil)
	}
	f.carry(commit, out)
	for j := range p.files {
		if f.concerns(&p.files[j]) {
			f.file(commit, &p.files[j], out[j], false)
		}
		out[j] = f.kept(p, out[j])
	}
	return out
}

// concerns reports whether a file may have lines of edits.
func (f *finder) concerns(file *pastFile) bool {
	return f.touched[f.group(file.place)] || f.touched[f.group(file.old)] || len(f.made[file.blob]) > 0
}

// file compares the lines that a commit added to a file with the lines of edits, and fills in the missing origins.
func (f *finder) file(commit int32, file *pastFile, out fileOrigins, strict bool) {
	f.asMade(commit, file, out, strict)
	var runs []run
	for h := range file.hunks() {
		runs = f.runs(runs, commit, file, h, strict)
	}
	date := f.pasts[commit-1].earlier()
	slices.SortStableFunc(runs, func(a, b run) int {
		return cmp.Or(
			cmp.Compare(a.timing, b.timing),
			cmp.Compare(b.b.edit.session.how, a.b.edit.session.how),
			cmp.Compare(boolInt(b.made), boolInt(a.made)),
			cmp.Compare(b.score, a.score), cmp.Compare(b.length, a.length),
			cmp.Compare(boolInt(date.Before(a.b.edit.Time)), boolInt(date.Before(b.b.edit.Time))),
			compareTimes(b.b.edit.Time, a.b.edit.Time), // the last edit before the commit first
		)
	})
	for _, r := range runs {
		for _, part := range f.free(r, out[r.hunk], commit) {
			if tier := f.judge(&part, file, commit, strict); tier != "" {
				f.land(&part, out[part.hunk], f.group(file.place), commit, tier)
				if part.same {
					part.b.edit.root.same += part.score
				}
			}
		}
	}
	f.fillGaps(file, out, commit)
}

// `runs` finds the runs of a hunk. Each run is found from a distinctive line.
func (f *finder) runs(out []run, commit int32, file *pastFile, hunk int, strict bool) []run {
	h := file.hunk(hunk)
	type diagonal struct {
		b    *block
		lead int
	}
	seen := map[diagonal]int{} // for each diagonal: the last line of the hunk that a run on it has reached
	for i, p := range h.added {
		if f.weights.of(p) == 0 {
			continue
		}
		for _, post := range f.postings[p] {
			e := post.b.edit
			if strict != e.late || !f.fits(e, file) {
				continue
			}
			key := diagonal{post.b, int(post.at) - i}
			if end, done := seen[key]; done && i < end {
				continue
			}
			r := f.extend(post, &h, hunk, i, commit)
			seen[key] = r.line + r.length
			if r.length > 0 {
				out = append(out, r)
			}
		}
	}
	return out
}

// `fits` reports whether an edit can be the origin of lines of a file. They must have the same path, now or before a
// rename; or the edit must result in the committed content. The latter finds a file that was renamed before its commit.
// For example: an agent writes a.go, a person runs mv a.go b.go and commits b.go.
func (f *finder) fits(e *placed, file *pastFile) bool {
	group := f.group(e.place)
	return group == f.group(file.place) || group == f.group(file.old) ||
		e.session.how == member && slices.ContainsFunc(f.made[file.blob],
			func(m made) bool { return f.group(m.edit.place) == group })
}

// extend extends a match of one line up and down, while hunk and block are equal and the commit can be credited with
// the lines.
func (f *finder) extend(post posting, h *pastHunk, hunk, line int, commit int32) run {
	b, at := post.b, int(post.at)
	if !f.may(b, at, commit) {
		return run{line: line, length: 0}
	}
	start, end := line, line+1
	for start > 0 && at-(line-start) > 0 && h.added[start-1] == b.prints[at-(line-start)-1] &&
		f.may(b, at-(line-start)-1, commit) {
		start--
	}
	for end < len(h.added) && at+(end-line) < len(b.prints) && h.added[end] == b.prints[at+(end-line)] &&
		f.may(b, at+(end-line), commit) {
		end++
	}
	r := run{b: b, hunk: hunk, line: start, at: at - (line - start), length: end - start}
	p := &f.pasts[commit-1]
	r.timing, r.made = p.timing(b.edit), slices.Contains(b.edit.session.made, p.ID)
	f.weigh(&r)
	return r
}

func (f *finder) weigh(r *run) {
	r.score, r.alone = 0, false
	for i := range r.length {
		p := r.b.prints[r.at+i]
		r.score += f.weights.of(p)
		r.alone = r.alone || f.weights.alone(p)
	}
}

// free returns the parts of a run whose lines have no origin yet.
func (f *finder) free(r run, taken []landing, commit int32) []run {
	open := func(i int) bool { return taken[r.line+i].isOpen() && f.may(r.b, r.at+i, commit) }
	var out []run
	for i := 0; i < r.length; {
		if !open(i) {
			i++
			continue
		}
		part := r
		part.line, part.at, part.length = r.line+i, r.at+i, 0
		for i < r.length && open(i) {
			part.length++
			i++
		}
		f.weigh(&part)
		out = append(out, part)
	}
	return out
}

// The least score of a run that counts.
const (
	enough    = 2.0 // without other evidence
	sameLines = 0.5 // weight if the block and the hunk have no other lines
)

// judge returns the evidence tier of a run, or "" if it is not distinctive enough.
func (f *finder) judge(r *run, file *pastFile, commit int32, strict bool) string {
	h := file.hunk(r.hunk)
	allOfBlock := r.length == len(r.b.prints)
	whole := allOfBlock && r.length == len(h.added)
	r.same = whole && len(r.b.removed) > 0 && slices.Equal(r.b.removed, h.removed)
	switch {
	case r.timing == after, strict && (!allOfBlock || r.score < enough):
		return ""
	case r.timing == between && (!allOfBlock || r.score < enough):
		return ""
	case r.score < enough && f.returns(r, commit):
		return tierMovedLines
	case r.made && r.score > 0, r.score >= enough, r.alone, whole && r.score >= sameLines, r.same && r.score > 0:
		return f.tier(r, &h)
	}
	return ""
}

// The evidence tiers that this package gives, with the same values as in package correlate.
const (
	tierExactBlob   = "exact_blob"
	tierExactLines  = "exact_lines"
	tierMovedLines  = "moved_lines"
	tierReformatted = "reformatted"
	tierSamePatch   = "same_patch"
	tierNamed       = "named_commit"
	tierFingerprint = "line_fingerprint"
)

// tier returns the evidence tier of a run that counts.
func (f *finder) tier(r *run, h *pastHunk) string {
	exact := true
	for i := range r.length {
		exact = exact && r.b.exact[r.at+i] == h.exact[r.line+i]
	}
	switch {
	case r.score >= enough && exact:
		return tierExactLines
	case r.score >= enough:
		return tierReformatted
	case r.same:
		return tierSamePatch
	}
	return tierFingerprint
}

func (f *finder) land(r *run, out []landing, group, commit int32, tier string) {
	for i := range r.length {
		out[r.line+i] = landing{b: r.b, at: r.at + i, tier: tier}
		f.settle(posting{r.b, int32(r.at + i)}, group, commit)
	}
}

// `near` is the largest distance, in lines, between the parts of one block in a commit.
const near = 20

// fillGaps gives a line without an origin to the block that owns a line near it, if the block has an equal line there.
// The order of the lines must be the same. For example: an agent's function is in a commit. Then the blank line inside
// it is the agent's, too.
func (f *finder) fillGaps(file *pastFile, out fileOrigins, commit int32) {
	for h, hunk := range file.hunks() {
		lines := out[h]
		for i := range lines {
			if !lines[i].isOpen() {
				continue
			}
			before, after := neighbour(lines, i, -1), neighbour(lines, i, 1)
			for _, near := range []*landing{before, after} {
				if near == nil {
					continue
				}
				if at := f.nextIn(near, before, after, hunk.added[i], commit); at >= 0 {
					lines[i] = landing{b: near.b, at: at, tier: near.tier}
					f.settle(posting{near.b, int32(at)}, f.group(file.place), commit)
					break
				}
			}
		}
	}
}

// neighbour returns the closest line with an origin, up or down.
func neighbour(lines []landing, from, step int) *landing {
	for i, n := from+step, 0; i >= 0 && i < len(lines) && n < near; i, n = i+step, n+1 {
		if lines[i].b != nil {
			return &lines[i]
		}
	}
	return nil
}

// nextIn finds a line of a block that lies between two lines of that block that were found already.
func (f *finder) nextIn(of, before, after *landing, want print, commit int32) int {
	from, to := 0, len(of.b.prints)
	if before != nil && before.b == of.b {
		from = before.at + 1
	}
	if after != nil && after.b == of.b {
		to = after.at
	}
	for at := from; at < to; at++ {
		if of.b.prints[at] == want && of.b.landed[at] <= 0 && f.may(of.b, at, commit) {
			return at
		}
	}
	return -1
}
