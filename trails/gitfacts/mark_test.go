package gitfacts

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// What stands in the repository tells whether git wrote files since the last look. The index is written with them.
func TestWhetherGitWroteTheWorkTree(t *testing.T) {
	t.Parallel()
	repo := placeOf(t, map[string]string{"logs/HEAD": reflog(t, "1 commit: x")})
	first := Mark{Head: id(t, 1), Log: repo.LogPosition("HEAD"), Index: 3e9 + 5, Orig: 7}
	committed := first
	committed.Head = id(t, 2)
	const odd = 5*int64(time.Second) + 1 // a time with more than seconds
	with := func(m Mark, change func(*Mark)) Mark {
		change(&m)
		return m
	}
	touched := func(m Mark) Mark { return with(m, func(m *Mark) { m.Index = odd }) }
	tests := map[string]struct {
		before, now Mark
		want        bool
	}{
		"nothing happened":                          {first, first, false},
		"the index alone was written":               {first, touched(first), false},
		"all of it, the index as it was":            {with(first, func(m *Mark) { m.Index = odd }), with(committed, func(m *Mark) { m.Index, m.Orig = odd, 9 }), false},
		"where times are seconds the index is mute": {with(first, func(m *Mark) { m.Index = 5e9 }), with(committed, func(m *Mark) { m.Index, m.Orig = 5e9, 9 }), true},
		"a stash was made":                          {first, with(first, func(m *Mark) { m.Stashes = ids(t, 1) }), true},
		"an operation goes on":                      {first, with(first, func(m *Mark) { m.Replays = "MERGE_HEAD" }), true},
		"an operation took a step":                  {first, with(first, func(m *Mark) { m.Done = 1 }), true},
		"git prepared a message":                    {first, with(first, func(m *Mark) { m.Message = 1 }), true},
		"a prepared message was used":               {with(first, func(m *Mark) { m.Message = 1 }), touched(first), false},
		"ORIG_HEAD was written":                     {first, touched(with(first, func(m *Mark) { m.Orig++ })), true},
		"the refs were stored anew":                 {first, touched(with(first, func(m *Mark) { m.Storage, m.Orig, m.Log = "reftable", 9, 9 })), false},
		"and HEAD moved with that":                  {first, touched(with(committed, func(m *Mark) { m.Storage = "reftable" })), true},
		"there is no reflog, and HEAD moved":        {first, touched(with(committed, func(m *Mark) { m.Log = 0 })), true},
		"there is no reflog any more":               {first, touched(with(first, func(m *Mark) { m.Log = 0 })), false},
		"the reflog is shorter, and HEAD moved":     {first, touched(with(committed, func(m *Mark) { m.Log = first.Log - 1 })), true},
	}
	for name, tt := range tests {
		if got := Between(repo, history(), tt.before, tt.now).Wrote(); got != tt.want {
			t.Errorf("%s: git wrote: %v, want %v", name, got, tt.want)
		}
	}
}

// Without another trace the word that git put into the reflog decides.
func TestWhatTheReflogSaysOfTheWorkTree(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		entries []string
		want    bool
	}{
		"a commit leaves the files": {[]string{"2 commit: two"}, false},
		"so does an amendment":      {[]string{"2 commit (amend): again"}, false},
		"a revert does not":         {[]string{`2 commit: Revert "x"`}, true},
		"another branch does not":   {[]string{"2 checkout: moving from main to topic"}, true},
		"a commit after a switch":   {[]string{"2 checkout: moving from main to 2", "3 commit: two"}, true},
	} {
		first := reflog(t, "1 commit: x")
		repo := placeOf(t, map[string]string{"logs/HEAD": first + reflog(t, tt.entries...)})
		before := Mark{Head: id(t, 1), Log: int64(len(first)), Index: 1}
		now := Mark{Head: id(t, 2), Log: repo.LogPosition("HEAD"), Index: 2}
		if got := Between(repo, history(), before, now).Wrote(); got != tt.want {
			t.Errorf("%s: git wrote: %v, want %v", name, got, tt.want)
		}
	}
}

