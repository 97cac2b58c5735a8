//go:build unix

package hooks

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

func TestAReadOnlyDirectoryIsAClearErrorAndNothingIsHalfWritten(t *testing.T) {
	if !testenv.AsNobody(t) {
		return
	}
	base := t.TempDir()
	w := &world{t: t, base: base, dir: filepath.Join(base, "work"), binary: filepath.Join(base, "git-trace"), log: filepath.Join(base, "log")}
	if err := os.Mkdir(w.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	w.git("init", "-q", "-b", "main")
	w.write(w.hook("post-commit"), foreign("post-commit"), 0o755)
	for _, dir := range []string{filepath.Join(w.dir, ".git", "hooks"), filepath.Join(w.dir, ".git")} {
		if err := os.Chmod(dir, 0o555); err != nil {
			t.Fatal(err)
		}
		before := picture(t, w.dir)
		_, err := w.installer().Install(context.Background())
		if !errors.Is(err, fs.ErrPermission) {
			t.Errorf("install says %v", err)
		}
		t.Log(err)
		_ = os.Chmod(dir, 0o755)
		samePicture(t, "failed install", withMode(before, dir, w.dir), picture(t, w.dir))
	}
}

// withMode is a picture with one directory writable again.
func withMode(p map[string]string, dir, root string) map[string]string {
	rel, _ := filepath.Rel(root, dir)
	p[rel] = "drwxr-xr-x"
	return p
}
