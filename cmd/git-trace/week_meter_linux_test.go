package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// metered runs the program, and notes what it took beside the program file, if there is a file "meter".
func metered(run func() int) int {
	began := time.Now()
	code := run()
	self, err := os.Executable()
	if err != nil {
		return code
	}
	out, err := os.OpenFile(filepath.Join(filepath.Dir(self), "meter"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return code
	}
	var took time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var use syscall.Rusage
		if syscall.Getrusage(who, &use) == nil {
			took += time.Duration(use.Utime.Nano() + use.Stime.Nano())
		}
	}
	kind := "command"
	if len(os.Args) > 1 && strings.Contains(os.Args[1], "hook") {
		kind = "hook"
	}
	_, _ = fmt.Fprintf(out, "%s %d %d\n", kind, took, time.Since(began))
	_ = out.Close()
	return code
}

// reading is what git-trace took in all.
type reading struct {
	hooks, commands  int
	processor, hooky time.Duration // of hooks alone: the second
}

func readMeter(t *testing.T, path string) (r reading) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var kind string
		var took, wall int64
		if _, err := fmt.Sscan(line, &kind, &took, &wall); err != nil {
			t.Fatalf("%s: %q: %v", path, line, err)
		}
		r.processor += time.Duration(took)
		if kind == "hook" {
			r.hooks++
			r.hooky += time.Duration(took)
		} else {
			r.commands++
		}
	}
	return r
}

func (r reading) String() string {
	return fmt.Sprintf("%d hooks with %.1f s of processor time, %d other processes, %.1f s in all, git's part included",
		r.hooks, r.hooky.Seconds(), r.commands, r.processor.Seconds())
}
