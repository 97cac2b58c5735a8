// Package testenv tells the tests of all packages which of their parts to run, and which programs the machine must
// have.
//
// There are three forms. `go test ./...` plays the quick one: minutes, with git and Go alone. GITTRACE_CI=1, which
// .ci/run sets for some, plays the wide one: real clients, other surroundings, kills at each system call.
// GITTRACE_LONG=1 asks for the full one; docs/testing.md says what that is for each test. Under CI=true a missing
// program fails the test that needs it, elsewhere the test is skipped and says so. What the machine itself does not
// allow (a name space, tracing, being root) skips a test everywhere: a step of CI could not change that. `go run
// ./internal/testing/suite` counts what was skipped, by the reason.
package testenv

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// Long reports whether the full form of a test is wanted.
func Long() bool { return os.Getenv("GITTRACE_LONG") != "" }

// Quick reports whether the quick form of a test is wanted.
func Quick() bool { return !Long() && os.Getenv("GITTRACE_CI") == "" }

// Wide skips a test in the quick form.
func Wide(t testing.TB) {
	t.Helper()
	if Quick() {
		t.Skip("not in the quick form: GITTRACE_CI=1 plays it")
	}
}

// Pick returns the number for the form of the tests.
func Pick(quick, wide, long int) int {
	switch {
	case Long():
		return long
	case Quick():
		return quick
	}
	return wide
}

// Some returns each n-th item of a list in the quick form, and all items in the others.
func Some[T any](list []T, n int) []T {
	if !Quick() {
		return list
	}
	var out []T
	for i := 0; i < len(list); i += n {
		out = append(out, list[i])
	}
	return out
}

// Within returns the time that something may take. In the full form it is the bar itself, since that form has the
// machine for itself. The others get half a minute more, since they share it with tests that use every processor.
func Within(bar time.Duration) time.Duration {
	if Long() {
		return bar
	}
	return bar + 30*time.Second
}

// Needs skips a test, or fails it under CI, unless all programs are installed.
func Needs(t testing.TB, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			Lacks(t, err.Error())
		}
	}
}

// NeedsTrace is Needs for strace(1), which may be installed and not allowed to trace.
func NeedsTrace(t testing.TB) {
	t.Helper()
	Wide(t)
	Needs(t, "strace")
	if out, err := exec.Command("strace", "-o", os.DevNull, "true").CombinedOutput(); err != nil {
		Forbids(t, "strace may not trace: "+firstLine(out))
	}
}

// NeedsReftable skips a test where git is older than its reftable storage (2.45).
func NeedsReftable(t testing.TB) {
	t.Helper()
	if err := exec.Command("git", "init", "-q", "--ref-format=reftable", t.TempDir()).Run(); err != nil {
		t.Skip("this git has no reftable storage")
	}
}

// Lacks skips a test for a reason, or fails it under CI.
func Lacks(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("this must be possible under CI: %s", why)
	}
	t.Skipf("not possible here: %s", why)
}

// Forbids skips a test that this machine does not allow.
func Forbids(t testing.TB, why string) {
	t.Helper()
	t.Skipf("this machine does not allow it: %s", why)
}

func firstLine(out []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return line
}
