package origin

import (
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/vector"
)

// Candidate is a content that another one may have been made of, in whole or in part.
type Candidate struct {
	Path  string // under which its owners are known
	Blob  refs.OID
	Kind  Kind
	Trust Trust
}

// Kind is the kind of evidence for a candidate.
type Kind uint8

// The kinds of evidence.
const (
	Traced  Kind = iota // a trace of git, or of the timeline, says that the content was made of this one
	Before              // what the path had before the change
	Earlier             // the path, or one of its names, had it once
	Staged              // the same, asked for lines alone that stand between the same neighbours
	Apart               // another commit has it, and git took it away
)

// Trust is the trust in a candidate.
type Trust uint8

// The degrees of trust.
const (
	Near  Trust = iota // the content was made of it
	Far                // some lines may be of it: a line that says too little, such as a brace, proves nothing
	Faint              // nothing speaks for it but that the path had it once
)

// AtMost returns a list whose candidates are trusted no more than so far.
func AtMost(list []Candidate, most Trust) []Candidate {
	out := make([]Candidate, len(list))
	for i, c := range list {
		c.Trust = max(c.Trust, most)
		out[i] = c
	}
	return out
}

// Text is a content in lines. One without lines, such as a binary file or a submodule, is whole.
type Text struct {
	OID   refs.OID
	Bytes []byte
	Lines [][]byte
	Whole bool
}

// Told gives the known owners of contents.
type Told interface {
	// Get is the owners of the lines of a content that a path had.
	Get(path string, blob refs.OID) (vector.Vector, bool)
	// Text reads a content. One that is gone is whole.
	Text(blob refs.OID) (Text, error)
}
