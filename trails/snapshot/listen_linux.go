package snapshot

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const answerEnd = "\x00\x00" // so that a part of an answer is not taken for the whole

// monitorDoor returns the address of the socket beside a state file, and a new socket. The way over the open directory
// is short, because the kernel accepts only 107 bytes.
func monitorDoor(state string) (door int, at *unix.SockaddrUnix, release func(), err error) {
	dir, err := unix.Open(filepath.Dir(state), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, nil, nil, fmt.Errorf("open %s: %w", filepath.Dir(state), err)
	}
	release = func() { _ = unix.Close(dir) }
	door, err = unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	name := fmt.Sprintf("/proc/self/fd/%d/%s.monitor", dir, filepath.Base(state))
	return door, &unix.SockaddrUnix{Name: name}, release, err
}

// askMonitor asks a running `git trace watch`, and tells it of directories to watch.
func askMonitor(state, token string, dirs []string, limit time.Duration) (string, error) {
	if _, err := os.Lstat(state + ".monitor"); err != nil {
		return "", errNoMonitor
	}
	door, at, release, err := monitorDoor(state)
	if err != nil {
		return "", err
	}
	defer release()
	conn := os.NewFile(uintptr(door), state)
	defer func() { _ = conn.Close() }()
	if err := unix.Connect(door, at); err != nil {
		return "", errNoMonitor
	}
	if len(dirs) > 0 {
		token += "\x00/" + strings.Join(dirs, "\x00/")
	}
	_ = conn.SetDeadline(time.Now().Add(limit))
	if _, err := conn.WriteString(token); err != nil {
		return "", fmt.Errorf("ask the monitor: %w", err)
	}
	_ = unix.Shutdown(door, unix.SHUT_WR)
	raw, err := io.ReadAll(io.LimitReader(conn, maxAnswer))
	answer, whole := strings.CutSuffix(string(raw), answerEnd)
	if err != nil || !whole {
		return "", errNoAnswer
	}
	return answer, nil
}
