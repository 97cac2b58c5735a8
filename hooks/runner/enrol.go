package runner

import (
	"os"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
)

// EnrolHook stands where the name of a hook does: that process starts to record the repository that it runs in.
const EnrolHook = "enrol"

// startEnrol starts that process where the user starts or prompts an agent, if they ran `git trace setup` and the
// repository is not recorded. The process judges whether it is one that the user wants.
func startEnrol(dir string) {
	if dir == "" || !recorded.Enrols() {
		return
	}
	found, err := refs.FindHook(dir)
	if err != nil || recorded.Holds(found) {
		return
	}
	Background(nil, found.Top, withoutGit(os.Environ()), "git-hook", EnrolHook)
}
