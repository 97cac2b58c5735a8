//go:build unix

package hooks

import "golang.org/x/sys/unix"

// writable reports whether files can be made in a directory, without making one.
func writable(dir string) bool { return unix.Access(dir, unix.W_OK|unix.X_OK) == nil }
