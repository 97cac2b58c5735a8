package backfill

import "slices"

// made describes a content of the history that equals the result of an edit.
type made struct {
	edit  *placed
	lines int
	owned []owned
}

// owned is a run of lines that are consecutive both in a content and in one block.
type owned struct {
	posting
	line, count int
}

// newMade stores the owners of a content's lines as runs, because most lines have none.
func newMade(e *placed, owners []posting) made {
	m := made{edit: e, lines: len(owners)}
	for line, o := range owners {
		if o.b == nil {
			continue
		}
		if n := len(m.owned) - 1; n >= 0 {
			last := &m.owned[n]
			if last.b == o.b && int(o.at)-int(last.at) == last.count && line-last.line == last.count {
				last.count++
				continue
			}
		}
		m.owned = append(m.owned, owned{o, line, 1})
	}
	m.owned = slices.Clip(m.owned)
	return m
}

// owners returns the owner of each line. A line that no edit wrote has a posting without a block.
func (m *made) owners() []posting {
	out := make([]posting, m.lines)
	for _, o := range m.owned {
		for i := range o.count {
			out[o.line+i] = posting{o.b, o.at + int32(i)}
		}
	}
	return out
}
