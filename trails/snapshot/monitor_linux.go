package snapshot

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/refs"
	"golang.org/x/sys/unix"
)

// Monitor hears of changes in a work tree by inotify(7), and answers the snapshots that ask. The kernel queues an event
// before the system call that caused it returns, and an answer takes the whole queue first. So an answer has every
// change from before the question.
//
// It watches the directories that snapshots tell it of, and so no ignored ones. After an overflow, or when a directory
// was moved, it starts anew, and the next snapshot compares everything.
type Monitor struct {
	top  string // of the work tree
	path string // of the socket
	door int    // the socket
	done chan struct{}

	events  int               // the inotify descriptor
	failed  bool              // it cannot watch: the answer is always "/"
	id      string            // id of this start; a token is the id, a dot and a number
	number  uint64            // of the last change
	inode   uint64            // of the top
	changed map[string]uint64 // path → number of its last change
	names   map[int32]string  // watch → directory
}

const heardEvents = unix.IN_MODIFY | unix.IN_ATTRIB | unix.IN_CLOSE_WRITE | unix.IN_CREATE | unix.IN_DELETE |
	unix.IN_MOVE | unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_ONLYDIR | unix.IN_DONT_FOLLOW

// maxChanged bounds the paths that a monitor remembers.
const maxChanged = 50_000

// StartMonitor starts the monitor of a work tree, for the snapshots with a state file. The caller must close it.
func StartMonitor(repo *refs.Repo, state string) (*Monitor, error) {
	m := &Monitor{top: repo.WorkTree, path: state + ".monitor", done: make(chan struct{}), events: -1}
	if _, err := askMonitor(state, "", nil, monitorLimit); !errors.Is(err, errNoMonitor) {
		return nil, errors.New("start monitor: another one is running")
	}
	_ = os.Remove(m.path) // of a killed process
	door, at, release, err := monitorDoor(state)
	if err != nil {
		return nil, fmt.Errorf("start monitor: %w", err)
	}
	defer release()
	m.door = door
	m.restart()
	if err := errors.Join(unix.Bind(door, at), unix.Listen(door, 16)); err != nil {
		return nil, errors.Join(fmt.Errorf("start monitor: %w", err), unix.Close(door), unix.Close(m.events))
	}
	fault.Go(m.serve)
	return m, nil
}

// Close ends the monitor.
func (m *Monitor) Close() {
	_ = os.Remove(m.path)
	_ = unix.Shutdown(m.door, unix.SHUT_RDWR)
	<-m.done
}

// restart forgets everything: no older token is known any longer.
func (m *Monitor) restart() {
	_ = unix.Close(m.events)
	m.id, m.number = rand.Text(), 0
	m.changed, m.names = map[string]uint64{}, map[int32]string{}
	top, err := statTarget(m.top)
	m.inode = top.ino
	events, eventsErr := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	m.events, m.failed = events, err != nil || eventsErr != nil || remoteFileSystem(m.top)
}

// serve takes events as they come, so that their queue stays short, and answers questions.
func (m *Monitor) serve() {
	defer func() { _, _ = unix.Close(m.door), unix.Close(m.events); close(m.done) }()
	for {
		m.drain()
		ready := []unix.PollFd{{Fd: int32(m.door), Events: unix.POLLIN}, {Fd: int32(m.events), Events: unix.POLLIN}}
		_, err := unix.Poll(ready, -1)
		if err != nil && err != unix.EINTR || ready[0].Revents&unix.POLLHUP != 0 {
			return
		}
		if ready[0].Revents&unix.POLLIN == 0 {
			continue
		}
		if door, _, err := unix.Accept4(m.door, unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK); err == nil {
			conn := os.NewFile(uintptr(door), m.path)
			_ = conn.SetDeadline(time.Now().Add(10 * monitorLimit))
			if question, err := io.ReadAll(conn); err == nil {
				_, _ = conn.WriteString(m.answer(string(question)) + answerEnd)
			}
			_ = conn.Close()
		}
	}
}

// drain takes all events from the queue.
func (m *Monitor) drain() {
	buf := make([]byte, 64<<10)
	for {
		n, err := unix.Read(m.events, buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			return
		}
		for rest := buf[:n]; len(rest) >= unix.SizeofInotifyEvent; {
			watch, mask := int32(binary.NativeEndian.Uint32(rest)), binary.NativeEndian.Uint32(rest[4:])
			size := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(rest[12:]))
			name, _, _ := strings.Cut(string(rest[unix.SizeofInotifyEvent:size]), "\x00")
			if rest = rest[size:]; !m.hear(watch, mask, name) {
				m.restart()
				break
			}
		}
	}
}

// hear takes one event. It returns false if the monitor must start anew.
func (m *Monitor) hear(watch int32, mask uint32, name string) bool {
	dir, known := m.names[watch]
	path := join(dir, name)
	switch {
	case mask&(unix.IN_Q_OVERFLOW|unix.IN_UNMOUNT) != 0, known && path == "":
		return false
	case mask&unix.IN_IGNORED != 0: // the directory is gone
		delete(m.names, watch)
	case known:
		m.number++
		m.changed[path] = m.number
	}
	moved := mask&unix.IN_ISDIR != 0 && mask&unix.IN_MOVED_FROM != 0 // the watches in it have wrong paths
	return !moved && len(m.changed) <= maxChanged
}

// answer watches the directories of a question, and then lists the changes since its token.
func (m *Monitor) answer(question string) string {
	token, dirs, more := strings.Cut(question, "\x00/")
	id, number, _ := strings.Cut(token, ".")
	last, err := strconv.ParseUint(number, 10, 64)
	known := err == nil && id == m.id && !m.failed && m.alone()
	for dir := range strings.SplitSeq(dirs, "\x00/") {
		if known && more {
			m.watch(dir)
		}
	}
	m.drain()
	text := []byte(m.id + "." + strconv.FormatUint(m.number, 10))
	if !known || id != m.id || m.failed {
		return string(text) + "\x00/"
	}
	for path, number := range m.changed {
		if number > last {
			text = append(append(text, 0), path...)
		}
	}
	return string(text)
}

// watch watches a directory. It ignores a missing one: the directory above has an event.
func (m *Monitor) watch(dir string) {
	watch, err := unix.InotifyAddWatch(m.events, join(m.top, dir), heardEvents)
	other, moved := m.names[int32(watch)]
	switch {
	case err == nil && moved && other != dir:
		m.restart()
	case err == nil:
		m.names[int32(watch)] = dir
	case err != unix.ENOENT && err != unix.ENOTDIR && err != unix.ELOOP:
		m.failed = true
	}
}

// `alone` reports whether the work tree is still where it was, and no file system is mounted in it: such a mount hides
// files, and its own changes may come from another machine.
func (m *Monitor) alone() bool {
	now, err := statTarget(m.top)
	mounts, mountsErr := os.ReadFile("/proc/self/mountinfo")
	if err != nil || mountsErr != nil || now.ino != m.inode {
		return false
	}
	for line := range strings.Lines(string(mounts)) {
		fields := strings.Fields(line)
		if len(fields) > 4 && strings.HasPrefix(mountName.Replace(fields[4]), m.top+"/") {
			return false
		}
	}
	return true
}

// mountName undoes the escapes of proc_pid_mountinfo(5).
var mountName = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
