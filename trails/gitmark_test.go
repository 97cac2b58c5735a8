package trails

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/git-trace/git-trace/refs"
)

func numbered(t *testing.T, n int) refs.OID {
	t.Helper()
	oid, err := refs.ParseOID(fmt.Sprintf("%040d", n))
	if err != nil {
		t.Fatal(err)
	}
	return oid
}

// What stands in the repository tells whether git wrote files since the last look. The index is written with them.
func TestWhetherGitWroteTheWorkTree(t *testing.T) {
	t.Parallel()
	sc := newScene(t)
	sc.commit()
	first := sc.now
	committed := first
	committed.Head = numbered(t, 2)
	const odd = 5*int64(time.Second) + 1 // a time with more than seconds
	with := func(m gitMark, change func(*gitMark)) gitMark {
		change(&m)
		return m
	}
	touched := func(m gitMark) gitMark { return with(m, func(m *gitMark) { m.Index = odd }) }
	tests := map[string]struct {
		before, now gitMark
		want        bool
	}{
		"nothing happened":                          {first, first, false},
		"the index alone was written":               {first, touched(first), false},
		"all of it, the index as it was":            {with(first, func(m *gitMark) { m.Index = odd }), with(committed, func(m *gitMark) { m.Index, m.Orig = odd, 9 }), false},
		"where times are seconds the index is mute": {with(first, func(m *gitMark) { m.Index = 5e9 }), with(committed, func(m *gitMark) { m.Index, m.Orig = 5e9, 9 }), true},
		"a stash was made":                          {first, with(first, func(m *gitMark) { m.Stashes = []refs.OID{numbered(t, 1)} }), true},
		"an operation goes on":                      {first, with(first, func(m *gitMark) { m.Replays = "MERGE_HEAD" }), true},
		"an operation took a step":                  {first, with(first, func(m *gitMark) { m.Done = 1 }), true},
		"git prepared a message":                    {first, with(first, func(m *gitMark) { m.Message = 1 }), true},
		"a prepared message was used":               {with(first, func(m *gitMark) { m.Message = 1 }), touched(first), false},
		"ORIG_HEAD was written":                     {first, touched(with(first, func(m *gitMark) { m.Orig++ })), true},
		"the refs were stored anew":                 {first, touched(with(first, func(m *gitMark) { m.Storage, m.Orig, m.Log = "reftable", 9, 9 })), false},
		"and HEAD moved with that":                  {first, touched(with(committed, func(m *gitMark) { m.Storage = "reftable" })), true},
		"there is no reflog, and HEAD moved":        {first, touched(with(committed, func(m *gitMark) { m.Log = 0 })), true},
		"there is no reflog any more":               {first, touched(with(first, func(m *gitMark) { m.Log = 0 })), false},
		"the reflog is shorter, and HEAD moved":     {first, touched(with(committed, func(m *gitMark) { m.Log = first.Log - 1 })), true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := wroteWorkTree(sc.repo, tt.before, tt.now); got != tt.want {
				t.Errorf("git wrote: %v, want %v", got, tt.want)
			}
		})
	}
}

// Without another trace the word that git put into the reflog decides.
func TestWhatTheReflogSaysOfTheWorkTree(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		do   [][]string
		want bool
	}{
		"a commit leaves the files": {[][]string{{"commit", "-q", "--allow-empty", "-m", "two"}}, false},
		"so does an amendment":      {[][]string{{"commit", "-q", "--allow-empty", "--amend", "-m", "again"}}, false},
		"a revert does not":         {[][]string{{"commit", "-q", "--allow-empty", "-m", `Revert "x"`}}, true},
		"another branch does not":   {[][]string{{"switch", "-q", "-c", "topic", "HEAD~1"}}, true},
		"a commit after a switch":   {[][]string{{"switch", "-q", "--detach", "HEAD~1"}, {"commit", "-q", "--allow-empty", "-m", "two"}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sc := newScene(t)
			sc.commit()
			sc.commit()
			before := sc.now
			for _, args := range tt.do {
				sc.git(args...)
			}
			now := readMark(sc.repo)
			now.Index, now.Orig = 1, before.Orig // of the reflog alone
			if got := wroteWorkTree(sc.repo, before, now); got != tt.want {
				t.Errorf("git wrote: %v, want %v", got, tt.want)
			}
		})
	}
}

