package gitdiff

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

// collector writes down what a patch says.
type collector struct {
	said  []string
	hunks map[int][]Hunk
}

func (c *collector) Hunk(record int, h Hunk) {
	c.said = append(c.said, fmt.Sprintf("%d %v", record, h))
	if c.hunks == nil {
		c.hunks = map[int][]Hunk{}
	}
	c.hunks[record] = append(c.hunks[record], h)
}
func (c *collector) Removed(line []byte) { c.said = append(c.said, "-"+string(line)) }
func (c *collector) Added(line []byte)   { c.said = append(c.said, "+"+string(line)) }

// repository runs a script in a new repository.
func repository(t testing.TB, script string) *refs.Repo {
	t.Helper()
	dir := testenv.Repository(t, script)
	repo, err := refs.DiscoverHook(filepath.Join(dir, "x"))
	if err != nil {
		t.Fatal(err)
	}
	return repo
}

const everyType = `
link() { git update-index --add --cacheinfo 160000,$commit,$1; }
commit=$(git commit-tree $(git mktree </dev/null) -m x)
echo a >file-symlink; echo a >file-submodule; ln -s a symlink-file; ln -s a symlink-submodule; : >empty-symlink; printf 'a\0b' >binary-symlink
echo same >same; git add .; link submodule-file; link submodule-symlink; git commit -qm 1; git rm -rq --cached .; rm -f *
ln -s b file-symlink; echo b >symlink-file; ln -s b empty-symlink; ln -s b binary-symlink; ln -s same same; echo b >submodule-file; ln -s b submodule-symlink
echo b >'symlink-file b'; git add .; link file-submodule; link symlink-submodule; git commit -qm 2
`

// A file that becomes something else is deleted and created by one record, whatever it was and is.
func TestEveryChangeOfTypeIsOneRecord(t *testing.T) {
	t.Parallel()
	repo := repository(t, everyType)
	var c collector
	var records []Record
	err := Run(t.Context(), repo, nil, append(append([]string{"diff-tree", "--no-commit-id"}, Patch()...), "HEAD"), func(r *Reader) (err error) {
		if records, err = r.Records(); err != nil {
			return err
		}
		return r.Patch(records, &c)
	})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for i, r := range records {
		got[r.Path] = fmt.Sprintf("%c %o %o %v", r.Status, r.OldMode, r.NewMode, c.hunks[i])
	}
	both := "[{1 1 0 0} {0 0 1 1}]"
	for path, want := range map[string]string{
		"file-symlink": "T 100644 120000 " + both, "file-submodule": "T 100644 160000 " + both, "symlink-file": "T 120000 100644 " + both,
		"symlink-submodule": "T 120000 160000 " + both, "submodule-file": "T 160000 100644 " + both, "submodule-symlink": "T 160000 120000 " + both,
		"empty-symlink": "T 100644 120000 [{0 0 1 1}]", "binary-symlink": "T 100644 120000 [{0 0 1 1}]", "same": "T 100644 120000 " + both,
		"symlink-file b": "A 0 100644 [{0 0 1 1}]",
	} {
		if got[path] != want {
			t.Errorf("%s is %s, want %s", path, got[path], want)
		}
	}
}

func TestRenamesAreRecordsWithTwoNames(t *testing.T) {
	t.Parallel()
	repo := repository(t, `echo 'a line that is long enough' >'old name'; git add .; git commit -qm 1; git mv 'old name' 'new
name'; git commit -qm 2`)
	list, err := Renames(t.Context(), repo, "HEAD~1", "HEAD")
	if err != nil || len(list) != 1 || list[0].OldPath != "old name" || list[0].Path != "new\nname" || list[0].Status != 'R' {
		t.Errorf("got %+v, %v", list, err)
	}
	if _, err := Renames(t.Context(), repo, "nothing", "HEAD"); err == nil {
		t.Error("a commit that is not there has renames")
	}
}

