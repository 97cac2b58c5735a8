//go:build unix

package trails

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/git-trace/git-trace/refs"
)

// TestWhatIsNoFileIsNotOpened: opening a pipe waits for somebody who writes into it, and a hook must not wait.
func TestWhatIsNoFileIsNotOpened(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	repo := &refs.Repo{WorkTree: dir}
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{
		syscall.Mkfifo(at("pipe"), 0o600), os.Symlink("pipe", at("link")), os.Mkdir(at("dir"), 0o700),
		os.WriteFile(at("file"), []byte("x\n"), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]bool{"pipe": false, "link": false, "dir": false, "none": false, "file": true} {
		raw, found := readWorkFile(repo, name)
		if found != want || found && string(raw) != "x\n" {
			t.Errorf("%s: %q, %t", name, raw, found)
		}
	}
}