func TestWhetherAStashMayHaveBeenApplied(t *testing.T) {
	t.Parallel()
	stash := ids(t, 1)
	for name, tt := range map[string]struct {
		before, now Mark
		want        bool
	}{
		"a new index and a stash":  {Mark{Index: 1}, Mark{Index: 2, Stashes: stash}, true},
		"a new index, no stash":    {Mark{Index: 1, Stashes: stash}, Mark{Index: 2}, false},
		"a stash, the index as is": {Mark{Index: 2}, Mark{Index: 2, Stashes: stash}, false},
	} {
		if got := Between(nil, nil, tt.before, tt.now).MayHaveApplied(); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

// A mark is read from the files that git leaves, those of a rebase under way among them.
func TestWhereGitStands(t *testing.T) {
	t.Parallel()
	repo := placeOf(t, map[string]string{
		"HEAD":                         id(t, 4).String() + "\n",
		"ORIG_HEAD":                    id(t, 2).String() + "\n",
		"refs/stash":                   id(t, 9).String() + "\n",
		"logs/refs/stash":              reflog(t, "7 WIP on main: x", "8 WIP on main: x", "9 WIP on main: x"),
		"logs/HEAD":                    reflog(t, "4 commit: x"),
		"CHERRY_PICK_HEAD":             id(t, 3).String() + "\n",
		"rebase-merge/autostash":       id(t, 6).String() + "\n",
		"rebase-merge/done":            "pick " + id(t, 3).String() + " x\n",
		"rebase-merge/git-rebase-todo": "",
		"SQUASH_MSG":                   "Squashed commit of the following:\n\ncommit " + id(t, 5).String() + "\nAuthor: x\n",
		"index":                        "x",
	})
	m := ReadMark(repo)
	if m.Head != id(t, 4) || m.Branch != "" || m.Storage != "" || m.Log == 0 || m.Orig == 0 || m.Index == 0 || m.Message == 0 || m.Done == 0 {
		t.Errorf("the mark is %+v", m)
	}
	equal(t, "stashes", m.Stashes, 9, 8, 7)
	if m.Replays != "CHERRY_PICK_HEAD rebase-merge" || m.Autostash != id(t, 6) || m.Squash != id(t, 5) {
		t.Errorf("operations under way: %q, put aside %s, squashed %s", m.Replays, m.Autostash, m.Squash)
	}
	if !m.Equal(ReadMark(repo)) || m.Equal(Mark{}) {
		t.Error("a mark equals itself and no other")
	}
	empty := ReadMark(placeOf(t, map[string]string{"HEAD": "ref: refs/heads/main\n"}))
	if !empty.Head.IsZero() || empty.Log != 0 || empty.Stashes != nil || empty.Replays != "" {
		t.Errorf("nothing is there, but the mark is %+v", empty)
	}
	merging := ReadMark(placeOf(t, map[string]string{"MERGE_HEAD": id(t, 1).String() + "\n", "MERGE_AUTOSTASH": id(t, 2).String() + "\n"}))
	if merging.Autostash != id(t, 2) {
		t.Errorf("a merge put aside %s", merging.Autostash)
	}
	if name := storage(&refs.Repo{RefFormat: "reftable"}); name != "reftable" {
		t.Errorf("tables are %q", name)
	}
}

func TestCommitsThatAFileNames(t *testing.T) {
	t.Parallel()
	repo := &refs.Repo{GitDir: t.TempDir()}
	if got := namedIn(repo, "MERGE_HEAD"); got != nil {
		t.Errorf("a file that is not there names %v", got)
	}
	text := id(t, 1).String() + "\nno id\n" + id(t, 2).String() + "\n"
	if err := os.WriteFile(filepath.Join(repo.GitDir, "MERGE_HEAD"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	equal(t, "it names", namedIn(repo, "MERGE_HEAD"), 1, 2)
}
