package gitfacts

import (
	"slices"

	"github.com/git-trace/git-trace/refs"
)

// Role says how a commit took part in git's work.
type Role uint8

// The roles of operands.
const (
	RoleMerged   Role = iota // MERGE_HEAD, the other parent of a merge
	RoleSquashed             // see Mark
	RolePicked               // picked with or without a commit, by git or by hand
	RoleReverted             // reverted
	RoleNamed                // CHERRY_PICK_HEAD, REVERT_HEAD, REBASE_HEAD, ORIG_HEAD
	RoleRebased              // the commit at which a rebase is
	RoleStash                // a part of a stash: its work tree, HEAD, index or untracked files
	RoleHead                 // HEAD's commit
	RolePast                 // an earlier commit of HEAD
)

// Operand is a commit from which git may have taken contents.
type Operand struct {
	Commit refs.OID
	Role   Role
	// `Perhaps` is true if nothing shows that git took contents from it: a stash may have been applied.
	Perhaps bool
	// Unlooked marks a stash that is newer than the last full snapshot. Only its contents that snapshots have explain a
	// change.
	Unlooked bool
}

// Asking holds further inputs, in addition to git's state.
type Asking struct {
	Commit refs.OID   // the commit that is being anchored, or the zero id
	Squash refs.OID   // see Mark; also set if the commit has used the prepared message
	Seen   []refs.OID // the stashes at the last full snapshot
}

// maxOperands limits the number of commits whose content is read for a path.
const maxOperands = 24

// namedRefs lists the refs that name the commit of an operation in progress.
var namedRefs = []string{"CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD", "ORIG_HEAD"}

// operands is a list of operands without duplicates.
type operands struct {
	*Work
	list []Operand
	most int
}

func (o *operands) add(like Operand, commits ...refs.OID) {
	for _, oid := range commits {
		known := slices.ContainsFunc(o.list, func(one Operand) bool { return one.Commit == oid })
		if !oid.IsZero() && !known && len(o.list) < o.most {
			like.Commit = oid
			o.list = append(o.list, like)
		}
	}
}

func (o *operands) withParents(like Operand, commits ...refs.OID) {
	for _, commit := range commits {
		if commit.IsZero() {
			continue
		}
		o.add(like, commit)
		if c, err := o.Reader.Commit(commit); err == nil {
			o.add(like, c.Parents...)
		}
	}
}

func (o *operands) stashes(perhaps bool, seen, list []refs.OID) {
	for _, stash := range list {
		o.withParents(Operand{Role: RoleStash, Perhaps: perhaps, Unlooked: !slices.Contains(seen, stash)}, stash)
	}
}

// Operands lists the commits from which git may have taken contents, with their parents, and the earlier commits of
// HEAD. The nearest ones come first. A stash that only may have been applied is marked Perhaps.
func (w *Work) Operands(asking Asking) []Operand {
	o := operands{Work: w, most: maxOperands}
	o.underWay(asking)
	before, now := w.Before.Stashes, w.Now.Stashes
	if !slices.Equal(before, now) {
		o.stashes(false, asking.Seen, w.GoneStashes())
		o.stashes(true, asking.Seen, before[:min(1, len(before))])
		o.stashes(true, asking.Seen, now[:min(1, len(now))])
	} else if w.MayHaveApplied() {
		const likely = 4
		o.stashes(true, asking.Seen, now[:min(likely, len(now))])
	}
	o.withParents(Operand{Role: RoleHead}, w.Now.Head)
	o.add(Operand{Role: RolePast}, w.Before.Head)
	moves, _ := w.Moves()
	for _, m := range slices.Backward(moves) {
		o.withParents(Operand{Role: RolePicked}, w.pickedByHand(m, asking.Commit)...)
		o.add(Operand{Role: RolePast}, m.To)
		if m.Reverts {
			o.withParents(Operand{Role: RoleReverted}, w.reverted(m.To))
		}
	}
	return o.list
}

// StashesThatMayBeApplied lists stashes as operands, if the only known fact is that one of them may have been applied.
func (w *Work) StashesThatMayBeApplied(asking Asking) []Operand {
	o := operands{Work: w, most: maxOperands}
	o.stashes(true, asking.Seen, w.Now.Stashes)
	return o.list
}

// underWay adds the commits that the files and refs of an operation name. The operation has stopped at a conflict, or
// has left its message.
func (o *operands) underWay(asking Asking) {
	for _, oid := range slices.Backward(namedIn(o.repo, "MERGE_HEAD")) {
		o.withParents(Operand{Role: RoleMerged}, oid)
	}
	o.withParents(Operand{Role: RoleSquashed}, asking.Squash)
	o.withParents(Operand{Role: RolePicked}, o.pickedLoose(asking.Commit)...)
	for _, name := range namedRefs {
		if oid, err := o.repo.ReadRef(name); err == nil {
			o.withParents(Operand{Role: RoleNamed}, oid)
		}
	}
	if done := namedIn(o.repo, "rebase-merge/done"); len(done) > 0 {
		o.withParents(Operand{Role: RoleRebased}, done[len(done)-1])
	}
}

// TakenAlong lists the commits from which git may have taken whole files: commits that were merged, picked or rebased,
// and stashes that were dropped. A stash still exists if applying it stopped at such a file (git-stash(1), pop).
func (w *Work) TakenAlong(asked refs.OID) []Operand {
	o := operands{Work: w, most: MaxCommitted}
	named := func(names ...string) {
		for _, name := range names {
			if oid, err := w.repo.ReadRef(name); err == nil {
				o.add(Operand{Role: RoleNamed}, oid)
			}
		}
	}
	o.add(Operand{Role: RoleMerged}, w.Merging()...)
	named("CHERRY_PICK_HEAD", "REBASE_HEAD")
	for _, stash := range w.GoneStashes() {
		o.wholeStash(Operand{Role: RoleStash}, stash)
	}
	moves, _ := w.Moves()
	for _, m := range slices.Backward(moves[max(0, len(moves)-MaxCommitted):]) {
		commit, err := w.Reader.Commit(m.To)
		switch {
		case err != nil: // skip a missing commit
		case len(commit.Parents) > 1:
			o.add(Operand{Role: RoleMerged}, commit.Parents[1:]...)
		case m.Kind == Picked || m.Kind == PickCommitted:
			o.add(Operand{Role: RolePicked}, w.Namesakes(commit, asked)...)
		case m.Kind.Rebases():
			named("ORIG_HEAD")
		}
	}
	if w.MayHaveApplied() {
		o.wholeStash(Operand{Role: RoleStash, Perhaps: true}, w.Now.Stashes[0])
	}
	return o.list
}

// wholeStash adds a stash, and the commit with its untracked files.
func (o *operands) wholeStash(like Operand, stash refs.OID) {
	if c, err := o.Reader.Commit(stash); err == nil && len(c.Parents) > 1 {
		o.add(like, stash)
		o.add(like, c.Parents[2:]...)
	}
}

// Merging lists the commits of a merge in progress.
func (w *Work) Merging() []refs.OID { return namedIn(w.repo, "MERGE_HEAD") }
