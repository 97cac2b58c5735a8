package correlate

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/refs"
)

// One diff-tree for many commits says of each what one of its own says, whatever is in the files and in their names.
func TestManyCommitsAreReadAsOneByOne(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	id := strings.Repeat("a", 40)
	for _, content := range []string{"one\ntwo\n", id + "\x00:100644 100644\ntwo\n", "x\n" + id + "\x00\n\\ No newline\n", ""} {
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
	for _, commit := range commits {
		alone, err := diffTree(context.Background(), repo, 0, commit.String())
		if err != nil {
			t.Fatal(err)
		}
		if got := together[commit]; len(got) != len(alone) {
			t.Errorf("%s: %d files, want %d", commit, len(got), len(alone))
			continue
		}
		for i := range alone {
			got, want := together[commit][i], alone[i]
			if got.Path != want.Path || got.Old != want.Old || got.New != want.New || len(got.added) != len(want.added) ||
				got.change != want.change {
				t.Errorf("%s: %+v, want %+v", commit, got, want)
			}
		}
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

// What was noted is read back, and what is damaged is left out.
func TestNotedCommitsAreReadBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "c")
	repo, err := refs.DiscoverHook(dir)
	if err != nil {
		t.Fatal(err)
	}
	one, two := strings.Repeat("1", 40), strings.Repeat("2", 40)
	write(t, repo.WorktreeTracesDir(), "deferred", one+" "+two+"\nnonsense\n"+one+"\n"+two+" "+one+"\n"+one[:20])
	list := readDeferred(repo)
	if len(list) != 2 || list[0].commit.String() != one || list[1].from.String() != one {
		t.Fatalf("read %v", list)
	}
	if err := writeDeferred(repo, list[1:]); err != nil {
		t.Fatal(err)
	}
	if again := readDeferred(repo); len(again) != 1 || again[0] != list[1] {
		t.Errorf("read %v, want %v", again, list[1:])
	}
	if err := writeDeferred(repo, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(deferredFile(repo)); !os.IsNotExist(err) {
		t.Errorf("the file is still there: %v", err)
	}
}
