package terminal

import (
	"os"

	"golang.org/x/sys/windows"
)

// terminalWidth reports whether a file is a console, and the number of columns of its window.
func terminalWidth(f *os.File) (columns int, ok bool) {
	var info windows.ConsoleScreenBufferInfo
	if err := windows.GetConsoleScreenBufferInfo(windows.Handle(f.Fd()), &info); err != nil {
		return 0, false
	}
	return int(info.Window.Right-info.Window.Left) + 1, true
}
