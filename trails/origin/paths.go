package origin

import (
	"github.com/git-trace/git-trace/refs"

	"github.com/git-trace/git-trace/trails/moment"
)

// The finders of contents that the path itself had.

// `latest` returns the most likely source of a committed content. For example: an agent writes two functions, and a
// person stages one of them. Its lines are in the last seen content of the work tree.
func latest(q *Query) ([]Candidate, error) {
	c, found := q.Latest(q.Path, q.New.Lines)
	if !found {
		return nil, nil
	}
	return []Candidate{c}, nil
}

// `before` finds the content before the change, under its former name. For example: a person adds a line to an agent's
// file, and the other lines are the agent's as before.
func before(q *Query) ([]Candidate, error) {
	return []Candidate{{Path: q.OldPath, Blob: q.Old.OID, Kind: Before}}, nil
}

// head finds HEAD's content. After git has run, that content counts, unless a person made the commit: then the work
// tree had the content before, and HEAD is not evidence of its source. For example: git merge makes a commit, so git
// put its lines into the work tree. A person's git commit only has lines that were there before.
func head(q *Query) ([]Candidate, error) {
	blob, byGit, err := q.headByGit()
	if err != nil || q.Moment == moment.GitWrote && !byGit {
		return nil, err
	}
	return []Candidate{{Path: q.Path, Blob: blob}}, nil
}

// headByGit returns HEAD's content, and reports whether git may have put it into the work tree.
func (q *Query) headByGit() (blob refs.OID, byGit bool, err error) {
	if blob, err = q.Git.Blob(q.base(), q.Path); err != nil || q.Moment != moment.GitWrote {
		return blob, false, err
	}
	made, err := q.byHand()
	return blob, err == nil && !q.Work.MadeByHand(q.base(), q.Commit) && !made[blob], err
}

// MaxEarlier limits the number of earlier contents of a path that are searched for the lines of a content.
const MaxEarlier = 64

// `earlier` lists the path's earlier contents, the last one first. If the only evidence is a stash that may have been
// applied, a newly written line may have been typed again. But a committed line existed when it was staged. For
// example: an agent writes a line, a person stages it and deletes it, then commits. The content before the deletion has
// it.
func earlier(q *Query) ([]Candidate, error) {
	if q.Work.Doubtful && q.Moment != moment.Committed && q.Moment != moment.Unlooked {
		return nil, nil
	}
	var out []Candidate
	for _, name := range q.names() {
		for _, blob := range q.Memory.Blobs(name, MaxEarlier-len(out)) {
			out = append(out, Candidate{Path: name, Blob: blob, Kind: Earlier, Trust: Faint})
		}
	}
	return out, nil
}

// `staged` lists the same contents for lines that were in the index. See between for an example.
func staged(q *Query) ([]Candidate, error) {
	var out []Candidate
	for _, name := range q.names() {
		for _, blob := range q.Memory.Blobs(name, MaxEarlier) {
			out = append(out, Candidate{Path: name, Blob: blob, Kind: Staged})
		}
	}
	return out, nil
}
