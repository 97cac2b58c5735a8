package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/hooks"
	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
	"github.com/git-trace/git-trace/trails"
)

// originLimit is the longest time of the first snapshot, which reads the whole work tree.
const originLimit = 10 * time.Minute

// startRecording marks the repository as recorded, opens its log and takes the first snapshot. Nobody owns the content
// of that snapshot; later changes have owners.
func startRecording(ctx context.Context, repo *refs.Repo) error {
	if err := beginRecording(ctx, repo); err != nil {
		return err
	}
	return recorded.Add(repo)
}

// beginRecording does the same without the entry in the list of recorded repositories.
func beginRecording(ctx context.Context, repo *refs.Repo) error {
	ctx, cancel := context.WithTimeout(ctx, originLimit)
	defer cancel()
	if info, err := os.Lstat(repo.TracesDir()); err == nil && !info.IsDir() {
		return exit.Fail(exit.Git, fmt.Errorf("start recording: %s is not a directory", repo.TracesDir()),
			"remove it: git-trace writes into no link")
	}
	if err := repo.MakeTracesDir(); err != nil {
		return fmt.Errorf("start recording: %w", err)
	}
	if err := trails.New(repo, events.OpenLog(repo), nil).Origin(ctx, time.Now()); err != nil {
		return fmt.Errorf("start recording: %w", err)
	}
	return nil
}

// runEnrol starts recording in the current repository, if `git trace setup` was run and the user wants this repository.
// An agent's hook starts it in the background.
func runEnrol() int {
	guard := runner.Guard(originLimit, nil)
	defer guard()
	ctx, cancel := context.WithTimeout(context.Background(), originLimit)
	defer cancel()
	repo, err := enrol(ctx)
	if err != nil && repo != nil {
		runner.NoteFailure(repo, fmt.Errorf("enrol: %w", err))
	}
	return exit.Done
}

// enrol returns the repository if it is wanted.
func enrol(ctx context.Context) (*refs.Repo, error) {
	found, err := refs.FindHook(".")
	if err != nil || !recorded.Enrols() || recorded.Wanted(ctx, found) != nil {
		return nil, err
	}
	state, err := recorded.StateDir()
	if err != nil {
		return nil, err
	}
	one, err := refs.Flock(filepath.Join(state, "enrol.lock"), time.Minute)
	if err != nil {
		return nil, err
	}
	defer one.Unlock()
	if recorded.Holds(found) { // another agent, started meanwhile, has enrolled it
		return nil, nil
	}
	repo, err := found.Open()
	if err != nil {
		return nil, err
	}
	if err := beginRecording(ctx, repo); err != nil {
		return repo, err
	}
	in, err := hooksOf(repo)
	if err != nil {
		return repo, err
	}
	if _, err := in.Install(ctx); err != nil {
		return repo, err
	}
	return repo, recorded.Enrol(repo)
}

// hooksOf installs and removes git's hooks of a repository for this program.
func hooksOf(repo *refs.Repo) (hooks.Installer, error) {
	env, err := capability.SystemEnv()
	return hooks.Installer{Repo: repo, Binary: env.Binary}, err
}

// tellEnrolled tells a person once that the repository was enrolled.
func (a *app) tellEnrolled(repo *refs.Repo) {
	file, isFile := a.std.err.(*os.File)
	if !isFile || !recorded.Untold(repo) {
		return
	}
	if terminal.Is(file) && recorded.Told(repo) == nil {
		fmt.Fprintln(a.std.err, "git-trace: hint: this repository is recorded, because you started an agent here; "+
			"git trace uninstall takes it out, and it stays out")
	}
}

// stayOut prevents that a repository is enrolled again.
func stayOut(ctx context.Context, repo *refs.Repo) error {
	if !recorded.Enrols() {
		return nil
	}
	dir := repo.WorkTree
	if filepath.Base(repo.CommonDir) == ".git" {
		dir = filepath.Dir(repo.CommonDir)
	}
	config, err := refs.OwnConfig(ctx)
	if err != nil || slices.Contains(config.Paths(recorded.IgnoreKey), dir) {
		return err
	}
	return writeSetup(ctx, recorded.IgnoreKey, []string{dir})
}
