package origin

import (
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/vector"
)

// Candidate is a possible source of a content, in whole or in part.
type Candidate struct {
	Path  string // the path that knows its owners
	Blob  refs.OID
	Kind  Kind
	Trust Trust
}

// Kind is the kind of evidence for a candidate.
type Kind uint8

// The kinds of evidence.
const (
	Traced  Kind = iota // a trace of git or of the timeline shows that the content was made from this one
	Before              // the path's content before the change
	Earlier             // the path, or one of its names, had it once
	Staged              // the same, only for lines between the same neighbours
	Apart               // another commit has it, and git removed it
)

// Trust is the degree of trust in a candidate.
type Trust uint8

// The degrees of trust.
const (
	Near  Trust = iota // the content was made from it
	Far                // it may have some of the lines; a weak line, such as a brace, is not evidence
	Faint              // the only evidence is that the path had it once
)

// AtMost returns the list with the trust of each candidate limited to the parameter `most`.
func AtMost(list []Candidate, most Trust) []Candidate {
	out := make([]Candidate, len(list))
	for i, c := range list {
		c.Trust = max(c.Trust, most)
		out[i] = c
	}
	return out
}

// Text is a content as lines. A content without lines, such as a binary file or a submodule, is whole.
type Text struct {
	OID   refs.OID
	Bytes []byte
	Lines [][]byte
	Whole bool
}

// `Told` gives the known owners of contents.
type Told interface {
	// Get returns the owners of the lines of a content that a path had.
	Get(path string, blob refs.OID) (vector.Vector, bool)
	// Text reads a content. A missing content is whole.
	Text(blob refs.OID) (Text, error)
}
