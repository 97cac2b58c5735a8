package backfill

import "slices"

// byName handles commits that, by their conversation, have the edits of one step alone. Aider makes such commits. In
// the files of these edits it gives the step all lines without another owner. A formatter in a hook may have changed
// them, so that their content is not evidence.
func (f *finder) byName(origins [][][][]landing) {
	for i := range f.pasts {
		p := &f.pasts[i]
		for _, e := range slices.Backward(f.named[p.ID]) { // the last that wrote a file
			if len(e.blocks) == 0 {
				continue
			}
			for j := range p.files {
				if f.fits(e, &p.files[j]) {
					fillNamed(origins[i][j], e.blocks[0])
				}
			}
		}
	}
}

func fillNamed(hunks [][]landing, b *block) {
	for _, lines := range hunks {
		for k := range lines {
			switch l := &lines[k]; {
			case l.isOpen():
				*l = landing{b: b, tier: tierNamed}
			case l.b != nil && l.b.edit.session == b.edit.session && l.tier == tierFingerprint:
				l.tier = tierNamed
			}
		}
	}
}
