package events

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// `git gc --prune=now` deletes every object that was unreachable when it looked, even a young one. So it can delete a
// commit although a ref was set to it a moment later; git-gc(1) warns of it under NOTES. The file <common>/gc.pid shows
// that a gc is running. Meanwhile nothing is sealed. If a gc began while a ref of the log was set, its objects are
// written again after the gc.

// gcPidAge is the age beyond which git itself ignores gc.pid.
const gcPidAge = 12 * time.Hour

// AwaitGC waits for the end of a running gc, and reports whether there was one.
func (l *Log) AwaitGC(ctx context.Context) (waited bool) {
	const pause = 20 * time.Millisecond
	for l.gcRuns() && ctx.Err() == nil {
		waited = true
		time.Sleep(pause)
	}
	return waited
}

// gcRuns reports whether a running git gc holds its lock. A dead holder on this machine does not count.
func (l *Log) gcRuns() bool {
	path := filepath.Join(l.repo.CommonDir, "gc.pid")
	info, err := os.Lstat(path)
	if err != nil || time.Since(info.ModTime()) > gcPidAge {
		return false
	}
	text, err := refs.ReadFile(path)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	fields := strings.Fields(string(text))
	host, err := os.Hostname()
	if len(fields) != 2 || err != nil || fields[1] != host {
		return true
	}
	pid, err := strconv.Atoi(fields[0])
	return err != nil || ProcessLives(pid)
}
