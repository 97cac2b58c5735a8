//go:build linux && amd64

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// dieAt runs this very program again as a traced child and kills it at the beginning of the n-th of its system calls
// that change a file; then, or when the child has ended before, this process ends as the child did. It returns only
// when nothing could be traced. What lies between two such calls changes nothing that a later process could see.
func dieAt(n int, log *os.File) {
	runtime.LockOSThread() // ptrace(2) wants all requests from the thread that started the child
	cmd := exec.Command("/proc/self/exe", os.Args[1:]...)
	cmd.Args[0] = os.Args[0]
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, killEnv+"=") })
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); err != nil {
		return
	}
	status, killed := follow(cmd.Process.Pid, n)
	if killed {
		fmt.Fprintln(log, strings.Join(os.Args[1:], " "), "at change", n)
	}
	if !status.Exited() {
		if self, err := os.FindProcess(os.Getpid()); err == nil {
			_ = self.Kill()
		}
		select {}
	}
	os.Exit(status.ExitStatus())
}

// follow lets a traced process and its threads run up to its n-th change, and tells how it ended.
func follow(pid, n int) (end unix.WaitStatus, killed bool) {
	const options = unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACESYSGOOD | unix.PTRACE_O_EXITKILL
	inside := map[int]bool{} // threads that are in a system call
	count, prepared := 0, false
	for {
		var status unix.WaitStatus
		tid, err := unix.Wait4(-1, &status, unix.WALL, nil)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return status, killed
		case !status.Stopped(): // it has ended
			if tid == pid {
				return status, killed
			}
			continue
		case !prepared:
			prepared = true
			_ = unix.PtraceSetOptions(pid, options)
			_ = unix.PtraceSyscall(tid, 0)
			continue
		}
		signal := 0
		switch sig := status.StopSignal(); sig {
		case unix.SIGTRAP | 0x80: // PTRACE_O_TRACESYSGOOD
			if inside[tid] = !inside[tid]; inside[tid] && !killed && changesFile(tid) {
				count++
			}
			if count == n && !killed {
				killed = true
				_ = unix.Kill(pid, unix.SIGKILL)
				continue
			}
		case unix.SIGTRAP, unix.SIGSTOP: // an event, or a new thread
		default:
			signal = int(sig)
		}
		_ = unix.PtraceSyscall(tid, signal)
	}
}

// changesFile reports whether a thread is about to change something that another process can see, or to end.
func changesFile(tid int) bool {
	var regs unix.PtraceRegs
	if err := unix.PtraceGetRegs(tid, &regs); err != nil {
		return false
	}
	switch regs.Orig_rax {
	case unix.SYS_WRITE, unix.SYS_PWRITE64, unix.SYS_FTRUNCATE:
		name, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", tid, regs.Rdi))
		return err == nil && strings.HasPrefix(name, "/")
	case unix.SYS_OPENAT:
		return regs.Rdx&unix.O_CREAT != 0
	case unix.SYS_RENAME, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2, unix.SYS_UNLINK, unix.SYS_UNLINKAT, unix.SYS_MKDIR,
		unix.SYS_MKDIRAT, unix.SYS_LINK, unix.SYS_LINKAT, unix.SYS_EXIT_GROUP:
		return true
	}
	return false
}
