package process

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/git-trace/git-trace/refs"
)

const canSearch = true

func selfPID() int      { return os.Getpid() }
func parentOfSelf() int { return os.Getppid() }

func procFile(pid int, name string) string { return "/proc/" + strconv.Itoa(pid) + "/" + name }

// ticks is the number of units of a process's start time in a second (sysconf(3), _SC_CLK_TCK). It is 100 on every
// system that Go supports.
const ticks = 100

// `now` returns the time since boot in ticks.
func now() int64 {
	var at unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &at) != nil {
		return 1 << 62 // so high that all processes are checked
	}
	return at.Nano() / (1e9 / ticks)
}

// Awake returns the time in nanoseconds that the system has been awake since boot, or 0 if unknown.
func Awake() int64 {
	var at unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &at) != nil {
		return 0
	}
	return at.Nano()
}

// `here` returns an ID without a process, for this boot and this PID name space.
var here = sync.OnceValue(lookHere)

func lookHere() (id ID) {
	boot, err := refs.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ID{}
	}
	space, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ID{}
	}
	id.Boot, id.Space = string(bytes.TrimSpace(boot)), space
	var name unix.Utsname
	if unix.Uname(&name) == nil {
		id.Host = unix.ByteSliceToString(name.Nodename[:])
	}
	return id
}

// circle returns the number of process ids after which the system starts again, or 0 if unknown.
func circle() int {
	raw, _ := refs.ReadFile("/proc/sys/kernel/pid_max")
	n, _ := strconv.Atoi(strings.TrimSpace(string(raw)))
	return n
}

// exiting is PF_EXITING of <linux/sched.h>: the process was killed or has ended, and the system frees its memory. For a
// large process on a busy machine this takes a second, during which the process still appears as running.
const exiting = 0x4

// infoOf reads /proc/PID/stat.
func infoOf(pid int) (info, bool) {
	raw, err := refs.ReadFile(procFile(pid, "stat"))
	if err != nil {
		return info{}, false
	}
	return parseStat(raw)
}

// parseStat parses a line of /proc/PID/stat (proc(5)). The name of the program is in brackets and may contain brackets.
func parseStat(raw []byte) (info, bool) {
	first, last := bytes.IndexByte(raw, '('), bytes.LastIndexByte(raw, ')')
	if first < 0 || last < first {
		return info{}, false
	}
	fields := strings.Fields(string(raw[last+1:]))
	const parent, flags, start = 1, 6, 19
	if len(fields) <= start {
		return info{}, false
	}
	bits, err := strconv.ParseUint(fields[flags], 10, 64)
	out := info{name: string(raw[first+1 : last]), ended: fields[0] == "Z" || fields[0] == "X" || err == nil &&
		bits&exiting != 0}
	out.parent, _ = strconv.Atoi(fields[parent])
	out.start, err = strconv.ParseInt(fields[start], 10, 64)
	return out, err == nil
}

// childrenOf reads the children of each thread. If the kernel does not list them, it checks all processes.
func childrenOf(pid int) []int {
	tasks, err := os.ReadDir(procFile(pid, "task"))
	if err != nil {
		return nil
	}
	var out []int
	for _, task := range tasks {
		raw, err := refs.ReadFile(filepath.Join(procFile(pid, "task"), task.Name(), "children"))
		if err != nil {
			if _, gone := os.Stat("/proc/self/task/" + strconv.Itoa(os.Getpid()) + "/children"); gone != nil {
				return childrenAmongAll(pid)
			}
			continue
		}
		out = append(out, numbers(raw)...)
	}
	return out
}

// orphansOf returns the children of a process, including orphans that it adopted. An ancestor or the first process may
// adopt orphans, in its first thread (prctl(2), PR_SET_CHILD_SUBREAPER).
func orphansOf(pid int) []int {
	raw, err := refs.ReadFile(procFile(pid, "task/"+strconv.Itoa(pid)+"/children"))
	if err != nil {
		return childrenOf(pid)
	}
	return numbers(raw)
}

func numbers(raw []byte) (out []int) {
	for _, field := range strings.Fields(string(raw)) {
		if n, err := strconv.Atoi(field); err == nil {
			out = append(out, n)
		}
	}
	return out
}

func childrenAmongAll(pid int) []int {
	var out []int
	for _, other := range all() {
		if info, found := infoOf(other); found && info.parent == pid {
			out = append(out, other)
		}
	}
	return out
}

