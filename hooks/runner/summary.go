package runner

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
	"github.com/git-trace/git-trace/trails"
	"github.com/git-trace/git-trace/trails/process"
)

// SummaryHook is the hook name that prints one line about the newest commit.
const SummaryHook = "summary"

// SummaryKey is the setting that enables the line about the newest commit.
const SummaryKey = "trace.summary"

// SeenEnv is a variable that is 1 in the hook of a commit if git's messages go to a terminal.
const SeenEnv = "GITTRACE_SEEN"

// replays lists files that are in the git directory while a command makes several commits.
var replays = [...]string{"rebase-merge", "rebase-apply", "sequencer", "CHERRY_PICK_HEAD", "REVERT_HEAD"}

// summarise prints a line about the commit on the terminal of the person who made it. It does so only if they asked for
// it, if git's own messages go to a terminal, and if no agent started git, because an agent may give a command its own
// terminal.
func summarise(args []string) {
	if len(args) == 0 || args[0] != "post-commit" || os.Getenv(SeenEnv) != "1" {
		return
	}
	program, found := Program()
	repo, err := recorded.Here()
	if err != nil || !found || !wantsSummary(repo) || trails.CalledByAgent(repo) {
		return
	}
	terminal, err := os.OpenFile("/dev/tty", os.O_WRONLY, 0)
	if err != nil {
		return
	}
	defer terminal.Close()
	_, hard := Limits()
	ctx, cancel := context.WithTimeout(context.Background(), hard)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "git-hook", SummaryHook)
	cmd.Env, cmd.Stdout = process.Marked(os.Environ()), terminal
	_ = cmd.Run() // without the line the commit is still complete
}

// wantsSummary reports whether the user asked for the line, and no rebase or similar operation is in progress.
func wantsSummary(repo *refs.Repo) bool {
	config, err := repo.Config(context.Background())
	if err != nil || !config.Bool(SummaryKey, false) {
		return false
	}
	for _, name := range replays {
		if _, err := os.Lstat(filepath.Join(repo.GitDir, name)); err == nil {
			return false
		}
	}
	return true
}
