package spool

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/snapshot"
)

// LateSuffix is the suffix of the file of a boundary that was put aside. The name of the file begins with the time and
// the id of the process.
const LateSuffix = ".boundary"

// Dir returns the directory for the spooled files of a work tree.
func Dir(repo *refs.Repo) string { return filepath.Join(repo.WorktreeTracesDir(), "spool") }

// Name returns the path for a file that this process spools.
func Name(repo *refs.Repo, at time.Time, suffix string) string {
	return filepath.Join(Dir(repo), fmt.Sprintf("%020d-%d%s", at.UnixNano(), os.Getpid(), suffix))
}

// `At` returns the time in the name of a spooled file.
func At(name string) time.Time {
	at, _, _ := strings.Cut(name, "-")
	nanos, _ := strconv.ParseInt(at, 10, 64) // without a number the time is long ago
	return time.Unix(0, nanos)
}

// `By` returns the process id in the name of a spooled file.
func By(name string) int {
	_, rest, _ := strings.Cut(name, "-")
	number, _, _ := strings.Cut(rest, ".")
	pid, _ := strconv.Atoi(number) // without a number there is no process
	return pid
}

// IsLate reports whether a spooled file is a boundary that was stored for later. The note of a process that was killed
// before its step counts, too.
func IsLate(name string, now time.Time) bool {
	return strings.HasSuffix(name, LateSuffix) || Left(name, now)
}

// longest is approximately the longest time that a hook works before it gives up.
const longest = 3 * time.Second

// Earliest returns the earliest moment at which one of the boundaries was stored.
func Earliest(names []string) time.Time {
	at := PutAsideAt(names[0])
	for _, name := range names[1:] {
		at = Sooner(at, PutAsideAt(name))
	}
	return at
}

func Sooner(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// PutAsideAt returns a moment, by the clock of file times, before which the work tree has no trace of the late
// boundary. It is the moment at which the boundary's hook gave up: until then the agent waited for the hook. If the
// process was killed, it is the start of the process. A file that is much younger than the time in its name is a copy.
func PutAsideAt(name string) time.Time {
	began := At(filepath.Base(name))
	if at, known := snapshot.Stamp(name); known && strings.HasSuffix(name, LateSuffix) && at.Sub(began) < longest {
		return at
	}
	return began.Add(-snapshot.Slack)
}
