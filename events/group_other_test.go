//go:build !unix

package events

import (
	"os/exec"
	"testing"
)

func ownGroup(*exec.Cmd) {}

func killGroup(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	check(t, cmd.Process.Kill())
}
