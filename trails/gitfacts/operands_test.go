package gitfacts

import (
	"slices"
	"testing"

	"github.com/git-trace/git-trace/refs"
)

func commitsOf(list []Operand) []refs.OID {
	var out []refs.OID
	for _, o := range list {
		out = append(out, o.Commit)
	}
	return out
}

// The commits that an operation names come first, then stashes, then those that HEAD was at, each with its parents.
func TestCommitsThatGitMayHaveTakenFrom(t *testing.T) {
	t.Parallel()
	h := history()
	h.commit(t, 1, "one")
	h.commit(t, 20, "merged", 21)
	h.commit(t, 30, "picked", 31)
	h.commit(t, 40, "a stash", 1, 41)
	h.commit(t, 50, "Revert\n\nThis reverts commit "+id(t, 51).String()+".\n", 1)
	h.commit(t, 2, "two", 1)
	w := after(t, h, map[string]string{
		"MERGE_HEAD":        id(t, 20).String() + "\n",
		"CHERRY_PICK_HEAD":  id(t, 30).String() + "\n",
		"rebase-merge/done": "pick " + id(t, 60).String() + "\npick " + id(t, 61).String() + "\n",
	}, `50 revert: Revert "x"`, "2 checkout: moving from main to topic")
	w.Before.Stashes = ids(t, 40)
	list := w.Operands(Asking{Squash: id(t, 70), Seen: ids(t, 40)})
	equal(t, "operands", commitsOf(list), 20, 21, 70, 30, 31, 61, 40, 1, 41, 2, 50, 51)
	roles := map[int]Role{20: RoleMerged, 21: RoleMerged, 70: RoleSquashed, 30: RoleNamed, 61: RoleRebased, 40: RoleStash, 2: RoleHead, 50: RolePast, 51: RoleReverted}
	for _, o := range list {
		for n, role := range roles {
			if o.Commit == id(t, n) && o.Role != role {
				t.Errorf("%d has the role %d, want %d", n, o.Role, role)
			}
		}
		if o.Perhaps || o.Unlooked {
			t.Errorf("%s is in doubt", o.Commit)
		}
	}
}

// A stash that is gone was popped or dropped. One that is there may have been applied.
func TestStashesThatMayHaveBeenApplied(t *testing.T) {
	t.Parallel()
	h := history()
	h.commit(t, 40, "a stash", 1, 41)
	h.commit(t, 45, "a stash", 1, 46)
	for name, tt := range map[string]struct {
		before, now []int
		perhaps     []int
		unlooked    []int
		want        []int
	}{
		"one is gone":        {[]int{40}, nil, nil, []int{40, 1, 41}, []int{40, 1, 41, 2}},
		"one is new":         {[]int{40}, []int{45, 40}, []int{40, 1, 41, 45, 46}, []int{40, 1, 41, 45, 46}, []int{40, 1, 41, 45, 46, 2}},
		"one may be applied": {[]int{40}, []int{40}, []int{40, 1, 41}, []int{40, 1, 41}, []int{40, 1, 41, 2}},
	} {
		w := after(t, h, nil, "2 checkout: moving from main to topic")
		w.Before.Stashes, w.Now.Stashes = ids(t, tt.before...), ids(t, tt.now...)
		list := w.Operands(Asking{})
		equal(t, name, commitsOf(list), tt.want...)
		for _, o := range list {
			if want := slices.Contains(ids(t, tt.perhaps...), o.Commit); o.Perhaps != want {
				t.Errorf("%s: %s perhaps %v, want %v", name, o.Commit, o.Perhaps, want)
			}
			if want := slices.Contains(ids(t, tt.unlooked...), o.Commit); o.Unlooked != want {
				t.Errorf("%s: %s unlooked %v, want %v", name, o.Commit, o.Unlooked, want)
			}
		}
		equal(t, name+", nothing else is known", commitsOf(w.StashesThatMayBeApplied(Asking{})), func() []int {
			var out []int
			for _, n := range tt.now {
				if out = append(out, n); n == 45 {
					out = append(out, 1, 46)
				} else if len(out) == 1 {
					out = append(out, 1, 41)
				} else {
					out = append(out, 41)
				}
			}
			return out
		}()...)
	}
}

