package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// startRecorder starts `git trace record` as a process of its own and does not wait for it: a hook must not take the
// time that reading and redacting a conversation takes.
func startRecorder(repo *refs.Repo) {
	program, found := ownProgram()
	if !found {
		return
	}
	// The streams are the null device: agents wait until nobody holds those of the hook any more.
	cmd := exec.Command(program, "--git-dir="+repo.GitDir, "--work-tree="+repo.WorkTree, "record", "--quiet")
	cmd.Dir, cmd.Env = repo.WorkTree, withoutGit(os.Environ())
	detach(cmd)
	if err := cmd.Start(); err != nil {
		noteFailure(repo, fmt.Errorf("start git-trace record: %w", err))
		return
	}
	_ = cmd.Process.Release()
}

// ownProgram is the file of git-trace; found is false in a program that links these functions, such as a test.
func ownProgram() (path string, found bool) {
	path, err := os.Executable()
	return path, err == nil && strings.HasPrefix(filepath.Base(path), "git-trace") && !strings.HasSuffix(path, ".test")
}

// withoutGit leaves out what git tells its hooks: an index that is locked, another directory.
func withoutGit(env []string) []string {
	out := make([]string, 0, len(env))
	for _, entry := range env {
		if !strings.HasPrefix(entry, "GIT_") || strings.HasPrefix(entry, "GIT_CONFIG") {
			out = append(out, entry)
		}
	}
	return out
}
