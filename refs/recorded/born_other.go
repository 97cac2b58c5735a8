//go:build !linux && !darwin

package recorded

// born returns 0: it does not ask this system.
func born(string) int64 { return 0 }
