//go:build unix

package runner

import (
	"os/exec"
	"syscall"
)

// detach lets a process outlive the terminal and the process group of its parent.
func detach(cmd *exec.Cmd) {
	closeInherited()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

// LowerPriority lets all other processes go first.
func LowerPriority() { _ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, 10) }
