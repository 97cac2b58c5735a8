//go:build unix

package testenv

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const nobody = 65534

// asNobody is the variable that tells a process that AsNobody started it.
const asNobody = "TESTENV_AS_NOBODY"

// openPlace returns a directory for temporary files that every user can reach: a directory above os.TempDir may be
// private.
func openPlace() string {
	for _, place := range []string{os.TempDir(), "/tmp", "/var/tmp"} {
		open := true
		for dir := place; open && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			info, err := os.Stat(dir)
			open = err == nil && info.Mode().Perm()&0o001 != 0
		}
		if open {
			return place
		}
	}
	return os.TempDir()
}

// AsNobody reports whether to continue a test about missing permissions. Root has all permissions. So, as root, it runs
// the test in a process of another user, with a directory for temporary files, and returns false.
func AsNobody(t *testing.T) bool {
	t.Helper()
	if os.Geteuid() != 0 || os.Getenv(asNobody) != "" {
		return true
	}
	base, err := os.MkdirTemp(openPlace(), "as-nobody-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	program := filepath.Join(base, "package.test")
	CopySelf(t, program)
	for _, path := range []string{base, program} {
		if err := os.Chown(path, nobody, nobody); err != nil {
			Forbids(t, "root may not become another user: "+err.Error())
		}
	}
	cmd := exec.Command(program, "-test.run=^"+strings.ReplaceAll(t.Name(), "/", "$/^")+"$", "-test.v")
	cmd.Dir = base
	cmd.Env = append(os.Environ(), asNobody+"=1", "TMPDIR="+base, "HOME="+base)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	switch {
	case err != nil:
		t.Errorf("as another user: %v\n%s", err, out)
	case !bytes.Contains(out, []byte("--- PASS: "+t.Name())):
		t.Errorf("the test did not run as another user:\n%s", out)
	}
	return false
}
