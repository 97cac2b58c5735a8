package driver

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// ownGroup puts the client into its own process group, which can be killed as a whole. If the test binary is killed,
// the system kills the client.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// patience is the further time that git-trace's background processes get to end.
const patience = time.Minute

// reap waits for the processes with the mark in their environment. After `linger` it kills those of the client that
// still run, and after another minute (patience) those of git-trace; then the rest of the group. The group alone is not
// enough, because clients start shells in new sessions. It returns the names of the killed processes.
func reap(group int, mark string, linger time.Duration) []string {
	defer func() { _ = syscall.Kill(-group, syscall.SIGKILL) }() // the group is usually empty by then
	var killed []string
	end := time.Now().Add(linger)
	for {
		clients, behind := marked(mark)
		switch {
		case len(clients)+len(behind) == 0:
			return killed
		case time.Now().After(end.Add(patience)):
			return append(killed, kill(mark, true)...)
		case len(clients) > 0 && time.Now().After(end):
			killed = append(killed, kill(mark, false)...)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// kill kills until no process is left, because one may have just started another. It first stops all of them: otherwise
// a shell whose present command is killed runs its next command.
func kill(mark string, all bool) []string {
	var names []string
	for range 50 {
		left, behind := marked(mark)
		if all {
			maps.Copy(left, behind)
		}
		if len(left) == 0 {
			break
		}
		for pid := range left {
			_ = syscall.Kill(pid, syscall.SIGSTOP)
		}
		for pid, name := range left {
			if syscall.Kill(pid, syscall.SIGKILL) == nil {
				names = append(names, name)
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
	return names
}

// `marked` returns the names of the running processes with an entry in their environment (proc(5)), by id: the client's
// processes, and processes that git-trace's hooks left.
func marked(entry string) (clients, behind map[int]string) {
	clients, behind = map[int]string{}, map[int]string{}
	paths, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return clients, behind
	}
	for _, path := range paths {
		env, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(append([]byte{0}, env...), []byte("\x00"+entry+"\x00")) {
			continue // it has ended, or belongs to another user
		}
		dir := filepath.Dir(path)
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			continue
		}
		name, err := os.ReadFile(filepath.Join(dir, "comm"))
		if err != nil {
			continue
		}
		into := clients
		if bytes.Contains(env, []byte("\x00GITTRACE_OWN=")) {
			into = behind
		}
		into[pid] = strings.TrimSpace(string(name))
	}
	return clients, behind
}
