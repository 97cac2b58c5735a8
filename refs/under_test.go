package refs

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const under = "refs/traces/remotes/"

// listed compares a list with git's own, and returns how git's was come by: read tells that no git was asked.
func listed(t *testing.T, repo *Repo, when string) (read bool, list []NamedRef) {
	t.Helper()
	want, err := repo.askUnder(t.Context(), under)
	if err != nil {
		t.Fatal(err)
	}
	got, err := repo.RefsUnder(t.Context(), under)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%s: %v %v\ngit: %v", when, got, err, want)
	}
	_, err = repo.readUnder(under)
	return err == nil, got
}

// Refs below a prefix are those that git lists, whatever was written, packed and deleted before.
func TestRefsBelowAPrefixAreThoseOfGit(t *testing.T) {
	t.Parallel()
	for _, storage := range []string{refFiles, refTables} {
		t.Run(storage, func(t *testing.T) {
			t.Parallel()
			repo := newRepoOf(t, storage)
			git(t, repo.WorkTree, "commit", "-q", "--allow-empty", "-m", "second")
			listed(t, repo, "none")
			random := rand.New(rand.NewPCG(1, 1))
			most := 0
			for step := range 40 {
				name := fmt.Sprintf("%so%d/w%d/%s", under, random.IntN(2), random.IntN(4), []string{"events", "digest", "records/a"}[random.IntN(3)])
				switch order := random.IntN(8); order {
				case 0:
					git(t, repo.WorkTree, "pack-refs", "--all")
				case 1, 2:
					git(t, repo.WorkTree, "update-ref", "-d", name)
				case 3:
					git(t, repo.WorkTree, "update-ref", "refs/traces/remotes-x/"+fmt.Sprint(step), "HEAD")
				default:
					git(t, repo.WorkTree, "update-ref", name, []string{"HEAD", "HEAD~"}[order%2])
				}
				read, list := listed(t, repo, fmt.Sprint("step ", step))
				if most = max(most, len(list)); !read {
					t.Errorf("step %d: git was asked", step)
				}
			}
			if most < 5 {
				t.Errorf("%d refs at most", most)
			}
		})
	}
}

// What is no plain ref is left to git: a ref that stands for another one, a file that holds no id, a name that no ref has.
func TestOddRefsBelowAPrefixAreLeftToGit(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		make func(t *testing.T, repo *Repo)
		read bool
	}{
		"a lock": {func(t *testing.T, repo *Repo) { write(t, repo.refPath(under+"o/w/digest.lock"), "") }, true},
		"an empty directory": {func(t *testing.T, repo *Repo) {
			if err := os.MkdirAll(repo.refPath(under+"o/x/y"), 0o777); err != nil {
				t.Fatal(err)
			}
		}, true},
		"a symbolic ref": {func(t *testing.T, repo *Repo) {
			git(t, repo.WorkTree, "symbolic-ref", under+"o/HEAD", "refs/heads/main")
		}, false},
		"a file of nothing": {func(t *testing.T, repo *Repo) { write(t, repo.refPath(under+"o/w/torn"), "") }, false},
		"a name of no ref": {func(t *testing.T, repo *Repo) {
			write(t, repo.refPath(under+"o/w/.hidden"), strings.Repeat("a", 40)+"\n")
		}, false},
		"a damaged packed line": {func(t *testing.T, repo *Repo) {
			git(t, repo.WorkTree, "pack-refs", "--all")
			path := filepath.Join(repo.CommonDir, "packed-refs")
			text, err := os.ReadFile(path)
			if err := errors.Join(err, os.WriteFile(path, append(text, "zz "+under+"o/w/z\n"...), 0o666)); err != nil {
				t.Fatal(err)
			}
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo := newRepo(t)
			git(t, repo.WorkTree, "update-ref", under+"o/w/events", "HEAD")
			test.make(t, repo)
			if _, err := repo.readUnder(under); (err == nil) != test.read {
				t.Errorf("read: %v", err)
			}
			if strings.HasPrefix(name, "a damaged") {
				return // git ends there, too
			}
			if _, list := listed(t, repo, name); len(list) == 0 {
				t.Error("the ref is not listed")
			}
		})
	}
}

// What was read of packed-refs counts for the very bytes of the file: one of the same size and the same time is another
// one.
func TestListsFollowTheBytesOfPackedRefs(t *testing.T) {
	t.Parallel()
	repo := newRepoOf(t, refFiles)
	path := filepath.Join(repo.CommonDir, "packed-refs")
	of := func(digit string) string {
		return strings.Repeat(digit, 40) + " " + under + "o/w/digest\n" + strings.Repeat("f", 40) + " refs/tags/v1\n"
	}
	for _, text := range []string{of("1"), of("1"), of("2"), of("2") + of("3")[:41] + under + "o/x/digest\n", of("2"), ""} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Unix(1, 0), time.Unix(1, 0)); err != nil {
			t.Fatal(err)
		}
		fresh := *repo
		fresh.packed = nil
		want, err := fresh.RefsUnder(t.Context(), under)
		if err != nil || len(want) != strings.Count(text, under) {
			t.Fatalf("%v, %v", want, err)
		}
		for range 2 {
			if got, err := repo.RefsUnder(t.Context(), under); err != nil || !slices.Equal(got, want) {
				t.Errorf("%q: %v, %v", text, got, err)
			}
			if id, err := repo.ReadRef(under + "o/w/digest"); err == nil != (len(want) > 0) || err == nil && id != want[0].OID {
				t.Errorf("%q: %s, %v", text, id, err)
			}
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if got, err := repo.RefsUnder(t.Context(), under); err != nil || len(got) > 0 {
		t.Errorf("without the file: %v, %v", got, err)
	}
}
