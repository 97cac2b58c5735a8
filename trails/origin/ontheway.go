package origin

import (
	"bytes"
	"slices"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/gitfacts"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/moment"
	"github.com/git-trace/git-trace/trails/vector"
)

// Git may have replaced the last seen content of a path, and somebody may have changed it before the next look. For
// example: git switch, then an edit. Then the edit changed git's content, and the earlier lines are gone unless there
// is evidence for them.

// onTheWay is the ordered list of finders of the content that git put between the last seen content and the new one.
// Each one gets the findings of the previous ones. The result `found` is false if there is no such content. The result
// `more` lists additional candidates.
var onTheWay = []func(q *Query, list []Candidate) (put Text, more []Candidate, found bool, err error){
	headPut, putLast, resumedOnto, poppedOnto, comeBack,
}

// headPut finds HEAD's content, if git wrote it: a stash took the earlier content, git moved on from the commit that
// had it, or the new content is nearer to HEAD's. For example: an agent's line is stashed, and a person then edits the
// file. They edited HEAD's content, which does not have the agent's line.
func headPut(q *Query, list []Candidate) (Text, []Candidate, bool, error) {
	blob, byGit, err := q.headByGit()
	if err != nil || !byGit || blob.IsZero() {
		return Text{}, nil, false, err
	}
	put, err := q.Text(blob)
	if err != nil || put.Whole {
		return Text{}, nil, false, err
	}
	if err := q.learn(put, list); err != nil {
		return Text{}, nil, false, err
	}
	found := q.stashedAway(put) || q.Work.WentOnFrom(q.OldPath, q.Old.OID) ||
		Nearer(q.New.Lines, put.Lines, q.Old.Lines)
	return put, nil, found, nil
}

// putLast finds a content that git may have written before HEAD had another one, if it is the nearest to the new
// content. For example: git rebase drops a commit, git reset --soft ORIG_HEAD follows, and somebody edits the file.
// HEAD has the lines that the rebase removed from the file. A missing file does not count.
func putLast(q *Query, list []Candidate) (put Text, _ []Candidate, found bool, err error) {
	if q.Old.OID.IsZero() {
		return Text{}, nil, false, nil
	}
	last, resets, err := q.Work.PutLast(q.Path)
	if err != nil {
		return Text{}, nil, false, err
	}
	made, err := q.byHand()
	if err != nil {
		return Text{}, nil, false, err
	}
	blobs := slices.DeleteFunc(resets, func(blob refs.OID) bool { return made[blob] })
	put = q.Old
	for _, blob := range append(blobs, last) {
		if blob.IsZero() || blob == q.Old.OID || blob == q.New.OID {
			continue
		}
		t, err := q.Text(blob)
		if err != nil {
			return Text{}, nil, false, err
		}
		if !t.Whole && !Nearer(q.New.Lines, put.Lines, t.Lines) {
			put, found = t, true
		}
	}
	if !found {
		return Text{}, nil, false, nil
	}
	return put, nil, true, q.learn(put, list)
}

// resumedOnto handles a content that somebody committed to continue a rebase. It returns the content that git had left
// there, and the picked commit's content. A later pick may not have changed the file. So the commit at the last look is
// not a better source. For example: a pick of an agent's commit stops at a conflict. A person takes lines of both sides
// and runs git rebase --continue.
func resumedOnto(q *Query, _ []Candidate) (put Text, picked []Candidate, found bool, err error) {
	made, err := q.byHand()
	if err != nil || !made[q.New.OID] || !q.Work.WentOnFrom(q.OldPath, q.Old.OID) {
		return Text{}, nil, false, err
	}
	r, err := q.Work.Resumed(q.Path, q.New.OID, q.Commit)
	if err != nil || r.Before.IsZero() {
		return Text{}, nil, false, err
	}
	if put, err = q.Text(r.Before); err != nil || put.Whole {
		return Text{}, nil, false, err
	}
	for _, blob := range r.Picked {
		picked = append(picked, Candidate{Path: q.Path, Blob: blob, Trust: Far})
	}
	return put, picked, len(picked) > 0, nil
}

// poppedOnto returns the content of a file after git popped a stash and removed it from the list: the stash's own
// content if the file was the same as when the stash was made, else a merge (git-stash(1), pop). The stash may also
// have been dropped instead, so the present content must be closer to that content than to the earlier content. For
// example: an agent's line was stashed, a person runs git stash pop and edits below it.
func poppedOnto(q *Query, _ []Candidate) (Text, []Candidate, bool, error) {
	if q.Work.Before.Index == q.Work.Now.Index { // dropped, or brought back in another work tree
		return Text{}, nil, false, nil
	}
	for _, stash := range q.Work.GoneStashes() {
		put, err := q.broughtBack(stash)
		if err != nil {
			return Text{}, nil, false, err
		}
		if len(put.Lines) > 0 && !Nearer(q.New.Lines, q.Old.Lines, put.Lines) {
			return put, nil, true, nil
		}
	}
	return Text{}, nil, false, nil
}

