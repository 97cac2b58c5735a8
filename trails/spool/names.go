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

// LateSuffix is the suffix of boundaries that were put aside among the spooled files of a work tree. The name begins
// with the time and the number of the process.
const LateSuffix = ".boundary"

// Dir returns the directory of the spooled files of a work tree.
func Dir(repo *refs.Repo) string { return filepath.Join(repo.WorktreeTracesDir(), "spool") }

// Name returns the name of a file that this process spools.
func Name(repo *refs.Repo, at time.Time, suffix string) string {
	return filepath.Join(Dir(repo), fmt.Sprintf("%020d-%d%s", at.UnixNano(), os.Getpid(), suffix))
}

// At returns the time in the name of a spooled file.
func At(name string) time.Time {
	at, _, _ := strings.Cut(name, "-")
	nanos, _ := strconv.ParseInt(at, 10, 64) // no number: long ago
	return time.Unix(0, nanos)
}

// By returns the process in it.
func By(name string) int {
	_, rest, _ := strings.Cut(name, "-")
	number, _, _ := strings.Cut(rest, ".")
	pid, _ := strconv.Atoi(number) // no number: no process
	return pid
}

// IsLate reports whether a spooled file is a boundary that was put aside. The note of a process that was killed
// before it took its step counts as one, too.
func IsLate(name string, now time.Time) bool {
	return strings.HasSuffix(name, LateSuffix) || Left(name, now)
}

// longest is about the longest time before a hook gives up.
const longest = 3 * time.Second

// Earliest returns the first moment at which a boundary was put aside.
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
// boundary. It is the moment when the boundary's hook gave up; the agent waits for that. For a killed process, it is
// the time at which the process began. A file that is much younger than its name is a copy.
func PutAsideAt(name string) time.Time {
	began := At(filepath.Base(name))
	if at, known := snapshot.Stamp(name); known && strings.HasSuffix(name, LateSuffix) && at.Sub(began) < longest {
		return at
	}
	return began.Add(-snapshot.Slack)
}
