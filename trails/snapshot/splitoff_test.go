package snapshot

import (
	"os"
	"testing"
)

// A repository in a directory of which the user tracks a file, and the file goes: git leaves the directory out as long
// as the user's index names the file.
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

// What was a repository and is a plain directory counts as a submodule at the commit that the user added, whatever it
// was at since.
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

// A submodule of the index, a file in its place, and then a directory again: git takes the directory for the submodule
// that is not checked out, and what lies in it for part of that.
func TestADirectoryInThePlaceOfASubmoduleIsThatSubmodule(t *testing.T) {
	t.Parallel()
	for _, git := range []bool{false, true} {
		b := newSandbox(t)
		b.write("other", "y")
		b.write("d/inner", "a")
		b.git("init", "-q", "d")
		b.git("-C", "d", "add", "inner")
		b.git("-C", "d", "commit", "-q", "-m", "inner")
		b.git("add", "-A")
		w := b.watch("watched", git)
		w.check("added", b.wantTree())
		b.remove("d")
		b.write("d", "a file")
		w.check("a file", b.wantTree())
		b.remove("d")
		b.write("d/x", "z")
		w.checkScoped("in the directory", "d/x", b.wantTree())
		w.check("a directory", b.wantTree())
		b.write("d/e/c", "deeper")
		w.checkScoped("deeper", "d/e/c", b.wantTree())
		w.check("deeper", b.wantTree())
	}
}

// Git stores nothing twice: what is staged or stashed when a snapshot is taken is in the repository's own store alone,
// and goes from there when it is dropped.
func TestWhatGitPrunesStaysInTheSideStore(t *testing.T) {
	t.Parallel()
	b := newSandbox(t)
	b.write("d/e/f", "one")
	b.write("g", "two")
	b.commit("one")
	w := b.watch("git", true)
	w.check("first", b.wantTree())
	b.write("d/e/f", "staged")
	b.write("g", "stashed")
	b.git("add", "d/e/f")
	b.git("stash", "-q")
	b.git("stash", "apply", "-q", "--index")
	w.check("staged and stashed", b.wantTree())
	b.git("stash", "drop", "-q")
	b.git("reset", "-q")
	b.write("g", "other")
	b.write("d/e/f", "another")
	b.git("gc", "-q", "--prune=now")
	if snap := w.check("pruned", b.wantTree()); snap.Seeded {
		t.Error("the last snapshot is lost")
	}
}
