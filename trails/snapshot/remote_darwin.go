package snapshot

import "golang.org/x/sys/unix"

// remoteFileSystem reports whether time stamps under `path` may come from another machine's clock.
func remoteFileSystem(path string) bool {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return true
	}
	name := unix.ByteSliceToString(st.Fstypename[:])
	return name != "apfs" && name != "hfs"
}
