package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// What people ask again is answered with one git process, which lists the configuration.
func TestASecondAnswerOnlyAsksForTheConfiguration(t *testing.T) {
	t.Parallel()
	r := newRecorded(t)
	for _, asked := range [][]string{
		{"blame", "bytes"},
		{"why", "bytes:1"}, // of a prompt that no record holds, which is redacted before it is shown
	} {
		first, started := r.startedBy(asked)
		if started == "" && asked[0] == "blame" {
			t.Fatal("the first blame asked nobody: the count counts nothing")
		}
		r.startedBy(asked)
		second, started := r.startedBy(asked)
		if strings.Count(started, "\n") != 1 || !strings.Contains(started, `"config","-z","--list"`) {
			t.Errorf("%v started git:\n%s", asked, started)
		}
		if second != first {
			t.Errorf("%v: %s\nwas\n%s", asked, second, first)
		}
		if asked[0] == "why" && !strings.Contains(second, `"make <close> safe & `) {
			t.Errorf("there is no prompt in\n%s", second)
		}
	}
}

// startedBy runs a command, and gives what it printed and the git processes that it started.
func (r *recordedRepo) startedBy(args []string) (said, started string) {
	r.t.Helper()
	trace := filepath.Join(testenv.TempDir(r.t), "trace2")
	cmd := exec.Command("git-trace", args...)
	cmd.Dir = r.dir
	cmd.Env = []string{
		"HOME=" + r.home, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", runner.LimitEnv + "=" + patience, "TZ=UTC", "LC_ALL=C.UTF-8",
		"GIT_TRACE2_EVENT=" + trace,
	}
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatal(err)
	}
	text, err := os.ReadFile(trace)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, `"event":"start"`) {
			started += line
		}
	}
	return string(out), started
}
