package origin

import (
	"slices"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/gitfacts"
)

// The finders of contents that stashes have.

// stash finds the content of the path in a stash that git applies. For example: an agent's line is stashed, and git
// stash pop merges it with a person's.
func stash(q *Query) ([]Candidate, error) {
	return []Candidate{{Path: q.Path, Blob: q.popped}}, nil
}

// Work trees share their stashes. A stash can be made in one work tree and popped in another before the next look
// there. The only trace of such a pop is a written index. Its content is among the contents that the other work trees
// had, that git took from them, or that missing stashes had.

// `elsewhere` returns the contents, held elsewhere, from which git may have taken lines of a file. A tool that reports
// the file before and after its edit makes the search unnecessary. For example: an agent writes in one work tree, and a
// person runs git stash there and git stash pop here.
func elsewhere(q *Query) ([]Candidate, error) {
	if !q.Work.Elsewhere || q.Reported {
		return nil, nil
	}
	var out []Candidate
	for _, blob := range q.held() {
		if blob == q.Old.OID || !q.knows(q.Path, blob) {
			continue
		}
		if t, err := q.Text(blob); err == nil && !t.Whole {
			out = append(out, Candidate{Path: q.Path, Blob: blob, Trust: Far})
		}
	}
	return out, nil
}

// `held` lists the last seen contents of the path in the other work trees, the contents of the path that git had
// removed by then, and the contents of the stashes of that time.
func (q *Query) held() []refs.OID {
	var out []refs.OID
	for _, other := range q.Others() {
		if entry, found := other.Lookup(q.Path); found {
			out = append(out, entry.OID)
		}
		if blob, found := other.Taken(q.Path); found {
			out = append(out, blob)
		}
	}
	for _, stash := range q.droppedElsewhere() {
		if blob := q.inStash(stash); !blob.IsZero() {
			out = append(out, blob)
		}
	}
	return out
}

// droppedElsewhere lists the stashes that other work trees knew and that no longer exist.
func (c *Case) droppedElsewhere() []refs.OID {
	if c.dropped == nil {
		list := []refs.OID{}
		for _, other := range c.Others() {
			for _, mark := range other.Marks() {
				for _, stash := range mark.Stashes {
					if !slices.Contains(c.Whole.Now.Stashes, stash) && !slices.Contains(list, stash) {
						list = append(list, stash)
					}
				}
			}
		}
		c.dropped = &list
	}
	return *c.dropped
}

// inStash returns the blob of the path in a stash, if the stash changes the path or the path was not tracked; else the
// zero id.
func (q *Query) inStash(stash refs.OID) refs.OID {
	parts, found := gitfacts.StashOf(q.Git, stash)
	if !found {
		return refs.OID{}
	}
	head, blob, err := parts.Blob(q.Git, q.Path)
	if err != nil || blob == head {
		return refs.OID{}
	}
	return blob
}