// A commit with the same message, author and date may be the one that was picked. What somebody made here is not.
func TestCommitsThatAnotherOneWasPickedFrom(t *testing.T) {
	t.Parallel()
	h := history()
	h.commit(t, 5, "picked\n", 4)
	h.commit(t, 6, "other\n", 4)
	h.commit(t, 7, "picked\n", 4)
	other := h.made[id(t, 7)]
	other.Author.Name = "Somebody else"
	h.made[id(t, 7)] = other
	h.commit(t, 2, "picked\n\n(cherry picked from commit x)\n", 1)
	h.newest = ids(t, 2, 7, 6, 5, 99)
	w := after(t, h, nil, "2 commit (cherry-pick): picked")
	equal(t, "foreign", w.Foreign(refs.OID{}), 7, 6, 5, 99)
	equal(t, "namesakes", w.Namesakes(h.made[id(t, 2)], refs.OID{}), 5)
	equal(t, "operands", commitsOf(w.Operands(Asking{})), 2, 1, 5, 4)
	loose := after(t, h, map[string]string{"MERGE_MSG": "picked\n# Conflicts:\n"}, "3 reset: moving to 3")
	loose.Now.Message = 7
	equal(t, "picked without a commit", commitsOf(loose.Operands(Asking{})), 7, 4, 5, 3, 1)
	loose.Now.Squash = id(t, 9)
	equal(t, "a squash has a message too", commitsOf(loose.Operands(Asking{})), 3, 1)
	back := after(t, h, map[string]string{"MERGE_MSG": "Revert\n\nThis reverts commit " + id(t, 6).String() + ".\n"}, "3 reset: moving to 3")
	back.Now.Message = 7
	equal(t, "taken back without a commit", commitsOf(back.Operands(Asking{})), 6, 4, 3, 1)
	w.Now.Log = 0
	equal(t, "without a reflog", w.Foreign(refs.OID{}))
}

func TestFilesThatWereTakenAlong(t *testing.T) {
	t.Parallel()
	h := history()
	h.commit(t, 2, "merge", 1, 20)
	h.commit(t, 3, "picked\n", 2)
	h.commit(t, 5, "picked\n", 4)
	h.commit(t, 4, "x")
	h.commit(t, 40, "a stash", 1, 41, 42)
	h.commit(t, 45, "a stash", 1, 46)
	h.newest = ids(t, 5)
	w := after(t, h, map[string]string{"ORIG_HEAD": id(t, 8).String() + "\n", "MERGE_HEAD": id(t, 9).String() + "\n"},
		"2 merge topic: Merge made by the 'ort' strategy.", "3 cherry-pick: picked", "4 rebase (finish): returning to refs/heads/main", "99 commit: gone")
	w.Before.Stashes, w.Now.Stashes = ids(t, 40), ids(t, 45)
	list := w.TakenAlong(refs.OID{})
	equal(t, "taken along", commitsOf(list), 9, 40, 42, 8, 5, 20, 45)
	if last := list[len(list)-1]; !last.Perhaps || list[1].Perhaps {
		t.Error("the stash that is there may have been applied, the one that is gone was")
	}
}

// Somebody resolved the conflict of a rebase: what git had put there, and what was picked.
func TestWhatARebaseWentOnWith(t *testing.T) {
	t.Parallel()
	h := history()
	h.commit(t, 3, "x\n", 2)
	h.commit(t, 7, "x\n", 6)
	h.has(t, 2, "f", 12)
	h.has(t, 3, "f", 13)
	h.has(t, 7, "f", 17)
	h.newest = ids(t, 7)
	w := after(t, h, nil, "2 rebase (start): checkout main", "3 rebase (continue): x", "4 rebase (pick): y")
	r, err := w.Resumed("f", id(t, 13), refs.OID{})
	if err != nil || r.Before != id(t, 12) {
		t.Errorf("git had put there %s, %v", r.Before, err)
	}
	equal(t, "picked", r.Picked, 17)
	if r, err = w.Resumed("f", id(t, 14), refs.OID{}); err != nil || !r.Before.IsZero() {
		t.Errorf("another content: %+v, %v", r, err)
	}
}

func TestWhichCommitAMessageTakesBack(t *testing.T) {
	t.Parallel()
	seven := id(t, 7)
	for message, want := range map[string]refs.OID{
		"Revert \"x\"\n\nThis reverts commit " + seven.String() + ".\n":                               seven,
		"Revert \"x\"\n\nThis reverts commit " + seven.String() + ", reversing\nchanges made to y.\n": {},
		"Revert \"x\"\n\nThis reverts commit " + seven.String() + ",\nfor a reason.\n":                seven,
		"This reverts commit abc.\n": {},
		"Nothing of the kind":        {},
	} {
		if got := revertedBy(message); got != want {
			t.Errorf("%q takes back %s, want %s", message, got, want)
		}
	}
}
