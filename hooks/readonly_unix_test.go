//go:build unix

package hooks

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/git-trace/git-trace/refs/testenv"
)

// Root writes everywhere, so the test starts itself as somebody else when it runs as root.
func TestAReadOnlyDirectoryIsAClearErrorAndNothingIsHalfWritten(t *testing.T) {
	const child = "HOOKS_TEST_READ_ONLY"
	if dir := os.Getenv(child); dir != "" {
		readOnlyChild(t, dir)
		return
	}
	base, err := os.MkdirTemp("", "hooks-ro")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	cmd := exec.Command(os.Args[0], "-test.run=^TestAReadOnlyDirectory", "-test.v")
	cmd.Env = append(os.Environ(), child+"="+base)
	cmd.Dir = base
	if os.Getuid() == 0 {
		program := filepath.Join(base, "hooks.test")
		testenv.CopySelf(t, program)
		var err error
		for _, dir := range []string{base, program} {
			if err == nil {
				err = os.Chown(dir, 65534, 65534)
			}
		}
		if err != nil {
			t.Skip("cannot become another user: ", err)
		}
		cmd.Path, cmd.Args[0] = program, program
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if !bytes.Contains(out, []byte("PASS: TestAReadOnlyDirectory")) {
		t.Errorf("the test did not run:\n%s", out)
	}
}

func readOnlyChild(t *testing.T, base string) {
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
