package memory

import (
	"os"
	"runtime"
	"runtime/debug"
)

// earlyGrowth lets the memory of a command grow to 32 MB before the first garbage collection. Most commands end before
// that. Otherwise the collection takes a sixth of the processor time of `git trace blame`.
const earlyGrowth = 800

// CollectLate sets this growth until the first garbage collection. Then Go's default applies, or the value that the
// command has set meanwhile.
func CollectLate() {
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

// ConvertRoom is the memory that a converting command may use before a garbage collection. Each text is read in many
// ways, and most of the memory is soon free. With less room, collection took a third of the processor time.
const ConvertRoom = 48 << 20

// leastGrowth is the growth that is always allowed, in percent of the memory in use. Go's default of 100 would need
// twice the size of a large document. Texts contain few pointers, so their collection is fast.
const leastGrowth = 50

// CollectBeyond lets the memory grow to this many bytes before a garbage collection. If more than two thirds of that
// are in use, leastGrowth applies.
func CollectBeyond(room uint64) {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(leastGrowth)
	collectAgain(pace{room, leastGrowth})
}

// pace is the allowed memory, and the percentage that was set last.
type pace struct {
	room    uint64
	percent int
}

// collectAgain sets the percentage after each collection. It derives the memory in use from the size at which Go will
// collect next: a package that measures it would add 0.15 ms to every start.
func collectAgain(p pace) {
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	needed := max(now.NextGC*100/uint64(100+p.percent), 4<<20) // Go's minimum
	p.percent = int(max(p.room*100/needed, 100+leastGrowth) - 100)
	debug.SetGCPercent(p.percent)
	runtime.AddCleanup(new([64]byte), collectAgain, p)
}
