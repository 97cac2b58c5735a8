package index

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Rewriting says that a commit replaced another.
type Rewriting struct {
	Old, New refs.OID // which differ
	Voice    string   // the voice that reports the rewrite

	log int   // the place of the log among the logs that are read
	seq int64 // number of the event
}

// Retold is a rewriting with the data of its event.
type Retold struct {
	Rewriting
	Kind string // amend, rebase, or another tool's word
	Time time.Time
}

// MostReplaced limits the number of commits that one commit replaced, and the number of heirs of one commit: a squash
// of some dozens is large. This clone's log comes first, and of each log the newest count.
const MostReplaced = 64

// mostScanned limits the number of rows of one log that are searched for replaced commits and heirs.
const mostScanned = 1 << 12

// Heirs lists the commits that replaced a commit, at most MostReplaced: this clone's log first, each log in its order.
// It reads no event, because one may name thousands of commits.
func (ix *Index) Heirs(commit refs.OID) ([]Rewriting, error) { return ix.rewritings(byOld, commit) }

// Replaced lists the commits that a commit replaced, in the same order and number as Heirs.
func (ix *Index) Replaced(commit refs.OID) ([]refs.OID, error) {
	told, err := ix.rewritings(byNew, commit)
	out := make([]refs.OID, len(told))
	for i := range told {
		out[i] = told[i].Old
	}
	return out, err
}

// RewritingsOf lists the rewritings with a commit as the new one, and then the rewritings with it as the old one.
func (ix *Index) RewritingsOf(commit refs.OID) ([]Retold, error) {
	var out []Retold
	for _, by := range []kind{byNew, byOld} {
		told, err := ix.rewritings(by, commit)
		if err != nil {
			return nil, err
		}
		for _, r := range told {
			full, err := ix.Retell(r)
			if err != nil {
				return nil, err
			}
			out = append(out, full)
		}
	}
	return out, nil
}

// Retell reads the event of a rewriting. It keeps the event, because the next rewriting is often in the same one.
func (ix *Index) Retell(r Rewriting) (Retold, error) {
	if last := ix.retold; last.log == r.log && last.seq == r.seq {
		return Retold{r, last.Kind, last.Time}, nil
	}
	e, _, err := ix.within(r.log, r.seq)
	kind := events.DataOf[events.RewriteData](e).Kind
	if err == nil {
		ix.retold = Retold{r, kind, e.Time}
	}
	return Retold{r, kind, e.Time}, err
}

// HasHeir reports whether any log says that another commit took the place of one, whose id may be abbreviated.
func (ix *Index) HasHeir(id string) (bool, error) {
	if id == "" {
		return false, nil
	}
	n, err := ix.countUnder(prefixOf(byOld, id), 1)
	return n > 0, err
}

// rewritings returns the rewritings of a commit in the rows of a kind. For each other commit the first log that
// names it counts, and its last event.
func (ix *Index) rewritings(by kind, commit refs.OID) ([]Rewriting, error) {
	return mended(ix, func() ([]Rewriting, error) {
		prefix := append(prefixOf(by, commit.String()), besides)
		of, err := ix.holding(prefix)
		if err != nil {
			return nil, err
		}
		var out []Rewriting
		seen := map[refs.OID]bool{}
		for i := range of {
			newest, err := of[i].newestPairs(prefix)
			if err != nil {
				return nil, err
			}
			first := len(out)
			for _, p := range newest {
				other, ok := p.second()
				if !ok || seen[other] || len(out) == MostReplaced {
					continue
				}
				seen[other] = true
				r := Rewriting{Old: other, New: commit, Voice: of[i].voice.String(), log: of[i].at, seq: p.seq}
				if by == byOld {
					r.Old, r.New = commit, other
				}
				out = append(out, r)
			}
			slices.Reverse(out[first:])
		}
		return out, nil
	})
}

// A pair is one pair of commits of a rewriting, in the form of its term after the first commit.
type pair struct {
	seq  int64 // number of the event
	rest string
}

// second returns the second commit of the pair.
func (p pair) second() (refs.OID, bool) {
	if len(p.rest) < nthDigits {
		return refs.OID{}, false
	}
	id, err := refs.ParseOID(p.rest[nthDigits:])
	return id, err == nil
}

// `later` compares pairs: the pair of the later event comes first.
func (p pair) later(o pair) int {
	return cmp.Or(cmp.Compare(o.seq, p.seq), strings.Compare(o.rest, p.rest))
}

// newestPairs returns a log's pairs under a prefix, the newest first, at most MostReplaced.
func (h *holder) newestPairs(prefix []byte) ([]pair, error) {
	var out []pair
	err := h.scan(func(key []byte, _ place) bool {
		out = append(out, pair{seqOf(key), string(key[len(prefix) : len(key)-behindTerm-1])})
		return len(out) < mostScanned
	})
	if err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	slices.SortFunc(out, pair.later)
	return out[:min(len(out), MostReplaced)], nil
}

// Anchored lists the commits that have an anchor in any log, without reading the anchors: this clone's log first,
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
			err := of[i].scan(func(key []byte, _ place) bool {
				nul := len(key) - behindTerm - 1
				if id, err := refs.ParseOID(string(key[1:nul])); err == nil && !seen[id] {
					seen[id], first[id] = true, uint64(seqOf(key))
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