// `all` returns the ids of all processes.
func all() []int {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer func() { _ = dir.Close() }()
	names, _ := dir.Readdirnames(-1) // those that could be read
	var out []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			out = append(out, pid)
		}
	}
	return out
}

// environOf returns the environment with which a process was started, or nil for a process of another user.
func environOf(pid int) []byte {
	raw, _ := refs.ReadFile(procFile(pid, "environ"))
	return raw
}

// argumentsOf returns the command line of a process, or none for a process of another user.
func argumentsOf(pid int) []string {
	raw, _ := refs.ReadFile(procFile(pid, "cmdline"))
	return strings.Split(string(raw), "\x00")
}

// `rename` sets the name of this process (proc(5), /proc/PID/comm).
func rename(name string) { _ = os.WriteFile("/proc/self/comm", []byte(name), 0) }

// Newest returns the id of the process or thread that was started last (proc(5), /proc/loadavg), or 0 if unknown.
func Newest() int {
	raw, err := refs.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(raw))
	if len(fields) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(fields[len(fields)-1])
	return n
}

// writtenBy returns the number of bytes that a process has written: wchar of /proc/PID/io (proc(5)).
func writtenBy(pid int) (int64, bool) {
	raw, err := refs.ReadFile(procFile(pid, "io"))
	if err != nil {
		return 0, false
	}
	for line := range bytes.Lines(raw) {
		if text, found := bytes.CutPrefix(line, []byte("wchar:")); found {
			n, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}

// maxFiles limits how many open files of one process are checked.
const maxFiles = 1024

// openFile is a file that a process has open, with its name from proc(5).
type openFile struct {
	name   string
	size   int64
	writes bool // it was opened for writing
	plain  bool // it is a regular file
}

// filesOf returns the files that a process has open, or none for a process of another user.
func filesOf(pid int) (found []openFile) {
	dir, err := os.Open(procFile(pid, "fd"))
	if err != nil {
		return nil
	}
	defer func() { _ = dir.Close() }()
	numbers, _ := dir.Readdirnames(maxFiles) // those that could be read
	for _, n := range numbers {
		name, err := os.Readlink(procFile(pid, "fd/"+n))
		if err != nil {
			continue
		}
		file := openFile{name: name, writes: opensToWrite(pid, n)}
		if st, err := os.Stat(name); filepath.IsAbs(name) && err == nil && st.Mode().IsRegular() {
			file.plain, file.size = true, st.Size()
		}
		found = append(found, file)
	}
	return found
}

// opensToWrite reports whether an open file was opened for writing. The flags are in octal digits, as in open(2)
// (proc(5), /proc/PID/fdinfo).
func opensToWrite(pid int, n string) bool {
	raw, err := refs.ReadFile(procFile(pid, "fdinfo/"+n))
	if err != nil {
		return true // unknown, so it may be the process
	}
	_, rest, _ := bytes.Cut(raw, []byte("flags:"))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	flags, err := strconv.ParseInt(string(bytes.TrimSpace(line)), 8, 64)
	return err != nil || flags&unix.O_ACCMODE != unix.O_RDONLY
}

// outputsOf returns the regular files that a process has open for writing.
func outputsOf(pid int) (found []Output) {
	for _, file := range filesOf(pid) {
		if file.plain && file.writes {
			found = append(found, Output{file.name, file.size})
		}
	}
	return found
}

// directoryOf returns the current directory of a process, or "" if unknown.
func directoryOf(pid int) string {
	name, _ := os.Readlink(procFile(pid, "cwd"))
	return name
}

// `listens` reports whether a process accepts connections (proc(5), /proc/PID/net: state 0A of tcp.h, or the flag
// SO_ACCEPTCON of a Unix socket).
func listens(pid int) bool {
	sockets := map[string]bool{}
	for _, file := range filesOf(pid) {
		if inode, found := strings.CutPrefix(file.name, "socket:["); found {
			sockets[strings.TrimSuffix(inode, "]")] = true
		}
	}
	if len(sockets) == 0 {
		return false
	}
	for table, columns := range map[string]struct {
		state, inode int
		want         string
	}{"tcp": {3, 9, "0A"}, "tcp6": {3, 9, "0A"}, "unix": {3, 6, "00010000"}} {
		raw, _ := refs.ReadFile(procFile(pid, "net/"+table))
		for line := range bytes.Lines(raw) {
			fields := strings.Fields(string(line))
			if len(fields) > max(columns.state, columns.inode) && fields[columns.state] == columns.want &&
				sockets[fields[columns.inode]] {
				return true
			}
		}
	}
	return false
}
