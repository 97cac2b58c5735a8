package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

// earlyGrowth lets the memory of a command grow to 32 MB before it is looked through for the first time. Most commands
// end before that: collecting took a sixth of the processor time of `git trace blame`.
const earlyGrowth = 800

// collectLate sets when the memory is looked through first. From then on the usual rule counts, or the one that the
// command has set meanwhile.
func collectLate() {
	if os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(earlyGrowth)
	runtime.AddCleanup(new([64]byte), func(usual int) {
		if now := debug.SetGCPercent(usual); now != earlyGrowth {
			debug.SetGCPercent(now)
		}
	}, usual)
}
