package origin

import (
	"bytes"
	"slices"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/vector"
)

// `marked` returns the contents of the commits that new conflict markers name. Git leaves no other trace of a stopped
// revert or pick that somebody committed unchanged with their own message. For example, `>>>>>>> parent of 8429857
// (subject)` follows lines that the parent of that commit has.
func marked(q *Query) ([]Candidate, error) {
	var out []Candidate
	for _, line := range q.New.Lines {
		commit, found := q.markedBy(line)
		if !found || slices.ContainsFunc(q.Old.Lines, func(l []byte) bool { return bytes.Equal(l, line) }) {
			continue
		}
		for _, name := range q.names() {
			blob, err := q.Git.Blob(commit, name)
			if err != nil {
				return nil, err
			}
			if !blob.IsZero() {
				out = append(out, Candidate{Path: name, Blob: blob, Trust: Far})
				break
			}
		}
	}
	return out, nil
}

// markedBy returns the commit that a conflict marker names for the lines above it.
func (q *Query) markedBy(line []byte) (refs.OID, bool) {
	label, found := bytes.CutPrefix(line, []byte(">>>>>>> "))
	if !found || !vector.ConflictMarker(line) {
		return refs.OID{}, false
	}
	label, ofParent := bytes.CutPrefix(label, []byte("parent of "))
	id := label[:len(label)-len(bytes.TrimLeft(label, "0123456789abcdef"))]
	commit, found := q.Git.Named(string(id))
	if !found || !ofParent {
		return commit, found
	}
	c, err := q.Git.Commit(commit)
	if err != nil || len(c.Parents) == 0 {
		return refs.OID{}, false // skip a missing commit
	}
	return c.Parents[0], true
}
