package refs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is found without git is what git finds, in loose objects and in packs; what is left to git is found as well.
func TestWhatACommitHasIsFoundAsGitFindsIt(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			repo := newRepo(t, "--object-format="+format)
			top := repo.WorkTree
			for _, dir := range []string{"a/b", "sub"} {
				if err := os.MkdirAll(filepath.Join(top, dir), 0o777); err != nil {
					t.Fatal(err)
				}
			}
			for _, name := range []string{"one", "a/two", "a/b/three", "a/b/.hidden", ".dot", "with space", "a:b"} {
				if err := os.WriteFile(filepath.Join(top, name), []byte(name+"\n"), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			git(t, top, "init", "-q", "--object-format="+format, "sub")
			git(t, filepath.Join(top, "sub"), "commit", "-q", "--allow-empty", "-m", "sub")
			git(t, top, "-c", "advice.addEmbeddedRepo=false", "add", ".")
			git(t, top, "commit", "-q", "-m", "one")
			git(t, top, "tag", "-a", "-m", "tag", "v1")
			head := strings.TrimSpace(git(t, top, "rev-parse", "HEAD"))
			tree := strings.TrimSpace(git(t, top, "rev-parse", "HEAD^{tree}"))
			tag := strings.TrimSpace(git(t, top, "rev-parse", "v1"))
			var asked []string
			for _, of := range []string{head, tree, tag, strings.Repeat("1", len(head)), head[:10], "HEAD", "v1"} {
				for _, path := range []string{
					":one", ":a", ":a/two", ":a/b/three", ":a/b/.hidden", ":.dot", ":with space", ":a:b", ":sub", ":sub/x", ":",
					":none", ":one/two", ":a/none", ":a/", ":a//two", ":./one", ":../one", ":/one", ":a/./two", "^{commit}", "^{tree}", "^0",
				} {
					asked = append(asked, of+path)
				}
			}
			compare := func(where string) {
				byGit, byUs := repo.Objects(), repo.Objects()
				defer func() { _, _ = byGit.Close(), byUs.Close() }()
				for _, rev := range asked {
					oid, typ, content, err := byUs.ReadRev(rev)
					want, wantTyp, wantContent, wantErr := gitSays(byGit, rev)
					if oid != want || typ != wantTyp || string(content) != string(wantContent) || errors.Is(err, ErrMissing) != errors.Is(wantErr, ErrMissing) {
						t.Errorf("%s, %s: %s %s %q %v, git says %s %s %q %v", where, rev, oid, typ, content, err, want, wantTyp, wantContent, wantErr)
					}
				}
			}
			compare("loose")
			direct := repo.Objects()
			for _, rev := range []string{head + ":a/b/three", tree + ":one", head + "^{commit}", head + ":none"} {
				if _, _, err := direct.Resolve(rev); err != nil && !strings.HasSuffix(rev, ":none") {
					t.Errorf("%s: %v", rev, err)
				}
			}
			if direct.batch != nil {
				t.Error("git was started")
			}
			git(t, top, "repack", "-adq")
			git(t, top, "prune-packed")
			compare("packed")
			for _, of := range []*Repo{repo, borrowing(t, top)} {
				entriesAt(t, of, head, tree)
			}
		})
	}
}

// borrowing is a repository without objects of its own.
func borrowing(t *testing.T, from string) *Repo {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "borrowing")
	git(t, from, "clone", "-q", "--shared", "--no-checkout", from, dir)
	repo, err := Discover(dir)
	if err != nil {
		t.Fatal(err)
	}
	return repo
}

// entriesAt holds the entries of a commit and its tree against those that git lists.
func entriesAt(t *testing.T, repo *Repo, tops ...string) {
	t.Helper()
	objects := repo.Objects()
	defer objects.Close()
	for _, top := range tops {
		id, err := ParseOID(top)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{}
		for line := range strings.SplitSeq(strings.Trim(git(t, repo.WorkTree, "ls-tree", "-r", "-t", "-z", top), "\x00"), "\x00") {
			_, path, _ := strings.Cut(line, "\t")
			want[path] = line
		}
		for _, none := range []string{"none", "one/two", "a/none", "a/", "a//two", "./one", "../one", "/one", "sub/x", ""} {
			want[none] = ""
		}
		for path, line := range want {
			e, err := objects.EntryAt(id, path)
			got := ""
			if err == nil && !e.OID.IsZero() {
				got = fmt.Sprintf("%06o %s %s\t%s", e.Mode, e.Type(), e.OID, path)
			}
			if err != nil || got != line {
				t.Errorf("%s:%s: %q %v, git says %q", top, path, got, err, line)
			}
		}
	}
	missing, err := ParseOID(strings.Repeat("1", len(tops[0])))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := objects.EntryAt(missing, "one"); !errors.Is(err, ErrMissing) {
		t.Errorf("of a commit that is not here: %v", err)
	}
}

// gitSays is what git alone says of a revision.
func gitSays(o *Objects, rev string) (oid OID, typ ObjectType, content []byte, err error) {
	if o.batch == nil || !o.batch.usable {
		if o.batch, err = startBatch(o.repo); err != nil {
			return OID{}, "", nil, err
		}
	}
	return o.batch.ask(rev, true, o.limit())
}
