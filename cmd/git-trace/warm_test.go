package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What people ask again is answered without a git process: one costs as much as all else.
func TestASecondBlameStartsNoGit(t *testing.T) {
	t.Parallel()
	r := newRecorded(t)
	old := time.Now().Add(-time.Hour)
	for _, file := range []string{filepath.Join(r.home, ".gitconfig"), filepath.Join(r.dir, ".git", "config")} {
		if err := os.Chtimes(file, old, old); err != nil {
			t.Fatal(err)
		}
	}
	trace := filepath.Join(t.TempDir(), "trace2")
	blame := func() (said, started string) {
		t.Helper()
		_ = os.Remove(trace)
		cmd := exec.Command("git-trace", "blame", "bytes")
		cmd.Dir = r.dir
		cmd.Env = []string{
			"HOME=" + r.home, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", limitEnv + "=" + patience, "TZ=UTC", "LC_ALL=C.UTF-8",
			"GIT_TRACE2_EVENT=" + trace,
		}
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(trace)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if strings.Contains(line, `"event":"start"`) {
				started += line
			}
		}
		return string(out), started
	}
	first, started := blame()
	if started == "" {
		t.Fatal("the first blame asked nobody: the count counts nothing")
	}
	blame()
	second, started := blame()
	if started != "" {
		t.Errorf("git was started:\n%s", started)
	}
	if second != first {
		t.Errorf("%s\nwas\n%s", second, first)
	}
}
