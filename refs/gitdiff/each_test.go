package gitdiff

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/refs"
)

// Where git ends at an object, the commits that need it are skipped, and the others are told as ever.
func TestEachGoesOnBehindWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	const script = `for i in 1 2 3 4 5; do mkdir -p d; echo $i >a; echo $i >d/b; git add .; git commit -q -m $i; done; git commit -q --allow-empty -m 6`
	for name, c := range map[string]struct {
		lost string // what is gone, and with "!" what is damaged
		want string // how many files each commit changed; "-" of one that was skipped
	}{
		"nothing":                    {"", "2 2 2 2 2 0"},
		"a content":                  {"HEAD~2:a", "2 2 2 - - 0"},
		"a damaged content":          {"!HEAD~2:a", "2 2 2 - - 0"},
		"the first content":          {"HEAD~5:a", "- - 2 2 2 0"},
		"a directory":                {"HEAD~3:d", "2 2 - - 2 0"},
		"a damaged directory":        {"!HEAD~3:d", "2 2 - - 2 0"},
		"a tree":                     {"HEAD~3^{tree}", "2 2 - - 2 0"},
		"several":                    {"HEAD~4:a !HEAD^{tree}", "2 - - 2 - -"},
		"the commit itself":          {"HEAD~3", "2 2 - - 2 0"},
		"the commit itself, damaged": {"!HEAD~3", "2 2 - - 2 0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo := repository(t, script)
			out, err := repo.Git(t.Context(), nil, "rev-list", "--reverse", "HEAD")
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Fields(string(out))
			for rev := range strings.FieldsSeq(c.lost) {
				out, err := repo.Git(t.Context(), nil, "rev-parse", strings.TrimPrefix(rev, "!"))
				if err != nil {
					t.Fatal(err)
				}
				id := strings.TrimSpace(string(out))
				path := filepath.Join(repo.GitDir, "objects", id[:2], id[2:])
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
				if strings.HasPrefix(rev, "!") {
					if err := os.WriteFile(path, []byte("x\x9c"), 0o444); err != nil {
						t.Fatal(err)
					}
				}
			}
			told := slices.Repeat([]string{"?"}, len(lines))
			skipped, err := Each(t.Context(), repo, append([]string{"--root"}, Patch()...), lines,
				func(i int, r *Reader) (func() error, error) {
					records, err := r.Records()
					if err == nil {
						err = r.Patch(records, &collector{})
					}
					return func() error { told[i] = string(rune('0' + len(records))); return nil }, err
				})
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range skipped {
				told[i] = strings.Replace("-"+told[i], "-?", "-", 1)
			}
			if got := strings.Join(told, " "); got != c.want {
				t.Errorf("it tells %s, want %s", got, c.want)
			}
		})
	}
}

func TestEachEndsWithWhoTakes(t *testing.T) {
	t.Parallel()
	repo := repository(t, `for i in 1 2 3; do echo $i >a; git add .; git commit -q -m $i; done`)
	out, err := repo.Git(t.Context(), nil, "rev-list", "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	for _, enough := range []error{errors.New("enough"), &refs.GitError{Verb: "of the taker"}} {
		taken := 0
		_, err = Each(t.Context(), repo, []string{"--root", "--numstat", "-r", "-z"}, strings.Fields(string(out)),
			func(_ int, r *Reader) (func() error, error) {
				added, err := r.Counts()
				return func() error {
					if taken++; added["a"] != 1 || taken == 2 {
						return enough
					}
					return nil
				}, err
			})
		if !errors.Is(err, enough) || taken != 2 {
			t.Errorf("after %d commits: %v", taken, err)
		}
	}
}
