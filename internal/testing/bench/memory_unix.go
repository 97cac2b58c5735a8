//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peakMemory returns the peak resident memory of an ended process, in bytes.
func peakMemory(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	peak := int64(usage.Maxrss) //nolint:unconvert // it has 32 bits on some systems
	if runtime.GOOS == "darwin" {
		return peak
	}
	return peak * 1024
}
