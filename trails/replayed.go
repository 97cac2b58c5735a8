package trails

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// maxReplayed bounds the commits that are asked for what they have at a path.
const maxReplayed = 24

// operandRefs name the commit that an operation under way is about.
var operandRefs = []string{"CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD", "ORIG_HEAD"}

// replayed returns the commits from which git may have taken what it wrote between two marks: those that a merge, a
// squash, a cherry-pick, a revert, a rebase or a stash is about, with their parents, and those that HEAD has been at. The nearest
// come first. A stash that may have been applied, though nothing tells that one was, is named in w.perhaps; one that is newer than the
// last look at everything, in w.unlooked.
func (s *step) replayed(w *gitWork) []refs.OID {
	before := w.before
	w.perhaps, w.unlooked = map[refs.OID]bool{}, map[refs.OID]bool{}
	var out []refs.OID
	add := func(oids ...refs.OID) {
		for _, oid := range oids {
			if !oid.IsZero() && !slices.Contains(out, oid) && len(out) < maxReplayed {
				out = append(out, oid)
			}
		}
	}
	withParents := func(oid refs.OID) {
		if oid.IsZero() {
			return
		}
		add(oid)
		if c, err := s.objects.Commit(oid); err == nil {
			add(c.Parents...)
		}
	}
	stashes := func(list []refs.OID) {
		for _, stash := range list {
			known := len(out)
			withParents(stash) // the work tree, HEAD, the index, and the files that were not tracked
			if !slices.Contains(s.state.Git.Stashes, stash) {
				for _, oid := range out[known:] {
					w.unlooked[oid] = true
				}
			}
		}
	}
	perhaps := func(list []refs.OID) {
		known := len(out)
		stashes(list)
		for _, oid := range out[known:] {
			w.perhaps[oid] = true
		}
	}
	if w.doubtful {
		perhaps(s.now.Stashes)
		return out
	}
	for _, oid := range slices.Backward(operandFile(s.repo, "MERGE_HEAD")) {
		withParents(oid)
	}
	withParents(s.squash)
	for _, oid := range s.pickedLoose(w) {
		withParents(oid)
	}
	for _, name := range operandRefs {
		if oid, err := s.repo.ReadRef(name); err == nil {
			withParents(oid)
		}
	}
	if done := operandFile(s.repo, "rebase-merge/done"); len(done) > 0 {
		withParents(done[len(done)-1]) // the one that is being picked
	}
	if !slices.Equal(before.Stashes, s.now.Stashes) {
		stashes(slices.DeleteFunc(slices.Clone(before.Stashes), func(oid refs.OID) bool { return slices.Contains(s.now.Stashes, oid) }))
		perhaps(before.Stashes[:min(1, len(before.Stashes))])
		perhaps(s.now.Stashes[:min(1, len(s.now.Stashes))])
	} else if appliedStash(before, s.now) {
		perhaps(s.now.Stashes[:min(4, len(s.now.Stashes))])
	}
	withParents(s.now.Head)
	add(before.Head)
	steps, _ := stepsSince(s.repo, before)
	for _, step := range slices.Backward(steps) {
		for _, oid := range s.pickedByHand(w, step) {
			withParents(oid)
		}
		add(step.new)
		if step.reverts() {
			withParents(s.reverted(step.new))
		}
	}
	return out
}

// operandFile lists the ids in a file that names several commits, in order.
func operandFile(repo *refs.Repo, name string) []refs.OID {
	raw, err := os.ReadFile(filepath.Join(repo.GitDir, filepath.FromSlash(name)))
	if err != nil {
		return nil
	}
	var out []refs.OID
	for field := range strings.FieldsSeq(string(raw)) {
		if oid, err := refs.ParseOID(field); err == nil {
			out = append(out, oid)
		}
	}
	return out
}

// revertedWords is what git-revert(1) writes into the message, before the id of the commit.
const revertedWords = "This reverts commit "

// reverted is the commit that another one takes back, as its message says; no id if it says nothing of the kind.
func (s *step) reverted(commit refs.OID) refs.OID {
	c, err := s.objects.Commit(commit)
	if err != nil {
		return refs.OID{}
	}
	return revertedBy(c.Message)
}

// revertedBy is the commit that a message says is taken back.
func revertedBy(message string) refs.OID {
	_, rest, _ := strings.Cut(message, revertedWords)
	id := strings.TrimRight(strings.SplitN(rest, "\n", 2)[0], ". ,")
	oid, err := refs.ParseOID(id)
	if err != nil {
		return refs.OID{}
	}
	return oid
}
