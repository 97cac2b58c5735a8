//go:build unix

package userfile

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives a new file the owner of the old one: with sudo(8), the user's settings must stay the user's. If that
// is not permitted, the file belongs to the caller, who could already write it.
func keepOwner(file *os.File, old fs.FileInfo) {
	if stat, ok := old.Sys().(*syscall.Stat_t); ok {
		_ = file.Chown(int(stat.Uid), int(stat.Gid))
	}
}
