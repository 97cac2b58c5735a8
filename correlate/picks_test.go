package correlate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/correlate/later"
	"github.com/git-trace/git-trace/refs"
)

// One diff-tree for many commits says of each what one of its own says, whatever is in the files and in their names.
func TestManyCommitsAreReadAsOneByOne(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	id := strings.Repeat("a", 40)
	for _, content := range []string{"one\ntwo\n", id + "\x00:100644 100644\ntwo\n", "x\n" + id + "\x00\n\\ No newline\n", "",
		"one\nnothing\ntwo\nthree", "zero\nnothing\n2\nthree\n"} {
		write(t, dir, "a file", content)
		write(t, dir, id, content+content)
		git(t, dir, "add", "-A")
		git(t, dir, "commit", "-q", "--allow-empty", "-m", "c")
	}
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "changes nothing")
	git(t, dir, "mv", "a file", "b")
	git(t, dir, "commit", "-q", "-m", "renames")
	repo, err := refs.DiscoverHook(dir)
	if err != nil {
		t.Fatal(err)
	}
	var commits []refs.OID
	for name := range strings.FieldsSeq(git(t, dir, "rev-list", "--reverse", "HEAD")) {
		oid, err := refs.ParseOID(name)
		if err != nil {
			t.Fatal(err)
		}
		commits = append(commits, oid)
	}
	together, err := diffTrees(context.Background(), repo, commits)
	if err != nil {
		t.Fatal(err)
	}
	patched := map[refs.OID][]FileChange{}
	tells := func(line []byte) bool { return string(line) != "two" && string(line) != "two\n" }
	if _, err := Patches(t.Context(), repo, commits, tells, func(commit refs.OID, change CommitChange) error {
		patched[commit] = change.Files
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	prints := 0
	objects := repo.Objects()
	defer objects.Close()
	for _, commit := range commits {
		alone, err := diffTree(context.Background(), repo, 0, nil, commit.String())
		if err != nil {
			t.Fatal(err)
		}
		if got := together[commit]; len(got) != len(alone) {
			t.Errorf("%s: %d files, want %d", commit, len(got), len(alone))
			continue
		}
		for i := range alone {
			got, want := together[commit][i], alone[i]
			if got.Path != want.Path || got.Old != want.Old || got.New != want.New || len(got.Added) != len(want.Added) ||
				got.Change != want.Change {
				t.Errorf("%s: %+v, want %+v", commit, got, want)
			}
			if f := patched[commit][i]; f.Path != want.Path || f.OldPath != want.OldPath || f.New != want.New || len(f.Old) != 1 ||
				f.Old[0] != want.Old || !slices.Equal(f.Patched.Added, want.Added) || f.Patched.Change != want.Change || want.Prints != nil {
				t.Errorf("%s: %+v with %+v, want %+v", commit, f, f.Patched, want)
			}
			prints += len(patched[commit][i].Patched.Prints)
			if want.Change == "" || want.New.IsZero() {
				continue
			}
			raw, err := objects.Blob(want.New)
			if err != nil {
				t.Fatal(err)
			}
			added, change, err := patched[commit][i].Hunks(objects, raw)
			if err != nil || !slices.Equal(added, want.Added) || change != want.Change {
				t.Errorf("%s: %s changed %v, %s (%v), want %v, %s", commit, want.Path, added, change, err, want.Added, want.Change)
			}
		}
	}
	if prints == 0 {
		t.Error("no line told anything")
	}
}

// Of deletions and submodules a commit says nothing, and whoever takes what it says may end that.
func TestWhatPatchesAreToldOf(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	write(t, dir, "a", "one\ntwo\n")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "one")
	git(t, dir, "rm", "-q", "a")
	git(t, dir, "update-index", "--add", "--cacheinfo", "160000,"+strings.TrimSpace(git(t, dir, "rev-parse", "HEAD"))+",sub")
	write(t, dir, "b", "three\nfour\nthree\n")
	git(t, dir, "add", "b")
	git(t, dir, "commit", "-q", "-m", "two")
	repo, err := refs.DiscoverHook(dir)
	if err != nil {
		t.Fatal(err)
	}
	var commits []refs.OID
	for name := range strings.FieldsSeq(git(t, dir, "rev-list", "--reverse", "HEAD")) {
		id, err := refs.ParseOID(name)
		if err != nil {
			t.Fatal(err)
		}
		commits = append(commits, id)
	}
	told := ""
	take := func(_ refs.OID, change CommitChange) error {
		told += fmt.Sprintf(" +%d:", change.Added)
		for _, f := range change.Files {
			told += fmt.Sprintf(" %s %v %d prints", f.Path, f.Patched.Added, len(f.Patched.Prints))
		}
		return nil
	}
	three := func(line []byte) bool { return bytes.HasPrefix(line, []byte("three")) }
	if _, err := Patches(t.Context(), repo, commits, three, take); err != nil || told != " +2: a [{0 2}] 0 prints +-1: b [{0 3}] 2 prints" {
		t.Errorf("told%s, %v", told, err)
	}
	enough := errors.New("enough")
	seen := 0
	if _, err := Patches(t.Context(), repo, commits, three, func(refs.OID, CommitChange) error { seen++; return enough }); !errors.Is(err, enough) || seen != 1 {
		t.Errorf("%d commits were told, %v", seen, err)
	}
	if _, err := Patches(t.Context(), repo, nil, three, func(refs.OID, CommitChange) error { return enough }); err != nil {
		t.Errorf("of no commits: %v", err)
	}
}

