//go:build unix

package hooks

import "golang.org/x/sys/unix"

// `writable` reports whether files can be created in a directory, without creating one.
func writable(dir string) bool { return unix.Access(dir, unix.W_OK|unix.X_OK) == nil }
