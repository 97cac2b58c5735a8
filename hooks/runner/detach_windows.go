package runner

import (
	"os/exec"
	"syscall"
)

// detachedProcess is DETACHED_PROCESS of CreateProcess.
const detachedProcess = 0x8

// detach makes a process independent of the console of its parent.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: detachedProcess | syscall.CREATE_NEW_PROCESS_GROUP}
}

func LowerPriority() {}
