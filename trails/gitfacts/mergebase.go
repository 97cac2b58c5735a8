package gitfacts

import (
	"container/heap"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// mostPainted limits the number of commits that this process reads before it calls git. A call of git takes as long as
// reading about 300 commits.
const mostPainted = 256

// MergeBase returns the commit of git-merge-base(1). If both commits are near each other, it starts no process.
func (g *Git) MergeBase(a, b refs.OID) (refs.OID, bool) {
	if base, found, known := g.nearBase(a, b); known {
		return base, found
	}
	raw, err := g.repo.Git(g.ctx, nil, "merge-base", a.String(), b.String())
	if err != nil {
		return refs.OID{}, false
	}
	base, err := refs.ParseOID(strings.TrimSpace(string(raw)))
	return base, err == nil
}

// The colours of commits in nearBase, as bits.
const (
	fromA = 1 << iota
	fromB
	stale // an ancestor of a common ancestor
	common
)

// nearBase walks back from both commits, newest commit first, and paints each commit by the sides that reach it, as git
// does. The result `known` is false if git may choose among several bases, if the history is shallow or grafted, or if
// the walk reads too many commits.
func (g *Git) nearBase(a, b refs.OID) (base refs.OID, found, known bool) {
	for _, name := range []string{"shallow", filepath.Join("info", "grafts")} {
		if _, err := os.Lstat(filepath.Join(g.repo.CommonDir, name)); err == nil {
			return base, false, false
		}
	}
	if a == b {
		return a, true, true
	}
	paint := map[refs.OID]int{}
	var queue byDate
	turn := 0
	put := func(id refs.OID, flags int) bool {
		c, err := g.Commit(id)
		if err == nil {
			paint[id] |= flags
			turn++
			heap.Push(&queue, dated{id, c.Committer.When.Unix(), c.Parents, turn})
		}
		return err == nil
	}
	if !put(a, fromA) || !put(b, fromB) {
		return base, false, false
	}
	var bases []refs.OID
	for looked := 0; queue.fresh(paint); looked++ {
		if looked == mostPainted {
			return base, false, false
		}
		c := heap.Pop(&queue).(dated)
		flags := paint[c.id] & (fromA | fromB | stale)
		if flags == fromA|fromB {
			if paint[c.id]&common == 0 {
				paint[c.id] |= common
				bases = append(bases, c.id)
			}
			flags |= stale
		}
		for _, parent := range c.parents {
			if paint[parent]&flags != flags && !put(parent, flags) {
				return base, false, false
			}
		}
	}
	for _, id := range bases {
		if paint[id]&stale != 0 {
			continue
		}
		if found {
			return base, false, false
		}
		base, found = id, true
	}
	return base, found, true
}

// dated is a commit with its date, for the heap.
type dated struct {
	id      refs.OID
	at      int64
	parents []refs.OID
	turn    int
}

// byDate is a heap with the newest commit first. If dates are equal, the commit that was reached first comes first.
type byDate []dated

func (q byDate) Len() int { return len(q) }

func (q byDate) Less(i, j int) bool {
	return q[i].at > q[j].at || q[i].at == q[j].at && q[i].turn < q[j].turn
}

func (q byDate) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

// Push implements heap.Interface.
func (q *byDate) Push(x any) { *q = append(*q, x.(dated)) }

// Pop implements heap.Interface.
func (q *byDate) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

// `fresh` reports whether the heap has a commit that may be outside of the common history.
func (q byDate) fresh(paint map[refs.OID]int) bool {
	for i := range q {
		if paint[q[i].id]&stale == 0 {
			return true
		}
	}
	return false
}
