// Package testenv decides for the tests of all packages which parts run, and which programs the machine must have.
//
// Tests have three forms. `go test ./...` runs the quick form: minutes, with only git and Go. GITTRACE_CI=1, which
// .ci/run sets for some tests, runs the wide form: real clients, other environments, kills at each system call.
// GITTRACE_LONG=1 runs the full form; docs/testing.md describes it for each test. With CI=true, a test fails if a
// program that it needs is missing; otherwise it is skipped with a reason. If the machine does not allow something (a
// name space, tracing, being root), the test is always skipped, because CI could not change that. `go run
// ./internal/testing/suite` counts the skipped tests by reason.
package testenv

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// Long reports whether tests run in the full form.
func Long() bool { return os.Getenv("GITTRACE_LONG") != "" }

// Quick reports whether tests run in the quick form.
func Quick() bool { return !Long() && os.Getenv("GITTRACE_CI") == "" }

// Wide skips a test in the quick form.
func Wide(t testing.TB) {
	t.Helper()
	if Quick() {
		t.Skip("not in the quick form: GITTRACE_CI=1 plays it")
	}
}

// Pick returns the number for the present form.
func Pick(quick, wide, long int) int {
	switch {
	case Long():
		return long
	case Quick():
		return quick
	}
	return wide
}

// `Some` returns every n-th item of a list in the quick form, and all items in the other forms.
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

// `Within` returns the time that something may take. In the full form it is bar itself, because nothing else runs on
// the machine. In the other forms it is half a minute more, because other tests use every processor.
func Within(bar time.Duration) time.Duration {
	if Long() {
		return bar
	}
	return bar + 30*time.Second
}

// Needs skips a test if a program is not installed; in CI it fails the test.
func Needs(t testing.TB, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			Lacks(t, err.Error())
		}
	}
}

// NeedsTrace does the same as Needs, for strace(1). It also skips the test if tracing is not allowed.
func NeedsTrace(t testing.TB) {
	t.Helper()
	Wide(t)
	Needs(t, "strace")
	if out, err := exec.Command("strace", "-o", os.DevNull, "true").CombinedOutput(); err != nil {
		Forbids(t, "strace may not trace: "+firstLine(out))
	}
}

// NeedsReftable skips a test if git does not support reftable (before 2.45).
func NeedsReftable(t testing.TB) {
	t.Helper()
	if err := exec.Command("git", "init", "-q", "--ref-format=reftable", t.TempDir()).Run(); err != nil {
		t.Skip("this git has no reftable storage")
	}
}

// Lacks skips a test with a reason; in CI it fails the test.
func Lacks(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("this must be possible under CI: %s", why)
	}
	t.Skipf("not possible here: %s", why)
}

// Forbids skips a test because this machine does not allow it.
func Forbids(t testing.TB, why string) {
	t.Helper()
	t.Skipf("this machine does not allow it: %s", why)
}

func firstLine(out []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return line
}
