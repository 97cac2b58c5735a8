package backfill

import (
	"github.com/git-trace/git-trace/refs"
)

// block is a block of whole lines that one edit wrote. It has fingerprints of the lines, and not their texts.
type block struct {
	edit    *placed
	prints  []print
	exact   []uint32 // hashes with white space
	removed []print  // the lines that the block replaced, if known
	// for each line, the number from 1 of the commit that holds it; 0 before it is found, negative after a later commit
	// removed the line
	landed []int32
}

// placed is an edit with its place in the repository.
type placed struct {
	*Edit
	session *known
	place   int32 // number of the path
	name    string
	root    *root
	blocks  []*block
	late    bool // dated after all commits: its time is not used
}

// `known` holds a session and the facts that were found about it.
type known struct {
	*Session
	how  belonging
	root *root      // the first of its roots
	made []refs.OID // commits that the session made
}

// `belongs` reports whether an edit was made in this repository.
func (e *placed) belongs() bool { return e.session.how == member || e.root.how == member }

// root is a directory of sessions, with the evidence that it is a checkout of this repository.
type root struct {
	path          string
	how           belonging
	right, wrong  int     // number of edits whose replaced text is in this repository, and of the others
	landed, wrote float64 // total weight of its lines that are in commits, and of all its lines
	same          float64 // total weight of lines that replaced the same lines as in a commit
}

// posting is a line of a block.
type posting struct {
	b  *block
	at int32
}

// addBlock adds lines that an edit wrote.
func (f *finder) addBlock(e *placed, lines [][]byte, removed []print) *block {
	b := &block{edit: e, removed: removed, prints: make([]print, len(lines)), exact: make([]uint32, len(lines)),
		landed: make([]int32, len(lines))}
	for i, line := range lines {
		b.prints[i], b.exact[i] = fingerprint(line), f.seed.of(line)
		f.weights.write(b.prints[i], line, e.place)
	}
	e.blocks = append(e.blocks, b)
	return b
}
