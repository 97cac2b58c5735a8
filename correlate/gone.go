package correlate

import (
	"sync"

	"github.com/git-trace/git-trace/trails/linediff"
)

// `gone` returns the lines that a commit removed from a file. They matter if the commit adds a line of a patch that the
// parent already has. Either a removed line has moved, or the line belongs to a part of the patch that was not
// committed before. For example: an agent writes four lines, and a person commits two of them, then the other two.
//
// The first call computes the lines. An unreadable file has none.
func (a *anchorer) gone(f fileDiff, lines [][]byte) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		raw, err := a.view.Blob(f.Old)
		if err != nil {
			return nil
		}
		kept := map[string]int{}
		at := 0
		for _, r := range append(f.Added[:len(f.Added):len(f.Added)], linediff.Range{Start: len(lines), End: len(lines)}) {
			for ; at < min(r.Start, len(lines)); at++ {
				kept[string(lines[at])]++
			}
			at = r.End
		}
		gone := map[string]bool{}
		for _, line := range linediff.Split(raw) {
			if kept[string(line)] > 0 {
				kept[string(line)]--
				continue
			}
			gone[string(line)] = true
		}
		return gone
	})
}
