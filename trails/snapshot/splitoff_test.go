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
	b.git("add", "-A")
	w.check("and out of the index", b.wantTree())
	b.git("add", "-A")
	w.check("a repository of its own", b.wantTree())
}
