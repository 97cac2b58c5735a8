//go:build unix

package recorded

import (
	"os"
	"syscall"
)

// `private` reports whether a directory belongs to the user, and only the user can write to it. In a directory for
// temporary files anybody may have created it.
func private(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || info.Mode().Perm()&0o022 != 0 {
		return false
	}
	return ownedByUser(info)
}

func ownedByUser(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}
