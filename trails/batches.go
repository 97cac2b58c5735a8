package trails

import (
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/snapshot"
)

// batchSize is the number of changes that are attributed together at least, if there are so many. All of a batch is
// in memory at once, and a block that moved from one file to another is found within it.
const batchSize = 2000

// batches cuts a long list of changes. A file that has another name now stays with the one it had.
func batches(changes []snapshot.Change) [][]snapshot.Change {
	if len(changes) <= batchSize {
		return [][]snapshot.Change{changes}
	}
	created := map[refs.OID][]int{}
	for i, c := range changes {
		if c.Old.IsZero() {
			created[c.New] = append(created[c.New], i)
		}
	}
	out := [][]snapshot.Change{nil}
	taken := make([]bool, len(changes))
	add := func(i int) {
		if !taken[i] {
			taken[i] = true
			last := &out[len(out)-1]
			*last = append(*last, changes[i])
		}
	}
	for i, c := range changes {
		if c.Old.IsZero() {
			continue // its turn comes with the file it was, or after all others
		}
		add(i)
		if c.New.IsZero() {
			for _, other := range created[c.Old] {
				add(other)
			}
		}
		if len(out[len(out)-1]) >= batchSize {
			out = append(out, nil)
		}
	}
	for i := range changes {
		add(i)
		if len(out[len(out)-1]) >= batchSize {
			out = append(out, nil)
		}
	}
	if len(out[len(out)-1]) == 0 {
		out = out[:len(out)-1]
	}
	return out
}
