package snapshot

import (
	"os"
	"testing"
)

// A repository in a directory of which the user tracks a file, and the file goes: git leaves the directory out as long as
// the user's index names the file.
func TestARepositoryThatLostItsTrackedFileIsLeftOut(t *testing.T) {
	t.Parallel()
	b := newSandbox(t)
	b.write("d/tracked", "x")
	b.write("other", "y")
	b.commit("one")
	b.write(".gitignore", "inner\n")
	b.write("d/inner", "a")
	b.git("init", "-q", "d")
	b.git("-C", "d", "add", "-f", "inner")
	b.git("-C", "d", "commit", "-q", "-m", "inner")
	w := b.watch("git", true)
	w.check("both", b.wantTree())
	b.must(os.Remove(b.path("d/tracked")))
	for range 3 {
		w.check("gone", b.wantTree())
	}
	w.checkScoped("of what is there no more", "d/tracked", b.wantTree())
	b.write("d/new", "z")
	w.checkScoped("new beside it", "d/new", b.wantTree())
	w.check("new", b.wantTree())
	b.git("add", "-A")
	w.check("and out of the index", b.wantTree())
	b.git("add", "-A")
	w.check("a repository of its own", b.wantTree())
}

// What was a repository and is a plain directory counts as a submodule at the commit that the user added, whatever it was
// at since.
func TestASubmoduleWithoutARepositoryStaysWhereTheUserAddedIt(t *testing.T) {
	t.Parallel()
	b := newSandbox(t)
	b.write("d/inner", "a")
	b.git("init", "-q", "d")
	b.git("-C", "d", "add", "inner")
	b.git("-C", "d", "commit", "-q", "-m", "inner")
	b.git("add", "-A")
	w := b.watch("git", true)
	w.check("added", b.wantTree())
	b.git("-C", "d", "commit", "-q", "--allow-empty", "-m", "another")
	w.check("another commit", b.wantTree())
	b.must(os.RemoveAll(b.path("d/.git")))
	w.check("a plain directory", b.wantTree())
}

// Files that were taken in as they are, and then the directory becomes a repository: git takes that in as one entry.
func TestADirectoryThatBecomesARepositoryIsOne(t *testing.T) {
	t.Parallel()
	for _, git := range []bool{false, true} {
		b := newSandbox(t)
		b.write("other", "y")
		b.commit("one")
		w := b.watch("watched", git)
		b.write("d/inner", "a")
		w.check("files", b.wantTree())
		b.git("init", "-q", "d")
		b.git("-C", "d", "add", "inner")
		b.git("-C", "d", "commit", "-q", "-m", "inner")
		w.check("a repository", b.wantTree())
		w.check("still", b.wantTree())
	}
}