// What a hook has is shared between what was put off and the commit itself.
func TestHowMuchTimeThereIs(t *testing.T) {
	t.Parallel()
	now := time.Now()
	if until := share(t.Context(), now, 40); until.Before(now.Add(time.Minute)) {
		t.Errorf("without an end there is time until %v", until.Sub(now))
	}
	ctx, cancel := context.WithDeadline(t.Context(), now.Add(100*time.Second))
	defer cancel()
	for percent, want := range map[int]time.Duration{40: 40 * time.Second, 90: 90 * time.Second} {
		if got := share(ctx, now, percent).Sub(now); got < want-10*time.Second || got > want {
			t.Errorf("%d percent of 100 s are %v", percent, got)
		}
	}
}

// A long list of commands is read from its end.
func TestTheEndOfAFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "f", "first\nsecond\n")
	for size, want := range map[int64]string{7: "second\n", 13: "first\nsecond\n", 99: "first\nsecond\n", 1: "\n"} {
		if got, err := tail(filepath.Join(dir, "f"), size); err != nil || string(got) != want {
			t.Errorf("%d bytes of the end are %q, %v", size, got, err)
		}
	}
	if _, err := tail(filepath.Join(dir, "none"), 9); err == nil {
		t.Error("a file that is not there has an end")
	}
}

