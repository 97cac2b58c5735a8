package gitfacts

import (
	"testing"

	"github.com/git-trace/git-trace/refs"
)

// after is the work since HEAD was at the first object, by the entries of a reflog and what else the repository has.
func after(t *testing.T, read Reader, files map[string]string, entries ...string) *Work {
	t.Helper()
	old := reflog(t, "1 commit: before")
	all := map[string]string{"logs/HEAD": old + reflog(t, entries...)}
	for name, text := range files {
		all[name] = text
	}
	repo := placeOf(t, all)
	moves := Last(repo, 1)
	before := Mark{Head: id(t, 1), Branch: "refs/heads/main", Log: int64(len(old)), Index: 1}
	now := Mark{Head: moves[0].To, Branch: "refs/heads/main", Log: repo.LogPosition("HEAD"), Index: 2}
	return Between(repo, read, before, now)
}

func TestWhichCommitsWereMadeByHand(t *testing.T) {
	t.Parallel()
	w := after(t, history(), nil, "2 commit: x", "3 rebase (pick): y", "4 rebase (continue): z")
	equal(t, "by hand", w.ByHand(refs.OID{}), 2, 4)
	if w.MadeByHand(id(t, 3), refs.OID{}) || !w.MadeByHand(id(t, 2), refs.OID{}) || !w.MadeSince(id(t, 3)) || w.MadeSince(id(t, 9)) {
		t.Error("a pick is made by git, a commit by hand")
	}
	equal(t, "the one asked for ends the reflog", w.ByHand(id(t, 4)), 2, 4)
	equal(t, "the one asked for does not", w.ByHand(id(t, 3)), 2, 4, 3)
	patching := after(t, history(), map[string]string{"REBASE_HEAD": id(t, 8).String() + "\n"}, "2 rebase (pick): x")
	patching.Now.Replays = "rebase-apply"
	equal(t, "where patches are applied", patching.ByHand(id(t, 2)), 2)
	none := Between(placeOf(t, nil), history(), Mark{}, Mark{})
	equal(t, "without a reflog", none.ByHand(id(t, 5)), 5)
	if none.Known() || !none.MadeSince(id(t, 5)) {
		t.Error("without a reflog no commit is thought to be older")
	}
}

func TestWhetherOnlyCommitsWereMade(t *testing.T) {
	t.Parallel()
	w := after(t, history(), nil, "2 commit: x", "3 commit: y", "4 checkout: moving from main to topic", "5 commit: z")
	for n, want := range map[int]bool{2: true, 3: true, 4: false, 5: false, 9: false} {
		if got := w.OnlyCommitsUntil(id(t, n)); got != want {
			t.Errorf("until %d: %v", n, got)
		}
	}
	if plain := after(t, history(), nil, "2 commit: x"); plain.OnlyCommitsUntil(id(t, 9)) {
		t.Error("a commit that was not made is no end")
	}
	w.Before.Replays = "MERGE_HEAD"
	if w.OnlyCommitsUntil(id(t, 2)) {
		t.Error("a merge was under way")
	}
}

