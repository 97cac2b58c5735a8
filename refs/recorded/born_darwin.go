package recorded

import "golang.org/x/sys/unix"

// `born` returns the time of birth of a directory in nanoseconds, or 0 if unknown.
func born(dir string) int64 {
	var st unix.Stat_t
	if unix.Stat(dir, &st) != nil {
		return 0
	}
	return st.Btim.Nano()
}