func TestWhetherAStashMayHaveBeenApplied(t *testing.T) {
	t.Parallel()
	stash := []refs.OID{numbered(t, 1)}
	for name, tt := range map[string]struct {
		before, now gitMark
		want        bool
	}{
		"a new index and a stash":  {gitMark{Index: 1}, gitMark{Index: 2, Stashes: stash}, true},
		"a new index, no stash":    {gitMark{Index: 1, Stashes: stash}, gitMark{Index: 2}, false},
		"a stash, the index as is": {gitMark{Index: 2}, gitMark{Index: 2, Stashes: stash}, false},
	} {
		if got := appliedStash(tt.before, tt.now); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

func TestWhatAReflogEntryIs(t *testing.T) {
	t.Parallel()
	for entry, want := range map[logStep][3]bool{ // leaves the work tree, by hand, a revert
		{verb: "commit", subject: "x"}:                    {true, true, false},
		{verb: "commit (initial)", subject: "x"}:          {true, true, false},
		{verb: "commit (amend)", subject: "x"}:            {true, true, false},
		{verb: "commit (merge)", subject: "x"}:            {false, true, false},
		{verb: "commit (cherry-pick)", subject: "x"}:      {false, true, false},
		{verb: "commit", subject: `Revert "x"`}:           {false, true, true},
		{verb: "revert", subject: `Revert "x"`}:           {false, false, true},
		{verb: "rebase (continue)", subject: "x"}:         {false, true, false},
		{verb: "rebase (pick)", subject: "x"}:             {false, false, false},
		{verb: "checkout", subject: "moving from a to b"}: {false, false, false},
		{verb: "reset", subject: "moving to HEAD~1"}:      {false, false, false},
		{verb: "commit", subject: "Revert the colours"}:   {true, true, false},
	} {
		if got := [3]bool{entry.commits(), entry.byHand(), entry.reverts()}; got != want {
			t.Errorf("%s: %s is %v, want %v", entry.verb, entry.subject, got, want)
		}
	}
}

func TestWhichCommitAMessageTakesBack(t *testing.T) {
	t.Parallel()
	id := numbered(t, 7)
	for message, want := range map[string]refs.OID{
		"Revert \"x\"\n\nThis reverts commit " + id.String() + ".\n":                               id,
		"Revert \"x\"\n\nThis reverts commit " + id.String() + ", reversing\nchanges made to y.\n": {},
		"Revert \"x\"\n\nThis reverts commit " + id.String() + ",\nfor a reason.\n":                id,
		"This reverts commit abc.\n": {},
		"Nothing of the kind":        {},
	} {
		if got := revertedBy(message); got != want {
			t.Errorf("%q takes back %s, want %s", message, got, want)
		}
	}
}

func TestCommitsThatAFileNames(t *testing.T) {
	t.Parallel()
	repo := &refs.Repo{GitDir: t.TempDir()}
	if got := operandFile(repo, "MERGE_HEAD"); got != nil {
		t.Errorf("a file that is not there names %v", got)
	}
	text := numbered(t, 1).String() + "\nno id\n" + numbered(t, 2).String() + "\n"
	if err := os.WriteFile(filepath.Join(repo.GitDir, "MERGE_HEAD"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := operandFile(repo, "MERGE_HEAD"); len(got) != 2 || got[0] != numbered(t, 1) || got[1] != numbered(t, 2) {
		t.Errorf("it names %v", got)
	}
}

// A stash of some changes alone has a line like any other of them elsewhere.
func TestWhetherAStashTookAllThatWasNew(t *testing.T) {
	t.Parallel()
	lines := func(text string) [][]byte { return newText(refs.OID{}, []byte(text)).lines }
	for name, tt := range map[string]struct {
		base, content, stash string
		want                 bool
	}{
		"the same":                         {"a\nb\n", "a\nnew\nb\n", "a\nnew\nb\n", true},
		"and more, further off":            {"a\nb\nc\n", "a\nnew\nb\nc\n", "a\nnew\nb\nmore\nc\n", true},
		"not the new line":                 {"a\nb\n", "a\nnew\nb\n", "a\nb\n", false},
		"the new line below another one":   {"a\nb\n", "a\nnew\nb\n", "a\nother\nnew\nb\n", false},
		"the new line above another one":   {"a\nb\n", "a\nnew\nb\n", "a\nnew\nother\nb\n", false},
		"nothing was new":                  {"a\nb\n", "a\nb\n", "a\nb\nc\n", false},
		"at the end of both":               {"a\n", "a\nnew\n", "a\nnew\n", true},
		"at the end, but not of the other": {"a\n", "a\nnew\n", "a\nnew\nmore\n", false},
		"at the beginning of both":         {"a\n", "new\na\n", "new\na\n", true},
		"at the beginning, but not there":  {"a\n", "new\na\n", "more\nnew\na\n", false},
		"one of two":                       {"a\nb\nc\n", "a\none\nb\ntwo\nc\n", "a\none\nb\nc\n", false},
	} {
		if got := tookAll(lines(tt.base), lines(tt.content), lines(tt.stash)); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}
