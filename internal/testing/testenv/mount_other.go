//go:build !linux

package testenv

import "testing"

// MountSpace skips the test: only Linux has unshare(1).
func MountSpace(t testing.TB) []string {
	t.Helper()
	Forbids(t, "no mount name spaces on this system")
	return nil
}
