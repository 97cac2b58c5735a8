package gitblame

import (
	"os"
	"path/filepath"
	"testing"
)

// The answer is also right after git add. Where git finds lines under another name, it depends on the user's index.
func TestANewFileIsBlamedInFullOnce(t *testing.T) {
	t.Parallel()
	r := history(t)
	r.Write("new.txt", "a line of its own\nand another\n")
	asked := func(file string, ways ...string) {
		t.Helper()
		for i, want := range ways {
			if way := r.find(t, "--json", file); way != want {
				t.Errorf("%s the %d. time: %s, not %s", file, i+1, way, want)
			}
			r.compare(t, []string{"--json"}, file)
		}
	}
	asked("new.txt", "full", "recalled")
	r.Git("add", "new.txt")
	asked("new.txt", "recalled")
	r.Write("new.txt", "a line of its own\nand a third\n")
	asked("new.txt", "full", "full") // the index has it, and it may be another file renamed
	r.Git("rm", "-q", "-f", "--cached", "new.txt")
	asked("new.txt", "full", "recalled")
	if err := os.Rename(filepath.Join(r.Dir, "sub.go"), filepath.Join(r.Dir, "renamed.go")); err != nil {
		t.Fatal(err)
	}
	asked("renamed.go", "full", "full")
	r.Write("new.txt", "a line of its own\nand a fourth\n")
	r.Git("config", "diff.renameLimit", "5")
	asked("new.txt", "full", "full")
}
