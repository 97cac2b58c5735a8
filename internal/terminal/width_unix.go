//go:build unix

package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// terminalWidth reports whether a file is a terminal, and its number of columns; 0 if unknown.
func terminalWidth(f *os.File) (columns int, ok bool) {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0, false
	}
	return int(size.Col), true
}
