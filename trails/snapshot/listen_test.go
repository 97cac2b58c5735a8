package snapshot

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"
)

// listener is a watcher whose snapshots ask a monitor.
type listener struct {
	*watcher
	monitor *Monitor // nil while none runs
	relied  int      // snapshots that compared only what the monitor named
	able    int      // snapshots that could, because a monitor ran and the last one was by git-trace's own method
}

func (b *sandbox) listen(name string) *listener {
	b.Helper()
	l := &listener{watcher: b.watch(name, false)}
	l.listens, l.limit = true, time.Minute
	b.must(os.MkdirAll(filepath.Dir(l.state), 0o700))
	l.start()
	b.Cleanup(l.stop)
	return l
}

func (l *listener) start() {
	l.Helper()
	var err error
	if l.monitor, err = StartMonitor(l.repo, l.state); errors.Is(err, errors.ErrUnsupported) {
		l.monitor = nil
		return
	}
	l.must(err)
}

func (l *listener) stop() {
	if l.monitor != nil {
		l.monitor.Close()
	}
	l.monitor = nil
}

func (l *listener) check(label, want string) Snapshot {
	l.Helper()
	last := l.used
	snap := l.watcher.check(label+" with a monitor", want)
	if l.monitor != nil && last == MethodOwn && l.used == MethodOwn {
		l.able++
	}
	if l.used == MethodOwn && l.heard().Relied {
		l.relied++
	}
	return snap
}

func (l *listener) heard() heard {
	e := l.open()
	defer e.Close()
	return e.meta.Heard
}

// settled takes snapshots until they rely on the monitor.
func (l *listener) settled() {
	l.Helper()
	for range 20 {
		l.settle()
		if l.check("settle", l.wantTree()); l.relied > 0 {
			return
		}
	}
	l.Fatal("no snapshot relies on the monitor")
}

// comesAndGoes stops the monitor, or starts it again, now and then.
func (l *listener) comesAndGoes(rnd *rand.Rand) {
	switch n := rnd.IntN(20); {
	case l.monitor == nil && n < 10:
		l.start()
	case l.monitor != nil && n == 0:
		l.stop()
	}
}
