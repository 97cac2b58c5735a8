package refs

import (
	"os"
	"path/filepath"
	"strconv"
)

// heldOpen tells whether a live process has the file open; known is false if that cannot be found out.
func heldOpen(file os.FileInfo) (held, known bool) {
	procs, err := os.ReadDir("/proc")
	if err != nil {
		return false, false
	}
	seen := false
	for _, p := range procs {
		if _, err := strconv.Atoi(p.Name()); err != nil {
			continue
		}
		dir := filepath.Join("/proc", p.Name(), "fd")
		fds, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		seen = true
		for _, fd := range fds {
			if info, err := os.Stat(filepath.Join(dir, fd.Name())); err == nil && os.SameFile(info, file) {
				return true, true
			}
		}
	}
	return false, seen
}
