package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
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

// convertRoom is how large the memory of a command that converts may be before it is looked through. Each text is read
// in many ways, and little of that is needed for long: collecting took a third of the processor time.
const convertRoom = 48 << 20

// collectBeyond lets the memory grow to so many bytes before it is looked through. Where half of that is needed, the
// usual rule counts.
func collectBeyond(room uint64) {
	if os.Getenv("GOGC") != "" {
		return
	}
	const usual, least = 100, 4 << 20 // Go's rule: growth in percent, of the memory that is needed or of this much
	needed := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(needed)
	live := max(needed[0].Value.Uint64(), least)
	debug.SetGCPercent(int(max(room*100/live, 2*usual) - usual))
	runtime.AddCleanup(new([64]byte), collectBeyond, room) // behind the next collection
}
