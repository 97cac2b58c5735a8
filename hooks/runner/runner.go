// Package runner contains the hooks that agents and git call while somebody works: `git trace hook AGENT EVENT` and
// `git trace git-hook NAME ARGUMENTS`. A hook records what happened, and leaves longer work to background processes.
//
// A hook prints nothing, never fails and ends in time (Guard). It must also start quickly: before its first line runs,
// all linked packages are read from the disk and initialised. So the program git-trace-hook contains only this package.
// It is installed next to git-trace, which can do the same if git-trace-hook is missing.
package runner

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/internal/version"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/process"
)

// Name is the name of the program that contains only this package.
const Name = capability.HookProgram

// Takes reports whether the arguments of git-trace call a hook that this package handles. Hooks that share data or
// change messages are not among them: they need more packages than a hook may link.
func Takes(args []string) bool {
	if len(args) == 0 {
		return false
	}
	switch args[0] {
	case "hook":
		return true
	case "git-hook":
		return len(args) > 1 && (args[1] == LaterHook || args[1] == SealHook || slices.Contains(heard[:], args[1]))
	}
	return false
}

// Run handles the calls that Takes accepts, and returns the exit status, which is always 0.
func Run(args []string, in io.Reader) int {
	growStack(0)
	fault.Hush()
	if err := refs.FetchNothing(); err != nil {
		return 0 // if there is no memory, a hook does nothing
	}
	process.MarkOwn()
	if args[0] == "hook" {
		return runAgent(args[1:], in)
	}
	status := runGit(args[1:], in)
	summarise(args[1:])
	return status
}

// Main is the main function of git-trace-hook. It passes other calls to git-trace in the same directory.
func Main(args []string) int {
	switch {
	case Takes(args):
		return Run(args, os.Stdin)
	case len(args) == 1 && args[0] == "--version":
		fmt.Println(Name + " version " + version.Text())
		return 0
	}
	program, found := Program()
	if !found {
		return 0
	}
	cmd := exec.Command(program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	var ended *exec.ExitError
	if err := cmd.Run(); errors.As(err, &ended) {
		return ended.ExitCode()
	}
	return 0
}

var executable = os.Executable // tests replace it

// Program returns the path of git-trace: of this program itself, or of the one next to git-trace-hook. The result
// `found` is false in any other program that links this package, such as a test.
func Program() (path string, found bool) {
	path, err := executable()
	if err != nil {
		return "", false
	}
	dir, base := filepath.Split(path)
	name := strings.TrimSuffix(base, ".exe")
	if name == Name {
		path = filepath.Join(dir, "git-trace"+strings.TrimPrefix(base, name))
		_, err := os.Stat(path)
		return path, err == nil
	}
	return path, strings.HasPrefix(base, "git-trace") && !strings.HasSuffix(base, ".test")
}

// Background starts git-trace as a background process, and reports whether it runs. Its streams are the null device,
// because agents and git wait until all processes have closed the streams of the hook.
func Background(repo *refs.Repo, dir string, env []string, args ...string) (started bool) {
	cmd := background(repo, dir, env, args...)
	if cmd != nil {
		_ = cmd.Process.Release()
	}
	return cmd != nil
}

// background returns the started process, or nil if it does not run.
func background(repo *refs.Repo, dir string, env []string, args ...string) *exec.Cmd {
	program, found := Program()
	if !found {
		return nil
	}
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = dir, process.Marked(env)
	detach(cmd)
	if err := cmd.Start(); err != nil {
		NoteFailure(repo, fmt.Errorf("start git-trace %s: %w", strings.Join(args, " "), err))
		return nil
	}
	return cmd
}
