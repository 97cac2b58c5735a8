//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// mostMemory is the most that a process, or one that it waited for, held, in bytes.
func mostMemory(ended *os.ProcessState) int64 {
	used, ok := ended.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(used.Maxrss) //nolint:unconvert // of 32 bits on some systems
	}
	return int64(used.Maxrss) << 10 //nolint:unconvert // of 32 bits on some systems
}
