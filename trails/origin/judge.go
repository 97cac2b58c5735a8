package origin

import (
	"bytes"
	"slices"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/moment"
	"github.com/git-trace/git-trace/trails/vector"
)

// Verdict is the judgement of a change.
type Verdict struct {
	// Explained says that the owners of the whole content are known.
	Explained bool
	// Put is a content with which git had replaced the last seen one, if somebody then changed it.
	Put *Text
	// `From` holds the sources of the new lines.
	From []vector.Origin
}

// Judge finds the explanation of a change. A content that the path had before keeps its former owners: git restored it,
// or somebody undid their change. Text that was typed again looks the same. For example: a person deletes an agent's
// line, and their editor's undo brings it back. It is the agent's.
func (q *Query) Judge() (v Verdict, err error) {
	if q.Work.Elsewhere {
		if v, err = q.fromElsewhere(); v.Explained || err != nil {
			return v, err
		}
	}
	if !q.Work.Restored {
		return q.withoutGit(v)
	}
	if q.New.OID.IsZero() { // git deletes what another commit does not have
		gone, err := q.Git.Blob(q.base(), q.Path)
		return Verdict{Explained: err == nil && gone.IsZero()}, nil
	}
	if q.knows(q.Path, q.New.OID) {
		return Verdict{Explained: true}, nil
	}
	if q.New.Whole || q.Old.Whole {
		head, err := q.Git.Blob(q.base(), q.Path)
		return Verdict{Explained: head == q.New.OID}, err
	}
	return q.composed()
}

// fromElsewhere finds contents that git may have brought from another work tree. If another work tree had the content
// last, the content is explained; otherwise the lines of that content keep their owners. For example: an agent writes
// in one work tree, a person stashes that there and pops it here.
func (q *Query) fromElsewhere() (v Verdict, err error) {
	if q.New.OID.IsZero() || q.New.Whole || q.Old.Whole {
		return v, nil
	}
	owners, known := q.Memory.Get(q.Path, q.New.OID)
	if known && owners.Len() == len(q.New.Lines) && slices.Contains(q.held(), q.New.OID) {
		return Verdict{Explained: true}, nil
	}
	if q.Work.Restored {
		return v, nil // see composed
	}
	list, err := Gather(q.at(moment.OtherTree))
	if err == nil && len(list) > 1 { // more candidates than this path's earlier content
		v.From, err = Explain(q.New.Lines, list, q.Case)
	}
	return v, err
}

// withoutGit judges a change without a trace of git's work.
func (q *Query) withoutGit(v Verdict) (Verdict, error) {
	if q.New.OID.IsZero() {
		return v, nil
	}
	if q.Old.OID == q.New.OID { // its name or its mode has changed
		head, err := q.Git.Blob(q.base(), q.Path)
		if v.Explained = head == q.New.OID && q.knows(q.Path, q.New.OID); v.Explained || err != nil {
			return v, err
		}
		v.Explained, err = q.asNamedBefore()
		return v, err
	}
	if q.knows(q.Path, q.New.OID) {
		return Verdict{Explained: true}, nil
	}
	if done, err := q.asNamedBefore(); done || err != nil {
		return Verdict{Explained: done}, err
	}
	if !q.Commit.IsZero() {
		list, err := Gather(q.at(moment.CommitLook))
		if err != nil {
			return v, err
		}
		if tracedTo(list, q.New.OID) {
			return Verdict{Explained: true}, nil
		}
		if slices.ContainsFunc(list, func(c Candidate) bool { return c.Kind == Traced }) {
			v.From, err = Explain(q.New.Lines, list, q.Case)
			v.From = markers(q.New.Lines, v.From)
			return v, err
		}
	}
	if v.From != nil || q.Old.Whole || q.New.Whole {
		return v, nil
	}
	return q.returned()
}

// asNamedBefore reports whether a file that HEAD no longer has equals HEAD's file under an older name. For example: git
// mv gave a file a new name, somebody wrote into it, and git restore brought back the index's content.
func (q *Query) asNamedBefore() (bool, error) {
	names := slices.DeleteFunc(q.names(), func(name string) bool { return name == q.Path })
	if len(names) == 0 {
		return false, nil // git has no answer
	}
	if there, err := q.Git.Blob(q.base(), q.Path); err != nil || !there.IsZero() {
		return false, err
	}
	for _, name := range names {
		blob, err := q.Git.Blob(q.base(), name)
		if err != nil {
			return false, err
		}
		if owners, known := q.Memory.Get(name, blob); known && blob == q.New.OID {
			q.Memory.Put(q.Path, blob, owners)
			return true, nil
		}
	}
	return false, nil
}

