package driver

import (
	"os"
	"path/filepath"
	"testing"
)

// gone marks a file that must not exist.
const gone = "\x00"

// checkFiles compares files of the work tree with what they should hold.
func checkFiles(t *testing.T, repo *Repo, want map[string]string) {
	t.Helper()
	for path, text := range want {
		if text == gone {
			if _, err := os.Lstat(filepath.Join(repo.Dir, path)); !os.IsNotExist(err) {
				t.Errorf("%s still exists (%v)", path, err)
			}
			continue
		}
		if got := repo.Read(path); got != text {
			t.Errorf("%s holds %q, want %q", path, got, text)
		}
	}
}
