package runner

import (
	"math"

	"golang.org/x/sys/unix"
)

// closeInherited prevents a child from inheriting files other than the standard streams: git and agents leave the ends
// of pipes open.
func closeInherited() { _ = unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) }
