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
	"github.com/git-trace/git-trace/refs/gitdiff"
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

// patch takes the lines of a patch as text.
type patch struct{ strings.Builder }

func (p *patch) Hunk(file int, h gitdiff.Hunk) {
	fmt.Fprintf(p, "%d: -%d,%d +%d,%d\n", file, h.OldStart, h.OldCount, h.NewStart, h.NewCount)
}
func (p *patch) Removed(line []byte) { fmt.Fprintf(p, "-%s\n", line) }
func (p *patch) Added(line []byte)   { fmt.Fprintf(p, "+%s\n", line) }

// last is the commit at HEAD with its lines.
func last(t *testing.T, repo *refs.Repo) (c history.Commit) {
	t.Helper()
	list, err := history.List(context.Background(), repo, "-1", "HEAD")
	if err != nil || len(list) != 1 {
		t.Fatalf("%d commits: %v", len(list), err)
	}
	if err := history.Walk(context.Background(), repo, list, func(one *history.Commit) error {
		c = *one
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestACommitTellsItsPatchAgain(t *testing.T) {
	t.Parallel()
	repo := world(t, `
seq 5 >a; echo b >b; git add .; git commit -qm 1
printf '1\ntwo\n2b\n3\n5\n' >a; git mv b c; printf 'd\n' >d; git add .; git commit -qm 2
`)
	c := last(t, repo)
	var p patch
	if err := c.Patch(&p); err != nil {
		t.Fatal(err)
	}
	want := "0: -2,1 +2,2\n-2\n+two\n+2b\n0: -4,1 +4,0\n-4\n2: -0,0 +1,1\n+d\n"
	if p.String() != want {
		t.Errorf("the patch is\n%s\nwant\n%s", p.String(), want)
	}
	got := ""
	for i, r := range c.Records() {
		got += fmt.Sprintf("%s<%s %d ", r.Path, r.OldPath, c.Files[i].AddedLines())
	}
	if want := "a<a 2 c<b 0 d<d 1 "; got != want {
		t.Errorf("the files are %q, want %q", got, want)
	}
	if c.Cut() {
		t.Error("whole lines count as cut")
	}
	c.Forget()
	p.Reset()
	if err := c.Patch(&p); err != nil || p.Len() > 0 || !c.Cut() || len(c.Records()) != 3 {
		t.Errorf("after its lines were let go: %d files, cut %v, the patch %q", len(c.Records()), c.Cut(), p.String())
	}
}

// A line that is longer than what is kept of it is told as cut, on either side.
func TestLongLinesAreCut(t *testing.T) {
	t.Parallel()
	const limit = 64<<10 - 2
	for name, tt := range map[string]struct {
		before, after int // bytes of the one line
		cut           bool
	}{
		"an added line that just fits":  {1, limit - 1, false},
		"an added line beyond that":     {1, limit + 1, true},
		"an added line far beyond":      {1, 3 * limit, true},
		"a removed line that just fits": {limit - 1, 1, false},
		"a removed line beyond that":    {limit + 1, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo := world(t, fmt.Sprintf(`
head -c %d /dev/zero | tr '\0' x >a; echo >>a; git add .; git commit -qm 1
head -c %d /dev/zero | tr '\0' y >a; echo >>a; git add .; git commit -qm 2
`, tt.before, tt.after))
			c := last(t, repo)
			if c.Cut() != tt.cut || len(c.Files) != 1 || c.Files[0].AddedLines() != 1 {
				t.Errorf("cut %v, want %v: %d files", c.Cut(), tt.cut, len(c.Files))
			}
		})
	}
}

// A commit whose dates are no dates is listed, without them.
func TestACommitWithoutDates(t *testing.T) {
	t.Parallel()
	repo := world(t, `
commit=$(printf 'tree %s\nauthor A <a@b.c>\ncommitter A <a@b.c>\n\nno dates\n' "$(git mktree </dev/null)" |
  git hash-object -t commit -w --literally --stdin)
git update-ref HEAD $commit
`)
	c := last(t, repo)
	if !c.Authored.IsZero() || !c.Committed.IsZero() || c.ID.IsZero() {
		t.Errorf("%s was written %v and committed %v", c.ID, c.Authored, c.Committed)
	}
}
