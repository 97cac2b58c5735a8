package history_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/correlate/history"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

// world is a repository in which a script of shell commands was run.
func world(t *testing.T, script string) *refs.Repo {
	t.Helper()
	dir := testenv.Repository(t, script,
		"GIT_AUTHOR_DATE=2026-11-02T10:00:00Z", "GIT_COMMITTER_DATE=2026-11-03T10:00:00Z")
	repo, err := refs.DiscoverHook(filepath.Join(dir, "x"))
	if err != nil {
		t.Fatal(err)
	}
	return repo
}

// told writes what the walk gives, a line for each file and each hunk.
func told(t *testing.T, repo *refs.Repo, revs ...string) string {
	t.Helper()
	list, err := history.List(context.Background(), repo, revs...)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	err = history.Walk(context.Background(), repo, list, func(c *history.Commit) error {
		fmt.Fprintf(&b, "commit %d %s %s\n", len(c.Parents), c.Author, c.Committed.Format("2006-01-02"))
		for _, f := range c.Files {
			fmt.Fprintf(&b, " %q", f.Path)
			if f.OldPath != f.Path {
				fmt.Fprintf(&b, " from %q", f.OldPath)
			}
			b.WriteByte('\n')
			for _, h := range f.Hunks {
				fmt.Fprintf(&b, "  -%d %q +%d %q\n", h.OldStart, h.Removed, h.NewStart, h.Added)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestEachCommitComesWithItsLines(t *testing.T) {
	t.Parallel()
	repo := world(t, `
printf 'one\ntwo\nthree\n' >a; printf 'x\0y' >bin; git add .; git commit -qm 1
git commit -q --allow-empty -m 'nothing'
printf 'one\n2\nthree\nfour' >a; git mv bin 'b in'; printf '@@ -1 +1 @@\ndiff --git a/x b/x\n' >tricky; git add .; git commit -qm 2
git mv a c; printf 'five\n' >>c; rm tricky; ln -s c tricky; git add .; git commit -qm 3
git switch -qc side HEAD~1; echo s >s; git add s; git commit -qm side
git switch -q main; git merge -q --no-edit side
git rm -q c; git commit -qm 'gone'
`)
	want := `commit 0 A U Thor <a@b.c> 2026-11-03
 "a"
  -0 [] +1 ["one" "two" "three"]
 "bin"
commit 1 A U Thor <a@b.c> 2026-11-03
commit 1 A U Thor <a@b.c> 2026-11-03
 "a"
  -2 ["two"] +2 ["2"]
  -3 [] +4 ["four"]
 "b in" from "bin"
 "tricky"
  -0 [] +1 ["@@ -1 +1 @@" "diff --git a/x b/x"]
`
	got := told(t, repo, "HEAD")
	if !strings.HasPrefix(got, want) {
		t.Errorf("got\n%s\nwant it to begin with\n%s", got, want)
	}
	for _, part := range []string{
		` "c" from "a"` + "\n  -4 [\"four\"] +4 [\"fourfive\"]\n", ` "s"` + "\n  -0 [] +1 [\"s\"]\n", "commit 2 A U Thor <a@b.c> 2026-11-03\n",
		` "tricky"` + "\n  -1 [\"@@ -1 +1 @@\" \"diff --git a/x b/x\"] +0 []\n  -0 [] +1 [\"c\"]\n",
		` "c"` + "\n  -1 [\"one\" \"2\" \"three\" \"fourfive\"] +0 []\n",
	} {
		if !strings.Contains(got, part) {
			t.Errorf("%s\nis missing from\n%s", part, got)
		}
	}
	if got := told(t, repo, "HEAD~1..HEAD"); strings.Count(got, "commit") != 1 {
		t.Errorf("one commit is %s", got)
	}
	if got := told(t, repo, "HEAD..HEAD"); got != "" {
		t.Errorf("no commits are %s", got)
	}
}
