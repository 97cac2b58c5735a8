package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// withPeak runs a command, and gives what it said and the most memory that it, or one process that it started, was seen
// to have, in KiB. What wait4(2) tells of a process holds what its parent had.
func withPeak(cmd *exec.Cmd) (out []byte, kib int64, err error) {
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		return nil, 0, err
	}
	ended := make(chan struct{})
	peak := make(chan int64)
	go func() {
		most := int64(0)
		for {
			most = max(most, memoryOf(cmd.Process.Pid))
			select {
			case <-ended:
				peak <- most
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	}()
	err = cmd.Wait()
	close(ended)
	return said.Bytes(), <-peak, err
}

// memoryOf is the most that one of a process and its children has had, in KiB; 0 of one that has ended.
func memoryOf(pid int) (kib int64) {
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if _, rest, found := strings.Cut(string(raw), "VmHWM:"); found {
		kib, _ = strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	}
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		raw, _ := os.ReadFile(list)
		for child := range strings.FieldsSeq(string(raw)) {
			if id, err := strconv.Atoi(child); err == nil {
				kib = max(kib, memoryOf(id))
			}
		}
	}
	return kib
}
