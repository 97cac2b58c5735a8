package diff

import (
	"slices"

	"github.com/git-trace/git-trace/events"
)

// only leaves the hunks in which somebody chosen wrote a line, and the files that have one.
func (d *Diff) only(kinds []events.OwnerKind) {
	if len(kinds) == 0 {
		return
	}
	chosen := func(l Line) bool {
		return l.Owner != nil && slices.Contains(kinds, writerOf(l.Owner.Owner.Kind.Stored(), "", "", "").Kind)
	}
	for _, list := range []*[]*File{&d.Files, &d.Untracked} {
		*list = slices.DeleteFunc(*list, func(f *File) bool {
			f.Hunks = slices.DeleteFunc(f.Hunks, func(h Hunk) bool { return !slices.ContainsFunc(h.Lines, chosen) })
			return len(f.Hunks) == 0
		})
	}
}
