package runner

import (
	"math"

	"golang.org/x/sys/unix"
)

// closeInherited keeps a child from what this process inherited beside its standard streams: git and agents leave the
// ends of pipes there.
func closeInherited() { _ = unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) }
