package correlate

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/linediff"
)

// What git has of a commit, without a hook: of a merge only what no parent has.
func TestWhatCommitsChanged(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.git("switch", "-q", "-c", "topic")
	h.write("a.txt", "topic's", "base one", "base two", "base three", "base four", "base five")
	h.git("commit", "-q", "-a", "-m", "topic")
	h.git("switch", "-q", "main")
	h.write("a.txt", "base one", "base two", "base three", "base four", "base five", "main's")
	h.write("gone.txt", "x")
	h.git("add", "-A")
	h.git("commit", "-q", "-m", "main")
	h.git("merge", "-q", "--no-commit", "topic")
	h.write("a.txt", "topic's", "base one", "in the merge", "base two", "base three", "base four", "base five", "main's")
	h.git("rm", "-q", "-f", "gone.txt")
	h.git("update-index", "--add", "--cacheinfo", "160000,"+h.git("rev-parse", "HEAD")+",sub")
	h.git("commit", "-q", "-a", "-m", "merge")
	var commits []refs.OID
	for _, rev := range []string{"HEAD", "HEAD^1", "HEAD^2", "HEAD^2^"} {
		oid, err := refs.ParseOID(h.git("rev-parse", rev))
		if err != nil {
			t.Fatal(err)
		}
		commits = append(commits, oid)
	}
	unheard, err := refs.ParseOID(strings.Repeat("ab", 20))
	if err != nil {
		t.Fatal(err)
	}
	found, err := Changed(t.Context(), h.repo, append(commits, unheard, commits[0]))
	if err != nil {
		t.Fatal(err)
	}
	objects := h.repo.Objects()
	defer objects.Close()
	var got []string
	for _, c := range commits {
		for _, file := range found[c] {
			raw, err := objects.Blob(file.New)
			if err != nil {
				t.Fatal(err)
			}
			added, id, err := file.Hunks(objects, raw)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprintf("%s %v %d parents, named %v", file.Path, added, len(file.Old), id != ""))
		}
	}
	want := []string{
		"a.txt [{2 3}] 2 parents, named false", "a.txt [{5 6}] 1 parents, named true", "gone.txt [{0 1}] 1 parents, named true",
		"a.txt [{0 1}] 1 parents, named true",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the commits changed\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if none, err := Changed(t.Context(), h.repo, nil); err != nil || len(none) > 0 {
		t.Errorf("no commits changed %v, %v", none, err)
	}
}

// ranges are those between pairs of numbers.
func ranges(ends ...int) []linediff.Range {
	var out []linediff.Range
	for pair := range slices.Chunk(ends, 2) {
		out = append(out, linediff.Range{Start: pair[0], End: pair[1]})
	}
	return out
}

func TestLinesThatLieInBothLists(t *testing.T) {
	t.Parallel()
	tests := map[string][3][]linediff.Range{
		"apart":             {ranges(0, 2), ranges(2, 4), nil},
		"one in the other":  {ranges(0, 9), ranges(2, 4, 5, 6), ranges(2, 4, 5, 6)},
		"over each other":   {ranges(0, 4, 7, 11), ranges(2, 8), ranges(2, 4, 7, 8)},
		"the same":          {ranges(1, 4, 6, 7), ranges(1, 4, 6, 7), ranges(1, 4, 6, 7)},
		"an end in common":  {ranges(0, 3, 5, 7), ranges(1, 3, 5, 6), ranges(1, 3, 5, 6)},
		"nothing in either": {nil, ranges(0, 2), nil},
	}
	for name, tt := range tests {
		for _, swap := range []bool{false, true} {
			a, b := tt[0], tt[1]
			if swap {
				a, b = b, a
			}
			if got := overlapOf(a, b); !slices.Equal(got, tt[2]) {
				t.Errorf("%s: %v, want %v", name, got, tt[2])
			}
		}
	}
}

// The move of HEAD that made a commit names it; others name none.
func TestTheCommitThatWasJustMade(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	git(t, dir, "init", "-q", "-b", "main")
	repo, err := refs.DiscoverHook(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		args  string
		makes bool
	}{
		{"commit -q --allow-empty -m one", true}, {"switch -q -c side", false}, {"commit -q --allow-empty -m two", true},
		{"commit -q --amend --allow-empty -m three", true}, {"switch -q main", false}, {"merge -q side", false},
		{"merge -q --no-ff --no-edit -s ours HEAD~1", false}, {"commit -q --allow-empty -m four", true},
		{"reset -q --hard HEAD~1", false}, {"cherry-pick --allow-empty HEAD@{1}", true},
	} {
		git(t, dir, strings.Fields(step.args)...)
		head, _, err := repo.Head()
		if err != nil {
			t.Fatal(err)
		}
		if made := JustMade(repo); !made.IsZero() != step.makes || step.makes && made != head {
			t.Errorf("git %s: %s was made, HEAD is %s", step.args, made, head)
		}
	}
}

// A commit of more files than are looked at is put off, a merge by what no parent has.
func TestHowManyFilesAreLookedAt(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("b.txt", "b")
	h.write("c.txt", "c")
	h.git("add", "-A")
	h.git("commit", "-q", "-m", "two files")
	h.git("switch", "-q", "-c", "side", "HEAD~1")
	h.write("d.txt", "d")
	h.git("add", "-A")
	h.git("commit", "-q", "-m", "side")
	h.git("merge", "-q", "--no-commit", "main")
	h.write("e.txt", "e")
	h.write("f.txt", "f")
	h.git("add", "-A")
	h.git("commit", "-q", "-m", "merge")
	objects := h.repo.Objects()
	defer objects.Close()
	for _, tt := range []struct {
		rev   string
		most  int
		files int
		large bool
	}{
		{"main", 0, 2, false}, {"main", 2, 2, false}, {"main", 1, 0, true},
		{"HEAD", 0, 2, false}, {"HEAD", 2, 2, false}, {"HEAD", 1, 0, true},
	} {
		id, err := refs.ParseOID(h.git("rev-parse", tt.rev))
		if err != nil {
			t.Fatal(err)
		}
		c, err := objects.Commit(id)
		if err != nil {
			t.Fatal(err)
		}
		files, err := changed(t.Context(), h.repo, id, c.Parents, tt.most, nil)
		if len(files) != tt.files || errors.Is(err, ErrLarge) != tt.large || err != nil != tt.large {
			t.Errorf("of %s, most %d: %d files, %v", tt.rev, tt.most, len(files), err)
		}
	}
}
