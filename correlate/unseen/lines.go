package unseen

import (
	"slices"

	"github.com/git-trace/git-trace/correlate"
	"github.com/git-trace/git-trace/events"
)

// row is a run of consecutive lines of the file that one patch wrote.
type row struct {
	start, count int // first line in the file, from 0, and number of lines
	weight       int // number of letters and digits
	patch        events.PatchData
	at           int // index of the row's first line among the patch's lines
	owner        events.AnchorOwner
}

// byLines finds the patches that wrote lines that no content explains. For each line the row with the most letters
// counts. If rows of several owners have equally many, none counts. For example: an agent wrote a function, a person
// edited other places of the file, and a program without hooks committed it.
func (f *file) byLines(open map[int]bool) error {
	prints := make([]events.Fingerprint, len(f.lines))
	for i, l := range f.lines {
		prints[i] = events.FingerprintOf(l)
	}
	var rows []row
	looked := map[events.PatchID]bool{}
	for line := range f.lines {
		if _, done := f.owners[line]; done || !open[line] || correlate.Letters(f.lines[line]) < correlate.MinSpecific {
			continue
		}
		found := f.digest.Line(prints[line])
		if len(found) > maxMentions {
			continue // the line is common
		}
		for _, m := range found {
			e, there, err := f.index.At(m)
			if err != nil {
				return err
			}
			patch, ok := data[events.PatchData](&e)
			if !there || !ok || looked[patch.Patch] {
				continue
			}
			looked[patch.Patch] = true
			if !f.olderThan(f.age, m, e.Time) && (!f.elsewhere || !f.said(m.Log)) && !f.takenBack(&e) {
				rows = append(rows, f.rowsOf(patch, ownerOf(&e), prints)...)
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return b.weight - a.weight })
	return f.claim(rows, open)
}

// rowsOf returns the rows of lines that are consecutive in both the patch and the file, and distinctive enough.
func (f *file) rowsOf(patch events.PatchData, owner events.AnchorOwner, prints []events.Fingerprint) []row {
	wrote, err := events.DecodeFingerprints(patch.Lines)
	if err != nil {
		return nil
	}
	least, fewest := correlate.MinMoved, correlate.MinRow
	if f.isFile(patch.Path) || f.isFile(patch.OldPath) {
		least, fewest = correlate.MinSpecific, 1
	}
	places := map[events.Fingerprint][]int{}
	for i, p := range wrote {
		places[p] = append(places[p], i)
	}
	var out []row
	for line := 0; line < len(prints); line++ {
		best := row{}
		for _, at := range places[prints[line]] {
			n := 0
			for line+n < len(prints) && at+n < len(wrote) && prints[line+n] == wrote[at+n] {
				n++
			}
			if n > best.count {
				best = row{start: line, count: n, patch: patch, at: at, owner: owner}
			}
		}
		if best.count == 0 {
			continue
		}
		best.weight = correlate.LettersIn(f.lines[line : line+best.count])
		if best.weight >= least && best.count >= fewest {
			out = append(out, best)
		}
		line += best.count - 1
	}
	return out
}

// isFile reports whether a stored path names this file, in the commit or in a parent.
func (f *file) isFile(stored string) bool {
	if stored == "" {
		return false
	}
	path, err := events.DecodePath(stored)
	return err == nil && (path == f.change.Path || path == f.change.OldPath)
}

// claim gives each open line to the heaviest row that contains it. The rows are sorted by weight.
func (f *file) claim(rows []row, open map[int]bool) error {
	type bid struct {
		claim
		weight int
		split  bool
	}
	bids := map[int]bid{}
	for _, r := range rows {
		for i := range r.count {
			line := r.start + i
			if _, done := f.owners[line]; done || !open[line] {
				continue
			}
			owner, err := f.ownerIn(r, r.at+i)
			if err != nil {
				return err
			}
			had, taken := bids[line]
			switch {
			case !taken:
				bids[line] = bid{claim{owner, correlate.TierFingerprint}, r.weight, false}
			case had.weight == r.weight && !sameAuthor(had.owner, owner):
				had.split = true
				bids[line] = had
			}
		}
	}
	for line, b := range bids {
		if !b.split && !vague(b.owner) {
			f.owners[line] = b.claim
		}
	}
	return nil
}

// ownerIn returns the owner of one line of a patch, counted from 0. It is the owner of the patch, or an older one that
// the line kept.
func (f *file) ownerIn(r row, line int) (events.AnchorOwner, error) {
	number := r.patch.NewStart + line
	for _, k := range r.patch.Kept {
		if k.Start > number || number >= k.Start+k.Count {
			continue
		}
		if k.Patch == "" {
			return events.AnchorOwner{Kind: k.Kind}, nil
		}
		p, err := f.person(k.Patch)
		if err != nil || !p.found || !f.believes(k.Patch) {
			return events.AnchorOwner{Kind: events.OwnerUnknown}, err
		}
		p.owner.Kind = k.Kind
		return p.owner, nil
	}
	return r.owner, nil
}
