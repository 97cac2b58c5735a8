package testenv

import (
	"os"
	"os/exec"
	"testing"
)

// Repository runs a shell script in a new repository with the branch main, and returns its directory. The user's
// configuration has no effect. The parameter `more` has further variables, NAME=VALUE.
func Repository(t testing.TB, script string, more ...string) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command("sh", "-ec", "git init -q -b main .\n"+script)
	cmd.Dir = dir
	cmd.Env = append([]string{
		"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=A U Thor", "GIT_AUTHOR_EMAIL=a@b.c", "GIT_COMMITTER_NAME=C", "GIT_COMMITTER_EMAIL=c@d.e",
	}, more...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}
