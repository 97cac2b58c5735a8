package refs

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// `held` reports whether a running process may have made a lock file. The result `known` is false if this cannot be
// found out.
//
// An open file is not the only sign: in a transaction of many refs, git closes its lock files before it renames them.
// So a git process also counts if it runs in this repository and is older than the lock.
func held(lock os.FileInfo, dirs []string) (held, known bool) {
	stat, ok := lock.Sys().(*syscall.Stat_t)
	if !ok {
		return false, false
	}
	// Only root sees the open files of other users' processes.
	if euid := os.Geteuid(); euid != 0 && int64(stat.Uid) != int64(euid) {
		return false, false
	}
	procs, err := os.ReadDir("/proc")
	if err != nil {
		return false, false
	}
	for _, p := range procs {
		pid, err := strconv.Atoi(p.Name())
		if err != nil {
			continue
		}
		known = known || pid == os.Getpid() // a /proc that lacks this process is useless
		dir := filepath.Join("/proc", p.Name())
		if hasOpen(dir, lock) || mayWriteRefs(dir, lock.ModTime(), dirs) {
			return true, true
		}
	}
	return false, known
}

func hasOpen(proc string, file os.FileInfo) bool {
	dir := filepath.Join(proc, "fd")
	fds, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, fd := range fds {
		if info, err := os.Stat(filepath.Join(dir, fd.Name())); err == nil && os.SameFile(info, file) {
			return true
		}
	}
	return false
}

// readers lists git commands that run for a long time and change no ref, or that only wait for git-trace.
var readers = []string{
	"cat-file", "blame", "log", "show", "diff", "grep", "trace", "daemon", "fsmonitor--daemon", "credential",
	"credential-cache--daemon", "check-ignore", "check-attr",
}

// mayWriteRefs reports whether a process is a git in this repository that started before the lock was made.
func mayWriteRefs(proc string, locked time.Time, dirs []string) bool {
	name, err := os.ReadFile(filepath.Join(proc, "comm"))
	comm := strings.TrimSpace(string(name))
	if err != nil || comm != "git" && !strings.HasPrefix(comm, "git-") || strings.HasPrefix(comm, "git-trace") {
		return false
	}
	if started, ok := startTime(proc); ok && started.After(locked.Add(2*time.Second)) {
		return false
	}
	line, err := os.ReadFile(filepath.Join(proc, "cmdline"))
	if err != nil {
		return false
	}
	args := bytes.Split(line, []byte{0})
	for _, arg := range args[1:] {
		if slices.Contains(readers, string(arg)) {
			return false
		}
	}
	cwd, err := os.Readlink(filepath.Join(proc, "cwd"))
	if err != nil {
		return false
	}
	for _, dir := range dirs {
		if dir != "" && (cwd == dir || strings.HasPrefix(cwd, dir+"/")) {
			return true
		}
		if dir != "" && bytes.Contains(line, []byte(dir)) {
			return true
		}
	}
	return false
}

// startTime reads the start time of a process from field 22 of /proc/PID/stat, in ticks since boot (proc(5)). User
// programs see ticks of 1/100 second on every Linux.
func startTime(proc string) (time.Time, bool) {
	text, err := os.ReadFile(filepath.Join(proc, "stat"))
	if err != nil {
		return time.Time{}, false
	}
	nameEnd := bytes.LastIndexByte(text, ')') // field 2, the name, may contain brackets and spaces
	fields := strings.Fields(string(text[nameEnd+1:]))
	if len(fields) < 20 {
		return time.Time{}, false
	}
	ticks, err := strconv.ParseInt(fields[19], 10, 64)
	if err != nil {
		return time.Time{}, false
	}
	var info syscall.Sysinfo_t
	if err := syscall.Sysinfo(&info); err != nil {
		return time.Time{}, false
	}
	boot := time.Now().Add(-time.Duration(info.Uptime) * time.Second)
	return boot.Add(time.Duration(ticks) * 10 * time.Millisecond), true
}
