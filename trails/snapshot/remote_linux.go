package snapshot

import "golang.org/x/sys/unix"

// remoteFileSystem reports whether time stamps under `path` may come from another machine's clock.
func remoteFileSystem(path string) bool {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return true
	}
	switch int64(st.Type) { //nolint:unconvert // 32 bits on some systems
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.TMPFS_MAGIC,
		unix.OVERLAYFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC, 0x2fc12fc1 /* ZFS */ :
		return false
	}
	return true
}
