//go:build unix

package runner

import (
	"os/exec"
	"syscall"
)

// detach makes a process one that outlives the terminal and the process group of whoever started it.
func detach(cmd *exec.Cmd) {
	closeInherited()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

// LowerPriority lets everybody else go first.
func LowerPriority() { _ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, 10) }
