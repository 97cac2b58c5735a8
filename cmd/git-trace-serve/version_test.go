package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/internal/version"
)

// Both programs are of one version, or the second one says so and does nothing; without it git-trace says what is missing.
func TestBothProgramsAreOfOneVersion(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	commit, err := exec.Command("git", "rev-parse", "--short=12", "HEAD").Output() // sources without history name none
	vcs := fmt.Sprintf("-buildvcs=%t", err == nil)
	build := func(to string, packages ...string) {
		args := append([]string{"build", vcs, "-o", to + string(filepath.Separator)}, packages...)
		out, err := exec.Command("go", args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	both, alone := testenv.TempDir(t), testenv.TempDir(t)
	build(both, "../git-trace", ".")
	build(alone, "../git-trace")
	// says runs a program with a PATH that leads to nothing, and gives what it prints and how it ends.
	says := func(dir, program string, args ...string) (string, int) {
		cmd := exec.Command(filepath.Join(dir, program), args...)
		cmd.Env = append(os.Environ(), "PATH="+alone)
		out, _ := cmd.CombinedOutput() // its status says it
		return strings.TrimSpace(string(out)), cmd.ProcessState.ExitCode()
	}
	if text, status := says(both, "git-trace", "mcp"); status != 0 {
		t.Errorf("of one version: %d %s", status, text)
	}
	for _, program := range []string{"git-trace", "git-trace-serve"} {
		text, status := says(both, program, "--version")
		told, is := strings.CutPrefix(text, program+" version "+version.Number)
		if named := strings.TrimSpace(string(commit)); status != 0 || !is || named != "" && !strings.HasPrefix(told, " ("+named) {
			t.Errorf("%s --version: %d %q, of commit %q", program, status, text, named)
		}
	}
	for _, args := range [][]string{{"mcp", "git-trace", "0.0.1"}, {"nosuch", "git-trace", version.Number}, {"mcp"}, {}} {
		text, status := says(both, "git-trace-serve", args...)
		if status != exitUnchecked || !strings.HasPrefix(text, "git-trace: error: git-trace-serve is ") {
			t.Errorf("%v: %d %s", args, status, text)
		}
	}
	text, status := says(alone, "git-trace", "mcp")
	if status != exitUnchecked || !strings.Contains(text, "git-trace: error: git-trace-serve is not installed") ||
		!strings.Contains(text, "git-trace: hint: go install") {
		t.Errorf("without it: %d %s", status, text)
	}
}
