package index

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Rewriting tells that a commit took the place of another.
type Rewriting struct {
	Old, New refs.OID // which differ
	Kind     string   // amend, rebase, or the word of the tool that did it
	Event    *events.Event
}

// Rewritings lists what commit_rewritten events say: the own log first, each log in its order. A commit without an
// heir, whose new id is zero, is not among them.
func (ix *Index) Rewritings() ([]Rewriting, error) {
	recorded, err := ix.ByType(events.CommitRewritten)
	return ix.rewritings(recorded, func(Rewriting) bool { return true }), err
}

// RewritingsOf lists the rewritings in which a commit is the old or the new one.
func (ix *Index) RewritingsOf(commit refs.OID) ([]Rewriting, error) {
	if rewritten, err := ix.Rewritten(commit); err != nil || !rewritten {
		return nil, err
	}
	named, err := ix.ByCommit(commit)
	return ix.rewritings(named, func(r Rewriting) bool { return r.Old == commit || r.New == commit }), err
}

// MostReplaced bounds the commits whose place one commit took, as far as anybody looks at them: a squash of some dozens
// is large. The own log speaks first.
const MostReplaced = 64

// Replaced lists the commits whose place a commit took, at most MostReplaced.
func (ix *Index) Replaced(commit refs.OID) ([]refs.OID, error) {
	all, err := ix.RewritingsOf(commit)
	if err != nil {
		return nil, err
	}
	var out []refs.OID
	for _, r := range all {
		if r.New == commit && len(out) < MostReplaced && !slices.Contains(out, r.Old) {
			out = append(out, r.Old)
		}
	}
	return out, nil
}

// mostKept is how many rewritings are kept: each commit that one event names leads to all of it.
const mostKept = 1 << 18

// rewritings gives those of what events say that are wanted.
func (ix *Index) rewritings(recorded []events.Event, wanted func(Rewriting) bool) []Rewriting {
	var out []Rewriting
	for i := range recorded {
		if recorded[i].Type != events.CommitRewritten {
			continue
		}
		said, known := ix.rewritten[recorded[i].ID]
		if !known {
			said = rewritingsIn(&recorded[i])
			if ix.rewritten == nil {
				ix.rewritten = map[events.ID][]Rewriting{}
			}
			if ix.kept+len(said) <= mostKept {
				ix.rewritten[recorded[i].ID] = said
				ix.kept += len(said)
			}
		}
		for _, r := range said {
			if wanted(r) {
				out = append(out, r)
			}
		}
	}
	return out
}

func rewritingsIn(e *events.Event) (out []Rewriting) {
	d := events.DataOf[events.RewriteData](*e)
	for _, pair := range d.Pairs {
		if pair.Old != pair.New && !pair.New.IsZero() {
			out = append(out, Rewriting{pair.Old, pair.New, d.Kind, e})
		}
	}
	return out
}

// Anchored lists the commits that have an anchor in any log, without reading the anchors: those of the own log first,
// each log in its order.
func (ix *Index) Anchored() ([]refs.OID, error) {
	return mended(ix, func() ([]refs.OID, error) {
		of, err := ix.holding(prefixOf(byAnchor, ""))
		if err != nil {
			return nil, err
		}
		var out []refs.OID
		seen := map[refs.OID]bool{}
		for i := range of {
			first := map[refs.OID]uint64{} // by commit, the number of its first anchor
			err := of[i].scan(prefixOf(byAnchor, ""), func(key []byte, _ place) bool {
				nul := len(key) - 9 // where NUL and number begin
				if id, err := refs.ParseOID(string(key[1:nul])); err == nil && !seen[id] {
					seen[id], first[id] = true, binary.BigEndian.Uint64(key[nul+1:])
				}
				return true
			})
			if err != nil {
				return nil, fmt.Errorf("read index: %w", err)
			}
			out = append(out, slices.SortedFunc(maps.Keys(first), func(a, b refs.OID) int {
				return cmp.Compare(first[a], first[b])
			})...)
		}
		return out, nil
	})
}
