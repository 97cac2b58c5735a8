package runner

import (
	"math"

	"golang.org/x/sys/unix"
)

// closeInherited keeps a child from the inherited files beside the standard streams: git and agents leave the ends
// of pipes there.
func closeInherited() { _ = unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) }
