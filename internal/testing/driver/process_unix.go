//go:build unix && !linux

package driver

import (
	"errors"
	"os/exec"
	"syscall"
	"time"
)

// ownGroup puts the client into its own process group.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// reap kills the rest of the group after `linger`. It does not find processes with their own session: the mark needs
// proc(5).
func reap(group int, _ string, linger time.Duration) []string {
	end := time.Now().Add(linger)
	for time.Now().Before(end) {
		if errors.Is(syscall.Kill(-group, 0), syscall.ESRCH) {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	if syscall.Kill(-group, syscall.SIGKILL) == nil {
		return []string{"process group"}
	}
	return nil
}
