//go:build unix && !linux

package runner

import "syscall"

// closeInherited prevents a child from inheriting files other than the standard streams: git and agents leave the ends
// of pipes open.
func closeInherited() {
	for fd := 3; fd < 256; fd++ {
		syscall.CloseOnExec(fd)
	}
}
