//go:build unix && !linux

package runner

import "syscall"

// closeInherited keeps a child from the inherited files beside the standard streams: git and agents leave the ends
// of pipes there.
func closeInherited() {
	for fd := 3; fd < 256; fd++ {
		syscall.CloseOnExec(fd)
	}
}
