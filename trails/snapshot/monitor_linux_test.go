package snapshot

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// What inotify(7) does not tell is found: at once if the file had two names before, else by the first snapshot that
// does not ask, and then nobody knows who wrote it.
func TestWhatAMonitorDoesNotHear(t *testing.T) {
	t.Parallel()
	for name, early := range map[string]bool{"a file with two names": true, "another name, made later": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newSandbox(t)
			b.write("dir/file", "begin\n")
			b.write("dir/other", "begin\n")
			other := filepath.Join(t.TempDir(), "other")
			link := func() {
				if err := os.Link(b.path("dir/file"), other); err != nil {
					t.Skip(err)
				}
			}
			if early {
				link()
			}
			l := b.listen("heard")
			l.settled()
			if !early {
				link()
				b.settle()
			}
			b.must(os.WriteFile(other, []byte("after\n"), 0o600))
			b.settle()
			if early {
				l.check("after the write", b.wantTree())
				return
			}
			e := l.open()
			if snap, err := e.Full(context.Background()); err != nil || len(snap.Changes) > 0 {
				t.Fatalf("the monitor hears of it: %v, %v", snap.Changes, err)
			}
			b.must(e.Save())
			b.settle()
			b.write("dir/other", "after\n")
			l.listens = false
			for _, c := range l.watcher.check("a snapshot that does not ask", b.wantTree()).Changes {
				if c.PassedOver != (c.Path == "dir/file") {
					t.Errorf("%s: passed over: %v", c.Path, c.PassedOver)
				}
			}
			if h := l.heard(); h.Relied {
				t.Error("the next snapshot would doubt its changes too")
			}
		})
	}
}

func TestAMonitorThatHangsCostsItsTimeLimit(t *testing.T) {
	t.Parallel()
	b := newSandbox(t)
	b.write("a", "one\n")
	l := b.listen("heard")
	l.settled()
	l.stop()
	door, at, release, err := monitorDoor(l.state)
	b.must(err)
	defer release()
	defer func() { _ = unix.Close(door) }()
	b.must(unix.Bind(door, at))
	b.must(unix.Listen(door, 1))
	b.write("a", "two\n")
	l.limit = 0
	start := time.Now()
	_, err = askMonitor(l.state, "x", nil, monitorLimit)
	if took := time.Since(start); err == nil || took > time.Second {
		t.Errorf("an answer after %s: %v", took, err)
	}
	l.check("while it hangs", b.wantTree())
	if l.relied > 1 {
		t.Error("the snapshot relies on a monitor that said nothing")
	}
}

func TestWhenAMonitorStartsAnew(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(b *sandbox, m *Monitor){
		"a directory gets another name": func(b *sandbox, _ *Monitor) { b.must(os.Rename(b.path("d"), b.path("e"))) },
		"the work tree is touched":      func(b *sandbox, _ *Monitor) { b.must(os.Chmod(b.dir, 0o750)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newSandbox(t)
			b.write("d/a/b", "one\n")
			l := b.listen("heard")
			l.settled()
			before := l.heard().Token
			do(b, l.monitor)
			relied := l.relied
			for i := range 6 {
				for _, dir := range []string{"d/a/", "e/a/"} {
					if _, err := os.Lstat(b.path(dir)); err == nil {
						b.write(dir+"b", fmt.Sprintln(i))
					}
				}
				l.check(fmt.Sprint("then ", i), b.wantTree())
				if i == 0 && l.relied > relied {
					t.Error("the first snapshot relies on it")
				}
			}
			if l.relied == relied || before[:26] == l.heard().Token[:26] {
				t.Errorf("%d snapshots rely on it; %s before, %s after", l.relied-relied, before, l.heard().Token)
			}
		})
	}
}

func TestAMonitorDoesNotVouchBesideAMount(t *testing.T) {
	t.Parallel()
	b := newSandbox(t)
	b.write("d e/a", "one\n")
	b.write("b", "one\n")
	mount := func() {
		if err := unix.Mount("none", b.path("d e"), "tmpfs", 0, "size=1m"); err != nil {
			t.Skip(err)
		}
	}
	t.Cleanup(func() { _ = unix.Unmount(b.path("d e"), unix.MNT_DETACH) })
	mount()
	l := b.listen("heard")
	for i := range 2 {
		relied := l.relied
		for j := range 3 {
			b.write("d e/other", fmt.Sprintln("two", i, j))
			l.check("below the mount", b.wantTree())
		}
		if l.relied > relied {
			t.Error("a snapshot relies on the monitor")
		}
		b.must(unix.Unmount(b.path("d e"), 0))
		for j := range 5 {
			b.write("d e/a", fmt.Sprintln("three", i, j))
			l.check("without the mount", b.wantTree())
		}
		if l.relied == relied {
			t.Error("no later snapshot relies on the monitor")
		}
		mount()
	}
}
