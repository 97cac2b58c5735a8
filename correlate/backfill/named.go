package backfill

import "slices"

// byName is for commits that hold the edits of one step and nothing else, as their conversation says. Aider commits so.
// Of the files that these edits wrote, it gives the step the lines that nothing else is known of. A hook of the
// repository may have given them another form, so that their content shows nothing.
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