func TestWhereHeadWas(t *testing.T) {
	t.Parallel()
	w := after(t, history(), nil, "2 checkout: moving from main to group/topic", "3 commit: x", "2 reset: moving to HEAD~1", "4 commit: y")
	for name, tt := range map[string]struct {
		commit int
		branch string
		want   bool
	}{
		"before":                  {1, "main", true},
		"on the branch":           {3, "group/topic", true},
		"older git cuts the name": {3, "topic", true},
		"on no branch":            {3, "", true},
		"another branch":          {3, "other", false},
		"another commit":          {9, "main", false},
	} {
		if got := w.WasAt(id(t, tt.commit), tt.branch); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	equal(t, "lately", w.Lately(), 4, 2, 3)
	equal(t, "left for", w.LeftFor(id(t, 2)), 3, 1)
	equal(t, "left for one that HEAD was never at", w.LeftFor(id(t, 9)))
}

func TestWhetherGitPutAnotherContentThere(t *testing.T) {
	t.Parallel()
	h := history()
	h.has(t, 1, "f", 11)
	h.has(t, 2, "f", 12)
	for name, tt := range map[string]struct {
		entries          []string
		wentOn, wentFrom bool
	}{
		"by a checkout":        {[]string{"2 checkout: moving from main to topic"}, true, true},
		"by a commit":          {[]string{"2 commit: x"}, false, false},
		"by a reset, or not":   {[]string{"2 reset: moving to 2"}, false, false},
		"a reset to the same":  {[]string{"1 reset: moving to HEAD", "2 checkout: moving from main to topic"}, true, true},
		"a merge after commit": {[]string{"1 commit: x", "2 merge topic: Fast-forward"}, true, true},
	} {
		w := after(t, h, nil, tt.entries...)
		if got := w.WentOn(id(t, 1), "f", id(t, 11)); got != tt.wentOn {
			t.Errorf("%s, of a commit: %v", name, got)
		}
		if got := w.WentOnFrom("f", id(t, 11)); got != tt.wentFrom {
			t.Errorf("%s, of a file: %v", name, got)
		}
	}
	w := after(t, h, nil, "2 checkout: moving from main to topic")
	if w.WentOnFrom("f", refs.OID{}) || w.WentOnFrom("f", id(t, 13)) || w.WentOn(id(t, 1), "f", id(t, 12)) {
		t.Error("of a content that was not there")
	}
}

func TestStashesThatCameAndWent(t *testing.T) {
	t.Parallel()
	w := &Work{Before: Mark{Stashes: ids(t, 3, 2, 1)}, Now: Mark{Stashes: ids(t, 5, 4, 2)}}
	equal(t, "new", Newer(w.Now.Stashes, w.Before.Stashes), 5, 4)
	equal(t, "gone", w.GoneStashes(), 3, 1)
	equal(t, "all are new", Newer(ids(t, 2), nil), 2)
}

func TestPartsOfAStash(t *testing.T) {
	t.Parallel()
	h := history()
	h.commit(t, 1, "x")
	h.commit(t, 2, "index on group/topic: 1234567 x", 1)
	h.commit(t, 3, "untracked files")
	h.commit(t, 4, "WIP on topic", 1, 2, 3)
	h.commit(t, 5, "WIP on topic", 1, 2)
	h.has(t, 1, "f", 11)
	h.has(t, 1, "gone", 15)
	h.has(t, 4, "f", 12)
	h.has(t, 3, "new", 13)
	stash, found := StashOf(h, id(t, 4))
	if !found || stash != (Stash{id(t, 4), id(t, 1), id(t, 2), id(t, 3)}) {
		t.Fatalf("the stash is %+v", stash)
	}
	blobs, err := stash.Blobs(h)
	if err != nil || len(blobs) != 3 || blobs["f"] != id(t, 12) || blobs["new"] != id(t, 13) || !blobs["gone"].IsZero() {
		t.Errorf("it has %v, %v", blobs, err)
	}
	for path, want := range map[string][2]int{"f": {11, 12}, "new": {0, 13}, "gone": {15, 0}, "none": {}} {
		head, blob, err := stash.Blob(h, path)
		if err != nil || head != id(t, want[0]) || blob != id(t, want[1]) {
			t.Errorf("%s: %s and %s", path, head, blob)
		}
	}
	if branch, ok := stash.Branch(h); !ok || branch != "group/topic" {
		t.Errorf("made on %q", branch)
	}
	if small, found := StashOf(h, id(t, 5)); !found || !small.Untracked.IsZero() {
		t.Errorf("without untracked files: %+v", small)
	}
	for _, n := range []int{1, 99} {
		if _, found := StashOf(h, id(t, n)); found {
			t.Errorf("%d is no stash", n)
		}
	}
	if _, ok := (Stash{Index: id(t, 99)}).Branch(h); ok {
		t.Error("an index that is gone names no branch")
	}
	if got := stashedOn("index on (no branch): 1234567 x"); got != "" {
		t.Errorf("a detached HEAD is on %q", got)
	}
}

func TestWhatGitPutLast(t *testing.T) {
	t.Parallel()
	h := history()
	h.has(t, 1, "f", 11)
	h.has(t, 2, "f", 12)
	h.has(t, 3, "f", 13)
	for name, tt := range map[string]struct {
		entries []string
		put     int
		resets  []int
	}{
		"a checkout":                 {[]string{"2 checkout: moving from main to topic"}, 12, nil},
		"and back":                   {[]string{"2 checkout: moving from main to topic", "1 checkout: moving from topic to main"}, 11, nil},
		"then a reset":               {[]string{"2 rebase (start): checkout 2", "1 reset: moving to ORIG_HEAD"}, 12, []int{11}},
		"then a commit by hand":      {[]string{"2 rebase (pick): x", "3 commit (amend): x"}, 12, nil},
		"then a move that leaves it": {[]string{"2 rebase (pick): x", "3 commit: x", "3 checkout: moving from main to topic"}, 12, nil},
		"a reset to the same commit": {[]string{"1 reset: moving to HEAD"}, 0, []int{11}},
		"commits and resets":         {[]string{"2 commit: x", "3 reset: moving to 3", "1 reset: moving to HEAD~1"}, 0, []int{11, 13}},
	} {
		put, resets, err := after(t, h, nil, tt.entries...).PutLast("f")
		if err != nil || put != id(t, tt.put) {
			t.Errorf("%s: %s, %v; want %d", name, put, err, tt.put)
		}
		equal(t, name, resets, tt.resets...)
	}
}
