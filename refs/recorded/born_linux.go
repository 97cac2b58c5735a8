package recorded

import "golang.org/x/sys/unix"

// `born` returns the time of birth of a directory in nanoseconds (statx(2)), or 0 if unknown. If a directory is deleted
// and another one is unpacked at its path, the new one is younger, even if it gets the same inode number.
func born(dir string) int64 {
	var st unix.Statx_t
	if unix.Statx(unix.AT_FDCWD, dir, 0, unix.STATX_BTIME, &st) != nil || st.Mask&unix.STATX_BTIME == 0 {
		return 0
	}
	return st.Btime.Sec*1e9 + int64(st.Btime.Nsec)
}
