package history_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/correlate/history"
	"github.com/git-trace/git-trace/refs"
)

// damage makes an object unreadable: gone, or cut short.
func damage(t *testing.T, repo *refs.Repo, rev string, gone bool) string {
	t.Helper()
	out, err := repo.Git(context.Background(), nil, "rev-parse", rev)
	if err != nil {
		t.Fatal(err)
	}
	id := strings.TrimSpace(string(out))
	path := filepath.Join(repo.GitDir, "objects", id[:2], id[2:])
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if !gone {
		if err := os.WriteFile(path, []byte("x\x9c"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return id
}

func TestADamagedObjectIsNamedAndTheWalkGoesOn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		gone bool
		rev  string
		want []string // of each commit: the files read, and what was not
	}{
		"a blob that is gone":                    {true, "HEAD~2:a", []string{"a b", "a b", "b !a", "b !a c", "a"}},
		"a blob that is cut short":               {false, "HEAD~2:a", []string{"a b", "a b", "b !a", "b !a c", "a"}},
		"the first blob":                         {true, "HEAD~6:b", []string{"a !b", "a !b", "a b", "a b c", "a"}},
		"the last one":                           {true, "HEAD:a", []string{"a b", "a b", "a b", "a b c", "!a"}},
		"a tree: nothing is known of two":        {true, "HEAD~3^{tree}", []string{"a b", "!", "!", "!", "!", "a b c", "a"}},
		"nothing: what is not read is no damage": {true, "HEAD:unused", []string{"a b", "a b", "a b", "a b c", "a"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo := world(t, `
for i in 1 2 3 4; do
  for f in a b; do seq $i 30 >$f; echo $f $i >>$f; done
  test $i -lt 4 || echo c >c
  git add .; git commit -qm $i
  test $i != 2 || { git commit -qm empty --allow-empty; git switch -qc side HEAD~1; git commit -qm side --allow-empty; git switch -q main; git merge -q --no-edit side; }
done
echo end >>a; git commit -qam 5; echo unused >u; git hash-object -w u >/dev/null; git add u; git commit -qm u; rm u; git update-ref refs/heads/other HEAD; git reset -q --hard HEAD~1
`)
			rev := c.rev
			if rev == "HEAD:unused" {
				rev = "other:u"
			}
			if err := os.Remove(filepath.Join(repo.WorkTree, "a")); err != nil { // git reads it in place of the blob
				t.Fatal(err)
			}
			object := damage(t, repo, rev, c.gone)
			list, err := history.List(context.Background(), repo, "--no-merges", "HEAD")
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			var all []refs.OID
			err = history.Walk(context.Background(), repo, list, func(c *history.Commit) error {
				all = append(all, c.ID)
				var told []string
				for _, f := range c.Files {
					told = append(told, f.Path)
					if len(f.Hunks) == 0 {
						t.Errorf("%s of %s has no hunks", f.Path, c.ID)
					}
				}
				for _, u := range c.Unread {
					told = append(told, "!"+u.Path)
					if !strings.Contains(fmt.Sprint(u.Object, u.Cause), object) {
						t.Errorf("what is damaged is not named: %v", u)
					}
				}
				slices.SortFunc(told, func(a, b string) int { return strings.Compare(strings.Trim(a, "!"), strings.Trim(b, "!")) })
				if len(told) > 0 {
					got = append(got, strings.Join(told, " "))
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			want := slices.Clone(c.want)
			for i := range want { // by name, damaged or not
				words := strings.Fields(want[i])
				slices.SortFunc(words, func(a, b string) int { return strings.Compare(strings.Trim(a, "!"), strings.Trim(b, "!")) })
				want[i] = strings.Join(words, " ")
			}
			if !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
			if len(all) != len(list) {
				t.Errorf("%d of %d commits", len(all), len(list))
			}
		})
	}
}

// What ends a walk is told: the one who takes the commits, or who stopped it.
func TestAWalkEndsAsItWasEnded(t *testing.T) {
	t.Parallel()
	repo := world(t, `for i in 1 2 3; do echo $i >a; git add .; git commit -qm $i; done`)
	list, err := history.List(context.Background(), repo, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	enough := errors.New("enough")
	n := 0
	if err := history.Walk(context.Background(), repo, list, func(*history.Commit) error {
		if n++; n == 2 {
			return enough
		}
		return nil
	}); !errors.Is(err, enough) || n != 2 {
		t.Errorf("%d commits: %v", n, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	if err := history.Walk(ctx, repo, list, func(*history.Commit) error { cancel(); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("a walk that was stopped: %v", err)
	}
}
