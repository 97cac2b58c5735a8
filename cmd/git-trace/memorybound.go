package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/git-trace/git-trace/internal/exit"
)

// memoryOfReaders limits the memory of a command that reads: the amount of data depends on the publications of others.
// A user with a larger history sets GOMEMLIMIT, which Go reads.
const memoryOfReaders = 1 << 30

// boundMemory ends a reading command that needs more memory than the limit.
func boundMemory(end func(error)) {
	most := debug.SetMemoryLimit(-1)
	if most == math.MaxInt64 {
		most = memoryOfReaders
		debug.SetMemoryLimit(most) // Go collects more often near the limit
	}
	lookAtMemory(&outgrown{most: uint64(most)}, end)
}

// lookAtMemory checks the memory after each collection.
func lookAtMemory(o *outgrown, end func(error)) {
	runtime.AddCleanup(new([64]byte), func(o *outgrown) {
		var now runtime.MemStats
		runtime.ReadMemStats(&now)
		if o.by(now.HeapAlloc) {
			end(o.failure())
			return
		}
		lookAtMemory(o, end)
	}, o)
}

// outgrown counts consecutive collections that left more memory in use than the limit. One collection need not free all
// unused memory.
type outgrown struct {
	most  uint64
	times int
}

const mostOutgrown = 8

// `by` reports whether enough collections in a row left too much.
func (o *outgrown) by(left uint64) bool {
	if left <= o.most {
		o.times = 0
		return false
	}
	o.times++
	return o.times >= mostOutgrown
}

func (o *outgrown) failure() error {
	return exit.Fail(exit.Git, fmt.Errorf("out of memory: %w", errTooLarge),
		fmt.Sprintf("GOMEMLIMIT=%dMiB allows twice as much"+anotherHint+"the logs of others may be the reason: "+
			"git -c trace.trust=own trace … reads only this clone's log", o.most>>19))
}

var errTooLarge = errors.New("reading needs more memory than the limit")

// endWith reports an error and ends the process.
func (a *app) endWith(err error) {
	a.line.End()
	os.Exit(report(a.std.err, err))
}
