//go:build unix

package refs

import (
	"os"
	"strconv"
	"syscall"
)

// ownedHere reports whether every path that is not empty belongs to the current user, by git's rule: under sudo, files
// of root and of the user who called sudo both count (git-config(1), safe.directory).
func ownedHere(paths ...string) bool {
	for _, path := range paths {
		if path != "" && !owned(path) {
			return false
		}
	}
	return true
}

func owned(path string) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return false
	}
	euid := os.Geteuid()
	if int64(stat.Uid) == int64(euid) {
		return true
	}
	if euid != 0 {
		return false
	}
	sudo, err := strconv.ParseUint(os.Getenv("SUDO_UID"), 10, 32)
	return err == nil && uint64(stat.Uid) == sudo
}

// deviceOf returns the number of the file system of a path.
func deviceOf(path string) (uint64, bool) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return uint64(stat.Dev), true //nolint:unconvert // the type differs between systems
}
