package backfill

import (
	"github.com/git-trace/git-trace/refs"
)

// block is a block of whole lines that one edit wrote. The texts of the lines are not kept.
type block struct {
	edit    *placed
	prints  []print
	exact   []uint64 // white space included
	removed []print  // the lines that they replaced, if known
	// the commit that holds each line, from 1; 0 if none yet, negative if the line was removed there
	landed []int32
}

// placed is an edit with its place in the repository.
type placed struct {
	*Edit
	session *known
	place   int32 // of the path
	name    string
	root    *root
	blocks  []*block
	late    bool // dated after all commits: times do not count
}

// known is a session with the facts found about it.
type known struct {
	*Session
	how  belonging
	root *root      // the first that it was held below
	made []refs.OID // the commits that it made
}

// belongs reports whether an edit was made in this repository.
func (e *placed) belongs() bool { return e.session.how == member || e.root.how == member }

// root is a directory of sessions, with the evidence that it is a checkout of this repository.
type root struct {
	path          string
	how           belonging
	right, wrong  int     // edits that replaced known text, and edits that replaced other text
	landed, wrote float64 // what its lines say
	same          float64 // the weight of lines that replaced the same lines
}

// posting is a line of a block.
type posting struct {
	b  *block
	at int32
}

// addBlock adds lines that an edit wrote.
func (f *finder) addBlock(e *placed, lines [][]byte, removed []print) *block {
	b := &block{edit: e, removed: removed, prints: make([]print, len(lines)), exact: make([]uint64, len(lines)),
		landed: make([]int32, len(lines))}
	for i, line := range lines {
		b.prints[i], b.exact[i] = fingerprint(line), f.seed.of(line)
		f.weights.write(b.prints[i], line, e.place)
	}
	e.blocks = append(e.blocks, b)
	return b
}