// comeBack finds a content that the path had and lost, if it is the nearest to the new content. For example: an agent
// writes lines and a person formats them. pre-commit hides them, so that the file has HEAD's content, and brings them
// back. A conflict has git's lines of both sides, and so also words of contents that git did not bring.
func comeBack(q *Query, _ []Candidate) (put Text, _ []Candidate, found bool, err error) {
	if inConflict(q.New.Lines) {
		return Text{}, nil, false, nil
	}
	list, err := Gather(q.at(moment.Returned))
	put = q.Old
	for _, c := range list {
		if c.Kind == Apart || !q.knows(c.Path, c.Blob) {
			continue
		}
		t, err := q.Text(c.Blob)
		if err != nil {
			return Text{}, nil, false, err
		}
		if t.Whole || !q.begins(c.Blob, put, t.Lines) {
			continue
		}
		if err := q.learn(t, []Candidate{c}); err != nil {
			return Text{}, nil, false, err
		}
		put, found = t, true
	}
	if found && err == nil {
		put, _, err = q.inOtherSigns(put, vector.Content{})
	}
	return put, nil, found, err
}

// broughtBack returns git's result of applying a stash to a file, if its owners are known. It returns an empty text if
// they are not, if the stash does not change the file, or if there is a conflict.
func (q *Query) broughtBack(stash refs.OID) (Text, error) {
	parts, _ := gitfacts.StashOf(q.Git, stash) // a commit that is not a stash has no parts
	base, blob, err := parts.Blob(q.Git, q.Path)
	if err != nil || blob.IsZero() || blob == q.Old.OID || base == blob || !q.knows(q.Path, blob) {
		return Text{}, err
	}
	theirs, err := q.Text(blob)
	if err != nil || theirs.Whole {
		return Text{}, err
	}
	if base == q.Old.OID {
		return theirs, nil
	}
	was, err := q.Text(base)
	if err != nil || was.Whole || base.IsZero() || q.Old.OID.IsZero() || q.Old.Whole {
		return Text{}, err
	}
	merged, clean := linediff.Merge(was.Lines, q.Old.Lines, theirs.Lines)
	if !clean || len(merged) == 0 {
		return Text{}, nil
	}
	back := q.Keep(append(bytes.Join(merged, []byte("\n")), '\n'))
	with := q.at(moment.Popped)
	with.popped = blob
	list, err := Gather(with)
	if err != nil {
		return Text{}, err
	}
	return back, q.learn(back, list)
}

// stashedAway reports whether a new stash took the last seen content of the file, so that the file then had HEAD's
// content. The stash may also hold later changes in other places. Then it must have all lines that this content has and
// HEAD's content does not have. Staged lines may have been kept (git-stash(1), --keep-index), so they are not evidence.
// For example: an agent writes a line, and a person runs git stash and writes another one. The second line was added to
// HEAD's content.
func (q *Query) stashedAway(head Text) bool {
	return slices.ContainsFunc(q.Work.Now.Stashes, func(stash refs.OID) bool {
		parts, found := gitfacts.StashOf(q.Git, stash)
		if slices.Contains(q.Work.Before.Stashes, stash) || !found {
			return false
		}
		index, err := q.Git.Blob(parts.Index, q.Path)
		if err != nil || index != head.OID {
			return false
		}
		worktree, err := q.Git.Blob(stash, q.OldPath)
		if err != nil || worktree == q.Old.OID {
			return err == nil
		}
		taken, err := q.Text(worktree)
		return err == nil && !taken.Whole && tookAll(head.Lines, q.Old.Lines, taken.Lines)
	})
}

// tookAll reports whether a stash has each line that a content adds to its base, between the same neighbours. A stash
// of some changes alone (git-stash(1), --patch) may have an equal line elsewhere, such as the closing brace of another
// function.
func tookAll(base, content, stash [][]byte) bool {
	in := map[int]int{-1: -1, len(content): len(stash)} // places in the stash; beginnings and ends match
	for at, from := range linediff.Lineage(content, stash) {
		if from >= 0 {
			in[from] = at
		}
	}
	together := func(i int) bool { // this line and the next one
		at, found := in[i]
		next, foundNext := in[i+1]
		return found && foundNext && next == at+1
	}
	added := false
	for i, from := range linediff.Lineage(base, content) {
		if from >= 0 {
			continue
		}
		if !together(i-1) || !together(i) {
			return false
		}
		added = true
	}
	return added
}
