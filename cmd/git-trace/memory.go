package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

// earlyGrowth lets the memory of a command grow to 32 MB before it is looked through for the first time. Most commands
// end before that: collecting took a sixth of the processor time of `git trace blame`.
const earlyGrowth = 800

// collectLate sets the memory at the first garbage collection. Afterwards the usual rule counts, or a rule that the
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

// convertRoom is the memory that a converting command may take before it is collected. Each text is read in many
// ways, and little of that is needed for long: collecting took a third of the processor time.
const convertRoom = 48 << 20

// leastGrowth is the growth of memory that is always allowed, in percent of the needed memory. Go's own rule is 100,
// which takes a large document twice. Texts are looked through quickly.
const leastGrowth = 50

// collectBeyond lets the memory grow to this many bytes before a garbage collection. If more than two thirds of that
// are needed, leastGrowth counts.
func collectBeyond(room uint64) {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(leastGrowth)
	collectAgain(pace{room, leastGrowth})
}

// pace is the allowed growth of memory, and the percentage that was set for it last.
type pace struct {
	room    uint64
	percent int
}

// collectAgain sets the percentage after each collection. It computes the needed memory from Go's next collection:
// a package that measures it costs every start 0.15 ms.
func collectAgain(p pace) {
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	needed := max(now.NextGC*100/uint64(100+p.percent), 4<<20) // Go takes no less
	p.percent = int(max(p.room*100/needed, 100+leastGrowth) - 100)
	debug.SetGCPercent(p.percent)
	runtime.AddCleanup(new([64]byte), collectAgain, p)
}
