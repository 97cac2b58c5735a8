//go:build unix

package runner

import (
	"os/exec"
	"syscall"
)

// detach makes a process independent of the terminal and the process group of its parent.
func detach(cmd *exec.Cmd) {
	closeInherited()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

// LowerPriority gives all other processes priority over this one.
func LowerPriority() { _ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, 10) }