// Only what was put off is told to be picked, each with what it was made of.
func TestWhatWasPickedAndPutOff(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	repo, err := refs.DiscoverHook(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := Picked(repo); len(got) != 0 {
		t.Errorf("nothing was put off: %v", got)
	}
	for n := range 2 {
		job := later.Job{Hook: "post-commit", Commit: oid(t, 2*n+1), From: oid(t, 2*n+2), Time: time.Now()}
		if err := later.Open(repo).Add(job); err != nil {
			t.Fatal(err)
		}
	}
	if got := Picked(repo); len(got) != 2 || got[oid(t, 1)] != oid(t, 2) || got[oid(t, 3)] != oid(t, 4) {
		t.Errorf("put off are %v", got)
	}
}

// Only what a rebase has just picked by itself is put off.
func TestOnlyPicksArePutOff(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "c")
	repo, err := refs.DiscoverHook(dir)
	if err != nil {
		t.Fatal(err)
	}
	if repo.RefFormat != "files" {
		t.Skip("the reflog is written by hand")
	}
	head, _, err := repo.Head()
	if err != nil {
		t.Fatal(err)
	}
	from := strings.Repeat("b", 40)
	logged := strings.Repeat("c", 40) + " " + head.String() + " A <a@example.com> 1 +0000\t"
	for name, c := range map[string]struct {
		done, log string
		want      bool
	}{
		"a pick":                         {"pick " + from + " subject\n", logged + "rebase (pick): subject\n", true},
		"a pick of pull":                 {"pick " + from + " subject\n", logged + "pull --rebase (pick): subject\n", true},
		"the last of several":            {"exec true\npick " + from + " s\n", "x\n" + logged + "rebase (pick): s\n", true},
		"no rebase":                      {"", logged + "rebase (pick): subject\n", false},
		"a commit while it stands":       {"pick " + from + " s\n", logged + "commit: subject\n", false},
		"a conflict that was resolved":   {"pick " + from + " s\n", logged + "rebase (continue): s\n", false},
		"a reword":                       {"reword " + from + " s\n", logged + "rebase (reword): s\n", false},
		"a pick, then a command":         {"pick " + from + " s\nexec true\n", logged + "rebase (pick): s\n", false},
		"a reflog that stands elsewhere": {"pick " + from + " s\n", strings.ReplaceAll(logged, head.String(), from) + "rebase (pick): s\n", false},
		"no reflog":                      {"pick " + from + " s\n", "", false},
		"ids that are none":              {"pick nonsense s\n", logged + "rebase (pick): s\n", false},
	} {
		_ = os.RemoveAll(filepath.Join(repo.GitDir, "rebase-merge"))
		if c.done != "" {
			write(t, repo.GitDir, "rebase-merge/done", c.done)
		}
		write(t, repo.GitDir, "logs/HEAD", c.log)
		got, ok := picked(repo, head)
		if ok != c.want || ok && got.String() != from {
			t.Errorf("%s: %v, %v, want %v", name, got, ok, c.want)
		}
	}
}

// Patches after the first one of a process that applies them are put off, with what git says that they were made of.
func TestPatchesOfOneProcessArePutOff(t *testing.T) {
	t.Parallel()
	from := oid(t, 7).String()
	for name, c := range map[string]struct {
		noted, now         int
		rebasing, original string
		want               bool
	}{
		"the same process":    {77, 77, "x", from + "\n", true},
		"another process":     {77, 78, "x", from + "\n", false},
		"nothing was noted":   {0, 77, "x", from + "\n", false},
		"a process of all":    {1, 1, "x", from + "\n", false},
		"it is not a rebase":  {77, 77, "", from + "\n", false},
		"git does not say it": {77, 77, "x", "", false},
		"git says nonsense":   {77, 77, "x", "nonsense\n", false},
	} {
		dir := t.TempDir()
		git(t, dir, "init", "-q")
		repo, err := refs.DiscoverHook(dir)
		if err != nil {
			t.Fatal(err)
		}
		write(t, repo.GitDir, "rebase-apply/next", "1\n")
		write(t, repo.WorktreeTracesDir(), "there", "")
		if c.rebasing != "" {
			write(t, repo.GitDir, "rebase-apply/rebasing", "")
		}
		if err := notePatching(repo, c.noted); err != nil {
			t.Fatal(err)
		}
		if c.original != "" {
			write(t, repo.GitDir, "rebase-apply/original-commit", c.original)
		}
		done, err := putOff(repo, oid(t, 9), c.now, time.Now())
		if err != nil || done != c.want {
			t.Errorf("%s: %v, %v", name, done, err)
		}
		if list := Picked(repo); done && (len(list) != 1 || list[oid(t, 9)] != oid(t, 7)) {
			t.Errorf("%s: noted %v", name, list)
		}
		if err := forgetPatching(repo); err != nil {
			t.Fatal(err)
		}
		if again, err := putOff(repo, oid(t, 9), c.now, time.Now()); again || err != nil {
			t.Errorf("%s: forgotten, and put off: %v", name, err)
		}
	}
}
