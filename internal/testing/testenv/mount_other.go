//go:build !linux

package testenv

import "testing"

// MountSpace is for Linux alone (unshare(1)).
func MountSpace(t testing.TB) []string {
	t.Helper()
	Forbids(t, "no mount name spaces on this system")
	return nil
}
