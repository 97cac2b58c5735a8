//go:build unix && !linux

package runner

import "syscall"

// closeInherited keeps a child from what this process inherited beside its standard streams: git and agents leave the
// ends of pipes there.
func closeInherited() {
	for fd := 3; fd < 256; fd++ {
		syscall.CloseOnExec(fd)
	}
}
