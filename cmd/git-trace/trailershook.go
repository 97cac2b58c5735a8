package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/hooks"
	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
)

// runTrailersHook adds the output of git trace trailers to the message of a commit. Like every hook it prints nothing,
// never fails and has a time limit. In doubt it leaves the message unchanged.
func runTrailersHook(args []string) int {
	soft, hard := runner.Limits()
	guard := runner.Guard(hard, nil)
	defer guard()
	ctx, cancel := context.WithTimeout(context.Background(), soft)
	defer cancel()
	repo, err := recorded.Here()
	if err != nil {
		return exit.Done
	}
	if err := addTrailers(ctx, repo, args); err != nil && ctx.Err() == nil {
		runner.NoteFailure(repo, fmt.Errorf("%s: %w", hooks.TrailersHook, err))
	}
	return exit.Done
}

// underWay are files in the git directory during a merge, a squash, a revert, a cherry-pick or a rebase. Git writes
// MERGE_MSG for all of them except a rebase, and for no other commit.
var underWay = [...]string{"MERGE_MSG", "MERGE_HEAD", "SQUASH_MSG", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge",
	"rebase-apply", "sequencer"}

// longestMessage is the size in bytes of the longest message that is searched.
const longestMessage = 1 << 20

// addTrailers acts if git already has the whole message, from -m or -F (githooks(5)). It does not change a message that
// will still be typed: git aborts a commit with an empty message, and a trailer would fill it. It does not change a
// message taken from a commit: git does not say whether that is the commit being amended or another one.
func addTrailers(ctx context.Context, repo *refs.Repo, args []string) error {
	if len(args) != 2 || args[1] != "message" || !repo.HasTraces() {
		return nil
	}
	for _, name := range underWay {
		if _, err := os.Lstat(filepath.Join(repo.GitDir, name)); err == nil {
			return nil
		}
	}
	config, err := repo.Config(ctx)
	if err != nil {
		return err
	}
	format, err := hooks.Trailers(config)
	if format == "" {
		return err
	}
	info, err := os.Stat(args[0])
	if err != nil || info.Size() > longestMessage {
		return err
	}
	message, err := os.ReadFile(args[0])
	if err != nil || hasTrailer(message) {
		return err
	}
	if index := os.Getenv("GIT_INDEX_FILE"); index != "" {
		if index, err = filepath.Abs(index); err != nil {
			return err
		}
		repo.UseIndex(index)
	}
	quiet := &app{std: streams{in: strings.NewReader(""), out: io.Discard, err: io.Discard}, dir: ".", life: ctx}
	known, err := quiet.openConversations(ctx, repo)
	if err != nil {
		return err
	}
	defer known.Close()
	shares, err := quiet.stagedShares(repo, known)
	if err != nil {
		return err
	}
	lines := trailersOf(shares, format, false)
	if len(lines) == 0 || ctx.Err() != nil {
		return nil
	}
	return interpretTrailers(ctx, config, args[0], lines)
}

// hasTrailer reports whether a message already names agents.
func hasTrailer(message []byte) bool {
	for line := range bytes.Lines(message) {
		key, _, found := bytes.Cut(line, []byte(":"))
		name := strings.ToLower(string(bytes.TrimSpace(key)))
		if found && (name == assistedBy || name == "co-authored-by") {
			return true
		}
	}
	return false
}

// interpretTrailers lets git add the trailers to the message file, which git replaces. It ignores the settings for the
// user's own trailers: git itself adds those on request (trailer.* in git-interpret-trailers(1)).
func interpretTrailers(ctx context.Context, config refs.Config, file string, lines []string) error {
	args := []string{"interpret-trailers", "--in-place", "--if-exists", "addIfDifferent"}
	if mark, found := config.Get("core.commentchar"); found && mark != "auto" {
		args = append([]string{"-c", "core.commentChar=" + mark}, args...)
	}
	for _, line := range lines {
		args = append(args, "--trailer", line)
	}
	cmd := exec.CommandContext(ctx, "git", append(args, file)...)
	cmd.Env = append(outsideGit(), "GIT_DIR="+os.DevNull, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	return cmd.Run()
}

// outsideGit returns the environment without variables that choose a repository or change how git works.
func outsideGit() []string {
	return slices.DeleteFunc(os.Environ(), func(entry string) bool {
		return strings.HasPrefix(entry, "GIT_") && !strings.HasPrefix(entry, "GIT_EXEC_PATH=")
	})
}
