package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// killLeft ends the processes whose program lies below a directory: what a test's hooks left running. Where there is no
// /proc they end by themselves.
func killLeft(dir string) {
	links, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		return
	}
	for _, link := range links {
		program, err := os.Readlink(link)
		if err != nil || !strings.HasPrefix(program, dir+string(filepath.Separator)) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(link)))
		if err != nil || pid == os.Getpid() {
			continue
		}
		if process, err := os.FindProcess(pid); err == nil {
			_ = process.Kill()
		}
	}
}
