//go:build unix && !linux

package driver

import (
	"errors"
	"os/exec"
	"syscall"
	"time"
)

// ownGroup makes the client the leader of a process group that ends with it.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// reap kills what is left of the group after linger. Processes that made a
// session of their own cannot be found by it; the mark is for systems with proc(5).
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
