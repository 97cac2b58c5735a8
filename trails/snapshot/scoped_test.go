package snapshot

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/git-trace/git-trace/refs"
)

// Each case takes a full snapshot of the setup, then changes things, then a scoped snapshot of the paths. What the tree
// must have at the paths is what git would have; everything else must be as in the full snapshot. Git's method takes
// everything.
func TestScopedSnapshotsAreTrueAtTheirPaths(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name   string
		change func(b *sandbox)
		paths  []string
		want   string // changes as STATUS PATH lines
	}{
		{"an edit", func(b *sandbox) { b.write("a", "aa\n"); b.write("d/b", "not looked at\n") }, []string{"a"}, "M a\n"},
		{"several", func(b *sandbox) { b.write("a", "aa\n"); b.remove("d/b") }, []string{"d/b", "a", "a"}, "M a\nD d/b\n"},
		{"a new file", func(b *sandbox) { b.write("new", "n\n"); b.write("other", "o\n") }, []string{"new"}, "A new\n"},
		{"a new file in new directories", func(b *sandbox) { b.write("x/y/z", "n\n"); b.write("x/w", "o\n") }, []string{"x/y/z"}, "A x/y/z\n"},
		{"a new file in a known directory", func(b *sandbox) { b.write("d/new", "n\n") }, []string{"d/new"}, "A d/new\n"},
		{"a deleted file", func(b *sandbox) { b.remove("d/b") }, []string{"d/b"}, "D d/b\n"},
		{"a file whose directory is gone", func(b *sandbox) { b.remove("d") }, []string{"d/b"}, "D d/b\n"},
		{"a file that was never there", func(*sandbox) {}, []string{"nowhere/x"}, ""},
		{"a mode", func(b *sandbox) { b.chmod("a", 0o755) }, []string{"a"}, "M a\n"},
		{"a link", func(b *sandbox) { b.remove("a"); b.symlink("d", "a") }, []string{"a"}, "M a\n"},
		{"a file that became a directory", func(b *sandbox) { b.remove("a"); b.write("a/x/y", "1\n"); b.write("a/z", "2\n") }, []string{"a"}, "D a\nA a/x/y\nA a/z\n"},
		{"a directory that became a file", func(b *sandbox) { b.remove("d"); b.write("d", "1\n") }, []string{"d"}, "A d\nD d/b\nD d/c/e\n"},
		{"a directory", func(b *sandbox) {
			b.write("d/b", "bb\n")
			b.write("d/n", "n\n")
			b.write("d/x.o", "o\n")
			b.write("a", "aa\n")
		}, []string{"d"}, "M d/b\nA d/n\n"},
		{"a file under a link", func(b *sandbox) { b.remove("d"); b.mkdir("real"); b.write("real/b", "x\n"); b.symlink("real", "d") }, []string{"d/b"}, "D d/b\n"},
		{"an ignored file", func(b *sandbox) { b.write("x.o", "o\n"); b.write("out/y", "y\n") }, []string{"x.o", "out/y", "out"}, ""},
		{"a tracked ignored file", func(b *sandbox) { b.write("kept.o", "kk\n") }, []string{"kept.o"}, "M kept.o\n"},
		{"an ignored file added by force", func(b *sandbox) { b.write("x.o", "o\n"); b.write("out/y", "y\n"); b.git("add", "-f", "x.o", "out/y") }, []string{"x.o", "out/y"}, "A out/y\nA x.o\n"},
		{"a file ignored by now", func(b *sandbox) { b.write(".gitignore", "*.o\nout/\nfree\n") }, []string{"free", "a"}, "D free\n"},
		{"the ignore file itself", func(b *sandbox) { b.write(".gitignore", "*.p\n"); b.write("x.o", "o\n") }, []string{".gitignore"}, "M .gitignore\n"},
		{"an attribute file and what it changes", func(b *sandbox) { b.write(".gitattributes", "*.txt text\n"); b.write("n.txt", "a\r\n") }, []string{".gitattributes", "n.txt"}, "A .gitattributes\nA n.txt\n"},
		{"an ignore file edited in place", func(b *sandbox) { b.write(".gitignore", "*.p\nout/\n") }, []string{".gitignore"}, "M .gitignore\n"},
		{"an attribute file edited in place", func(b *sandbox) { b.write(".gitattributes", "*.txt text\n") }, []string{".gitattributes"}, "A .gitattributes\n"},
		{"paths outside", func(b *sandbox) { b.write("a", "aa\n") }, []string{"../a", "/etc/passwd", ".git/config", "a/../../b", "d/b"}, ""},
		{"an untidy path", func(b *sandbox) { b.write("d/b", "bb\n") }, []string{"./d//b"}, "M d/b\n"},
		{"no path", func(b *sandbox) { b.write("a", "aa\n") }, []string{}, ""},
		{"the top", func(b *sandbox) { b.write("a", "aa\n"); b.write("n", "n\n") }, []string{"."}, "M a\nA n\n"},
		{"a special file", func(b *sandbox) { b.remove("a"); b.must(mkfifo(b.path("a"))) }, []string{"a"}, ""},
	}
	for _, c := range cases {
		for _, byGit := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, by git %v", c.name, byGit), func(t *testing.T) {
				t.Parallel()
				b := newSandbox(t)
				b.write(".gitignore", "*.o\nout/\n")
				for _, name := range []string{"a", "d/b", "d/c/e", "kept.o"} {
					b.write(name, name+"\n")
				}
				b.git("add", "-f", ".")
				b.git("commit", "-qm", "one")
				b.write("free", "free\n")
				b.write("w.txt", "crlf\r\n")
				b.write("old.o", "ignored so far\n")
				b.settle() // no directory is read again without a reason
				e := b.engine()
				e.git = byGit
				before := b.full(e)
				b.must(e.Save())
				c.change(b)
				want := b.wantTree()
				e = b.engine()
				e.git = byGit
				snap := b.scoped(e, c.paths...)
				b.must(e.Save())
				got := ""
				for _, change := range snap.Changes {
					got += status(change) + " " + change.Path + "\n"
				}
				switch {
				case byGit:
					if !snap.Whole || snap.Tree.String() != want {
						t.Error("git's method does not take everything")
					}
				case got != c.want:
					t.Errorf("changes\n%swant\n%s", got, c.want)
				}
				if len(snap.Changes) == 0 && snap.Tree != before.Tree {
					t.Error("the tree changed without a change")
				}
				b.sideGit("rev-list", "--objects", "--quiet", snap.Tree.String())
				e = b.engine()
				e.git = byGit
				if full := b.full(e); full.Tree.String() != want {
					t.Errorf("then the snapshot of everything is not git's tree")
				}
			})
		}
	}
}

