package testenv

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// MountSpace returns the beginning of a command that runs its further arguments in a new mount name space, where they
// may mount (unshare(1)). Users other than root also need a user name space, which many machines refuse.
func MountSpace(t testing.TB) []string {
	t.Helper()
	Needs(t, "unshare")
	var why string
	for _, command := range []string{"unshare --mount", "unshare --map-root-user --mount"} {
		words := strings.Fields(command)
		try := slices.Concat(words[1:], []string{"mount", "-t", "tmpfs", "none", t.TempDir()})
		out, err := exec.Command(words[0], try...).CombinedOutput()
		if err == nil {
			return words
		}
		why = firstLine(out)
	}
	Forbids(t, "no mount name space: "+why)
	return nil
}
