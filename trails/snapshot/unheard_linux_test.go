package snapshot

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A snapshot looks at every file, because a watcher would not hear of every write: of one through a mapping, inotify(7)
// tells nobody, and of one through another name only whoever watches that name or the file itself. Here a watch of the
// directory stays silent, and the snapshot finds the write.
func TestASnapshotFindsWhatInotifyDoesNotTell(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(b *sandbox) func(){
		"through a mapping": func(b *sandbox) func() {
			f, err := os.OpenFile(b.path("dir/file"), os.O_RDWR, 0)
			b.must(err)
			m, err := unix.Mmap(int(f.Fd()), 0, 5, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
			b.must(err)
			b.must(f.Close())
			t.Cleanup(func() { _ = unix.Munmap(m) })
			return func() { copy(m, "after") }
		},
		"through another name": func(b *sandbox) func() {
			other := filepath.Join(t.TempDir(), "other")
			if err := os.Link(b.path("dir/file"), other); err != nil {
				t.Skip(err)
			}
			return func() { b.must(os.WriteFile(other, []byte("after"), 0o600)) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newSandbox(t)
			b.mkdir("dir")
			b.write("dir/file", "begin")
			change := write(b)
			e := b.engine()
			b.full(e)
			b.settle()
			fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
			if err != nil {
				t.Skip(err)
			}
			defer func() { _ = unix.Close(fd) }()
			_, err = unix.InotifyAddWatch(fd, b.path("dir"), unix.IN_ALL_EVENTS)
			b.must(err)
			change()
			if n, err := unix.Read(fd, make([]byte, 4096)); n > 0 || err != unix.EAGAIN {
				t.Errorf("inotify tells %d bytes, %v: a watcher could hear of it", n, err)
			}
			if snap := b.full(e); len(snap.Changes) != 1 || snap.Changes[0].Path != "dir/file" {
				t.Errorf("the snapshot finds %v", snap.Changes)
			}
		})
	}
}
