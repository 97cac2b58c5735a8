package trails

import (
	"cmp"
	"slices"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/trails/snapshot"
)

// mayBeRenamed reports whether one of the changed paths came or went without a call that is known to have done it:
// the file may have had, or may have, another name, and only a look at everything finds that one. A file that git
// deletes or brings back needs no such look.
func (s *step) mayBeRenamed(changes []snapshot.Change) bool {
	return slices.ContainsFunc(changes, func(c snapshot.Change) bool {
		if c.Old.IsZero() == c.New.IsZero() {
			return false
		}
		if w := s.gitAt(c.Path); w.Restored {
			_, known := s.known.Get(c.Path, c.New)
			byGit := !w.MadeByHand(s.now.Head, s.asks.Commit)
			if known || c.New.IsZero() && byGit {
				return false
			}
		}
		if want, ok := s.state.Expected[c.Path]; ok && want == c.New {
			return false
		}
		return !slices.ContainsFunc(writers(s.state.Windows, c.Path, s.seen(c.Path)), func(w *Window) bool {
			return w.Class == events.ToolEdits
		})
	})
}

// chain joins the changes of two looks in a row.
func chain(first, second []snapshot.Change) []snapshot.Change {
	out := slices.Clone(first)
	for _, c := range second {
		i := slices.IndexFunc(out, func(d snapshot.Change) bool { return d.Path == c.Path })
		if i < 0 {
			out = append(out, c)
			continue
		}
		out[i].New, out[i].NewMode = c.New, c.NewMode
		out[i].PassedOver = out[i].PassedOver || c.PassedOver
	}
	out = slices.DeleteFunc(out, func(c snapshot.Change) bool { return c.Old == c.New && c.OldMode == c.NewMode })
	slices.SortFunc(out, func(a, b snapshot.Change) int { return cmp.Compare(a.Path, b.Path) })
	return out
}