// `composed` finds the owners of a content that git combined: a merge, a stash popped onto other changes, a picked
// commit. Every line that a candidate has keeps its owner there; the rest is treated like any other change. If a whole
// file comes from git, it is explained, and its new lines have no owner here. For example: git merges an agent's branch
// into a person's file, and each line stays with its writer.
func (q *Query) composed() (v Verdict, err error) {
	look := q.at(moment.GitWrote)
	list, err := Gather(look)
	if err != nil {
		return v, err
	}
	if tracedTo(list, q.New.OID) {
		return Verdict{Explained: true}, look.learn(q.New, list)
	}
	if q.LeftAlone(q.Path) {
		return q.withoutGit(v)
	}
	for _, ask := range onTheWay {
		put, more, found, err := ask(look, list)
		if err != nil {
			return v, err
		}
		if !found {
			continue
		}
		cut, err := look.cutOut(put, list)
		if err != nil {
			return v, err
		}
		head, err := q.Git.Blob(q.base(), q.OldPath) // git may have put lines beside what HEAD has, as in a conflict
		if err != nil {
			return v, err
		}
		for i := range list {
			if list[i].Kind == Before && !cut && list[i].Blob != head {
				list[i].Trust = Faint
			}
		}
		list = slices.Concat(more, list)
		look.OldPath, look.Old = q.Path, put
		v.Put = &put
	}
	all := slices.Concat([]Candidate{{Path: look.OldPath, Blob: look.Old.OID}}, AtMost(list, Far))
	if v.From, err = Explain(q.New.Lines, all, q.Case); err != nil {
		return v, err
	}
	v.From = markers(q.New.Lines, v.From)
	v.From, err = q.inPlace(v.From)
	return v, err
}

// cutOut reports whether git's last content or the last seen one has every line: git writes such a content for a partly
// staged file. For example: pre-commit hides unstaged changes. An agent's closing brace that was staged alone stays the
// agent's.
func (q *Query) cutOut(put Text, list []Candidate) (bool, error) {
	both := []Candidate{{Path: q.Path, Blob: put.OID}}
	for _, c := range list {
		if c.Kind == Before {
			both = append(both, c)
		}
	}
	found, err := Explain(q.New.Lines, both, q.Case)
	other := func(run vector.Origin) bool { return run.Source < 0 || run.Why != vector.Equal }
	return !slices.ContainsFunc(found, other), err
}

// markers removes the owner from the conflict markers that git writes.
func markers(lines [][]byte, found []vector.Origin) []vector.Origin {
	if !inConflict(lines) {
		return found
	}
	var out []vector.Origin
	for _, run := range found {
		for line := run.Start; line < run.Start+run.Count; line++ {
			one := run
			one.Start, one.Count = line, 1
			if run.Source < 0 && vector.ConflictMarker(lines[line]) {
				one.Source, one.Owner = 0, vector.Unknown
			}
			out = append(out, one)
		}
	}
	return out
}

// inConflict reports whether git left a conflict in a file.
func inConflict(lines [][]byte) bool {
	return slices.ContainsFunc(lines, func(l []byte) bool { return bytes.HasPrefix(l, []byte("<<<<<<< ")) })
}

// Owners returns the known owners of a content of the path; they are unknown if no change of the path was recorded. If
// the content was not seen, but other contents of the path were, the content gets its owners from these. For example:
// git checks out a commit between two commits that were seen.
func (q *Query) Owners(t Text) vector.Vector {
	if v, known := q.Memory.Get(q.Path, t.OID); known && v.Len() == len(t.Lines) {
		return v
	}
	if !t.OID.IsZero() && !t.Whole && len(q.Memory.Blobs(q.Path, 1)) > 0 {
		list, err := Gather(q.at(moment.OnTheWay))
		if err == nil && q.learn(t, list) == nil {
			v, _ := q.Memory.Get(q.Path, t.OID)
			return v
		}
	}
	return vector.Uniform(len(t.Lines), vector.Unknown)
}

// learn remembers the owners, according to the candidates, of a content that git brought.
func (q *Query) learn(t Text, list []Candidate) error {
	if q.knows(q.Path, t.OID) {
		return nil
	}
	for _, c := range list { // look for the same content under another name
		if v, known := q.Memory.Get(c.Path, c.Blob); known && c.Blob == t.OID && v.Len() == len(t.Lines) {
			q.Memory.Put(q.Path, t.OID, v)
			return nil
		}
	}
	for _, name := range q.Memory.Names(q.Path) {
		if v, known := q.Memory.Get(name, t.OID); known && v.Len() == len(t.Lines) {
			q.Memory.Put(q.Path, t.OID, v)
			return nil
		}
	}
	found, err := Explain(t.Lines, otherThan(t.OID, list), q.Case)
	if err != nil {
		return err
	}
	var b vector.Builder
	for _, run := range found {
		b.Add(run.Owner, run.Count)
	}
	q.Memory.Put(q.Path, t.OID, b.Vector())
	return nil
}

// Lines returns the sources of the lines of the new content.
func (q *Query) Lines() ([]vector.Origin, error) {
	list, err := Gather(q)
	if err != nil {
		return nil, err
	}
	if q.Moment == moment.Stashed {
		list = otherThan(q.New.OID, list)
	}
	return Explain(q.New.Lines, list, q.Case)
}

// otherThan leaves out the content itself.
func otherThan(blob refs.OID, list []Candidate) []Candidate {
	return slices.DeleteFunc(slices.Clone(list), func(c Candidate) bool { return c.Blob == blob && c.Kind != Earlier })
}