func status(c Change) string {
	switch {
	case c.OldMode == 0:
		return "A"
	case c.NewMode == 0:
		return "D"
	}
	return "M"
}

func TestContentIsKeptWhileItIsThere(t *testing.T) {
	t.Parallel()
	b := newSandbox(t)
	b.write("a", "first\n")
	b.write("b", "first of b\n")
	b.write("c.txt", "crlf\r\n")
	b.symlink("a", "link")
	b.write(".gitattributes", "*.txt text\n")
	b.commit("one")
	b.git("gc", "-q")
	e := b.engine()
	b.full(e)
	b.scoped(e, "a")
	for _, path := range []string{"b", "c.txt", "link", "unknown"} {
		b.must(e.Keep(path))
	}
	b.must(os.Rename(b.repo.MainObjects(), b.repo.MainObjects()+".away"))
	for path, want := range map[string]string{"a": "first\n", "b": "first of b\n", "c.txt": "crlf\n", "link": "a"} {
		entry, ok := e.Lookup(path)
		if !ok {
			t.Fatalf("%s is not known", path)
		}
		if _, content, err := refs.ReadLoose(b.repo.SideObjects(), entry.OID); err != nil || string(content) != want {
			t.Errorf("%s: %q, %v; want %q", path, content, err, want)
		}
	}
}

func TestLookupKnowsFilesNotDirectories(t *testing.T) {
	t.Parallel()
	for _, byGit := range []bool{false, true} {
		b := newSandbox(t)
		b.write("d/f", "f\n")
		b.write(".gitignore", "x\n.gitignore\n")
		b.write("x", "x\n")
		e := b.engine()
		e.git = byGit
		if _, ok := e.Lookup("d/f"); ok {
			t.Error("known before the first snapshot")
		}
		b.full(e)
		var known []string
		for _, path := range []string{"d/f", "d", "x", ".gitignore", "", "d/f/g", "nowhere"} {
			if entry, ok := e.Lookup(path); ok && entry.Mode == refs.ModeFile && !entry.OID.IsZero() {
				known = append(known, path)
			}
		}
		if !slices.Equal(known, []string{"d/f"}) {
			t.Errorf("by git %v: known %q", byGit, known)
		}
	}
}

func TestAWorkTreeReturnsToTheOwnMethod(t *testing.T) {
	t.Parallel()
	b := newSandbox(t)
	b.write("a", "a\n")
	b.commit("one")
	e := b.engine()
	steps := []struct {
		do   func()
		want string
	}{
		{func() {}, MethodOwn},
		{func() { b.git("init", "-q", "inner") }, MethodGit},
		{func() { b.write("a", "b\n") }, MethodGit},
		{func() { b.remove("inner") }, MethodOwn},
		{func() { b.git("update-index", "--skip-worktree", "a") }, MethodGit},
		{func() { b.git("update-index", "--no-skip-worktree", "a") }, MethodOwn},
		{func() { b.git("config", "core.sparseCheckout", "true") }, MethodGit},
		{func() { b.git("config", "core.sparseCheckout", "false") }, MethodOwn},
		{func() { b.git("config", "core.ignoreCase", "true") }, MethodOwn},
		{func() { b.write("A", "a in another case\n") }, MethodGit},
	}
	for i, step := range steps {
		step.do()
		snap := b.full(e)
		b.must(e.Save())
		if snap.Method != step.want || snap.Seeded != (i == 0) {
			t.Fatalf("step %d: method %s, want %s; seeded %v", i, snap.Method, step.want, snap.Seeded)
		}
		e = b.engine()
	}
}