// What git says is taken apart into what the files were and are, whatever is in them and whatever is configured.
func TestPatchesCarryOneContentToTheOther(t *testing.T) {
	t.Parallel()
	words := []string{"diff --git a/x b/x\n", "@@ -1 +1 @@\n", "--- a/x\n", "\\ No newline at end of file\n", ":100644 x\n", "-\n", "+\n", "\r\n", "\n", "a\n", "b\n", "é\xff\n"}
	random := rand.New(rand.NewPCG(7, 7))
	content := func() string {
		var b strings.Builder
		for range random.IntN(12) {
			b.WriteString(words[random.IntN(len(words))])
		}
		return strings.TrimSuffix(b.String(), strings.Repeat("\n", random.IntN(2))) // a last line may have no line feed
	}
	repo := repository(t, "git config diff.noprefix true; git config diff.context 9; git config diff.algorithm patience; git config diff.suppressBlankEmpty true")
	for round := range 12 {
		var was, is []string
		for i := range 6 {
			was, is = append(was, content()), append(is, content())
			write(t, repo, i, was[i])
		}
		from := tree(t, repo)
		for i := range is {
			write(t, repo, i, is[i])
		}
		to := tree(t, repo)
		got := slices.Clone(was)
		err := Run(t.Context(), repo, nil, append(append([]string{"diff-tree"}, Patch()...), "--no-renames", from, to), func(r *Reader) error {
			records, err := r.Records()
			if err != nil {
				return err
			}
			p := &patcher{contents: got, records: records}
			err = r.Patch(records, p)
			p.end()
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(got, is, func(a, b string) bool { return strings.TrimSuffix(a, "\n") == strings.TrimSuffix(b, "\n") }) {
			t.Fatalf("round %d: from %q\ngot %q\nwant %q", round, was, got, is)
		}
	}
}

// patcher applies a patch to contents, which are called by their index.
type patcher struct {
	contents []string
	records  []Record
	at       int
	old      []string
	new      []string
	taken    int // lines of old
}

func (p *patcher) Hunk(record int, h Hunk) {
	if name, _ := strconv.Atoi(p.records[record].Path); p.old == nil || name != p.at {
		p.end()
		p.at, p.taken, p.new = name, 0, nil
		p.old = append([]string{}, slices.Collect(strings.Lines(p.contents[name]))...)
	}
	until := h.OldStart
	if h.OldCount > 0 {
		until--
	}
	p.new = append(p.new, p.old[p.taken:until]...)
	p.taken = until
}

func (p *patcher) Removed(line []byte) {
	if strings.TrimSuffix(p.old[p.taken], "\n") != strings.TrimSuffix(string(line), "\n") {
		p.new = append(p.new, "another line was removed")
	}
	p.taken++
}

func (p *patcher) Added(line []byte) { p.new = append(p.new, string(line)) }

func (p *patcher) end() {
	if p.old != nil {
		p.contents[p.at] = strings.Join(append(p.new, p.old[p.taken:]...), "")
	}
	p.old = nil
}

// The hunks of a merge against each parent are the ones that git gives for this parent alone.
func TestCombinedPatchesHaveTheHunksOfEachParent(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(8, 8))
	words := []string{"a\n", "b\n", "\n", "{\n", "}\n", "-\n", "+ x\n", "  y\r\n", "@@@ -1 -1 +1 @@@\n", "diff --combined x\n"}
	content := func() string {
		var b strings.Builder
		for range random.IntN(16) {
			b.WriteString(words[random.IntN(len(words))])
		}
		return strings.TrimSuffix(b.String(), strings.Repeat("\n", random.IntN(2)))
	}
	repo := repository(t, "git config diff.context 9; git config diff.noprefix true")
	git := func(args ...string) string {
		out, err := repo.Git(t.Context(), nil, args...)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	for round := range 12 {
		var parents []string
		for n := range 3 {
			for i := range 6 {
				write(t, repo, i, content())
			}
			args := []string{"commit-tree", tree(t, repo), "-m", fmt.Sprint(round, n)}
			if n == 2 {
				args = append(args, "-p", parents[0], "-p", parents[1])
			}
			parents = append(parents, git(args...))
		}
		read := func(take func(*Reader) error, args ...string) {
			t.Helper()
			all := append(append([]string{"diff-tree", "--no-commit-id"}, Patch()...), "--no-renames")
			if err := Run(t.Context(), repo, nil, append(all, args...), take); err != nil {
				t.Fatal(err)
			}
		}
		got, listed := map[string][]Hunk{}, map[string]bool{}
		read(func(r *Reader) error {
			lists, err := r.Combined()
			if err != nil || len(lists) == 0 {
				return err
			}
			for _, f := range lists[0] {
				listed[f.Path] = true
			}
			return r.CombinedPatch(len(lists), len(lists[0]), func(parent, file int, h Hunk) {
				key := fmt.Sprint(parent, lists[parent][file].Path)
				got[key] = append(got[key], h)
			})
		}, "-c", "-U1", parents[2])
		want := map[string][]Hunk{}
		for parent := range 2 {
			read(func(r *Reader) error {
				records, err := r.Records()
				if err != nil {
					return err
				}
				var c collector
				err = r.Patch(records, &c)
				for i, hunks := range c.hunks {
					if listed[records[i].Path] {
						want[fmt.Sprint(parent, records[i].Path)] = hunks
					}
				}
				return err
			}, parents[parent], parents[2])
		}
		if fmt.Sprint(got) != fmt.Sprint(want) || len(got) == 0 {
			t.Fatalf("round %d\ngot %v\nwant %v", round, got, want)
		}
	}
}

func write(t *testing.T, repo *refs.Repo, name int, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(repo.WorkTree, strconv.Itoa(name)), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func tree(t *testing.T, repo *refs.Repo) string {
	t.Helper()
	for _, args := range [][]string{{"add", "-A"}, {"write-tree"}} {
		out, err := repo.Git(context.Background(), nil, args...)
		if err != nil {
			t.Fatal(err)
		}
		if args[0] == "write-tree" {
			return strings.TrimSpace(string(out))
		}
	}
	return ""
}

func TestBoundsEndTheReading(t *testing.T) {
	t.Parallel()
	repo := repository(t, `for i in 1 2 3 4 5 6 7 8; do seq 1 100 >$i; done; git add .; git commit -qm 1`)
	args := append(append([]string{"diff-tree", "--root", "--no-commit-id"}, Patch()...), "HEAD")
	read := func(bound func(*Reader)) (n int, err error) {
		err = Run(context.Background(), repo, nil, args, func(r *Reader) error {
			bound(r)
			records, err := r.Records()
			if err != nil {
				return err
			}
			n = len(records)
			return r.Patch(records, &collector{})
		})
		return n, err
	}
	if n, err := read(func(r *Reader) { r.MaxRecords, r.MaxPatch = 8, 1<<20 }); n != 8 || err != nil {
		t.Errorf("within the bounds: %d records, %v", n, err)
	}
	if _, err := read(func(r *Reader) { r.MaxRecords = 7 }); !errors.Is(err, ErrManyRecords) {
		t.Errorf("too many records: %v", err)
	}
	if _, err := read(func(r *Reader) { r.MaxPatch = 1000 }); !errors.Is(err, ErrLongPatch) {
		t.Errorf("too long a patch: %v", err)
	}
	var git *refs.GitError
	if err := Run(context.Background(), repo, nil, []string{"diff-tree", "nothing"}, func(r *Reader) error {
		_, err := r.Records()
		return err
	}); !errors.As(err, &git) {
		t.Errorf("git failed and the reader met %v", err)
	}
}

func TestOtherOutputIsAnError(t *testing.T) {
	t.Parallel()
	id := strings.Repeat("a", 40)
	record := ":100644 100644 " + id + " " + id + " M\x00x\x00"
	for name, out := range map[string]string{
		"a record without end":            record[:20],
		"a record without a path":         record[:len(record)-2],
		"a rename without a second path":  ":100644 100644 " + id + " " + id + " R100\x00x\x00",
		"a record of four fields":         ":100644 100644 " + id + " M\x00x\x00",
		"a mode that is none":             strings.Replace(record, "100644", "10064x", 1),
		"an id that is none":              strings.Replace(record, "aa", "xx", 1),
		"more patches than records":       record + "\x00diff --git a/x b/x\ndiff --git a/y b/y\n",
		"a hunk before any file":          "@@ -1 +1 @@\n-a\n+b\n",
		"a hunk that is cut short":        record + "\x00diff --git a/x b/x\n@@ -1 +1,2 @@\n-a\n+b\n",
		"a hunk with another line":        record + "\x00diff --git a/x b/x\n@@ -1 +1 @@\n-a\ndiff --git a/y b/y\n",
		"a hunk of more than can be":      record + "\x00diff --git a/x b/x\n@@ -1 +1,4294967296 @@\n-a\n+b\n",
		"a hunk of less than nothing":     record + "\x00diff --git a/x b/x\n@@ -1 +1,-1 @@\n-a\n",
		"a third section of a type":       strings.Replace(record, " M", " T", 1) + "\x00diff --git a/x b/x\ndiff --git a/x b/x\ndiff --git a/x b/x\n",
		"a hunk header without two sides": record + "\x00diff --git a/x b/x\n@@ -1 @@\n",
	} {
		r := NewReader(strings.NewReader(out))
		records, err := r.Records()
		if err == nil {
			err = r.Patch(records, &collector{})
		}
		if !errors.Is(err, ErrShape) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := NewReader(strings.NewReader(id[1:] + "\x00")).Commit(); !errors.Is(err, ErrShape) {
		t.Errorf("an id that is none: %v", err)
	}
	if _, err := Records([]byte(record + "x")); !errors.Is(err, ErrShape) {
		t.Errorf("text behind the records: %v", err)
	}
}

func TestLongLinesAreCut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100<<10)
	id := strings.Repeat("a", 40)
	out := ":000000 100644 " + strings.Repeat("0", 40) + " " + id + " A\x00x\x00\x00diff --git a/x b/x\n@@ -0,0 +1,2 @@\n+" + long + "\n+short\n"
	for bound, want := range map[int]int{0: len(long) + 1, 64 << 10: 64<<10 - 1} {
		r := NewReader(strings.NewReader(out))
		r.MaxLine = bound
		records, err := r.Records()
		if err != nil {
			t.Fatal(err)
		}
		var c collector
		if err := r.Patch(records, &c); err != nil || len(c.said) != 3 || len(c.said[1]) != want+1 || c.said[2] != "+short\n" {
			t.Errorf("bound %d: %v, %d things, the line has %d", bound, err, len(c.said), len(c.said[1])-1)
		}
	}
}

func FuzzReader(f *testing.F) {
	id := strings.Repeat("a", 40)
	record := ":100644 100644 " + id + " " + strings.Repeat("b", 40)
	f.Add([]byte(id + "\x00" + record + " M\x00x\x00\x00diff --git a/x b/x\n@@ -1 +1,2 @@\n-a\n+b\n+c\n" + id + "\x00" + record + " T\x00x\x00\x00diff --git a/x b/x\n"))
	f.Add([]byte(id + "\x00" + record + " R100\x00x\x00y\x00\x00"))
	f.Add([]byte(id + "\x00diff --git a/x b/x\n@@ -0,0 +1,99999999 @@\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		_, _ = Records(raw)
		r := NewReader(bytes.NewReader(raw))
		for range len(raw) + 1 {
			if _, err := r.Commit(); err != nil {
				if !errors.Is(err, io.EOF) && !errors.Is(err, ErrShape) {
					t.Fatal(err)
				}
				return
			}
			records, err := r.Records()
			if err != nil {
				return
			}
			var c collector
			if err := r.Patch(records, &c); err != nil {
				return
			}
			if lists, err := r.Combined(); err == nil && len(lists) > 0 {
				_ = r.CombinedPatch(len(lists), len(lists[0]), func(parent, file int, h Hunk) {
					if parent >= len(lists) || file >= len(lists[0]) || h.OldCount < 0 || h.NewCount < 0 {
						t.Fatalf("hunk %v of %d, %d", h, parent, file)
					}
				})
			}
			for record, hunks := range c.hunks {
				if record >= len(records) || len(hunks) > len(raw) {
					t.Fatalf("hunks of record %d of %d", record, len(records))
				}
			}
		}
		t.Fatal("there is no end to it")
	})
}
