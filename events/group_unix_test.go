//go:build unix

package events

import (
	"os/exec"
	"syscall"
	"testing"
)

// ownGroup puts a process and its children into a group of their own.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends them all.
func killGroup(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	check(t, syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL))
}
