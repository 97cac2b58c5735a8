package hooks

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-trace/git-trace/agents/userfile"
	"github.com/git-trace/git-trace/refs"
)

// Errors that callers check for. Hint returns a sentence for each.
var (
	ErrHooksOff = errors.New("git runs no hooks here")
	ErrDamaged  = userfile.ErrDamaged
	ErrBlocked  = errors.New("not a file")
	ErrBinary   = errors.New("no usable path of the git-trace binary")
)

// Hint returns advice for an error of this package, or "".
func Hint(err error) string {
	switch {
	case errors.Is(err, ErrHooksOff):
		return "point core.hooksPath at a directory, or unset it, and run `git trace init` again"
	case errors.Is(err, ErrDamaged):
		return "delete the lines from `" + marks.Begin + "` to `" + marks.End + "` by hand, and run `git trace init` again"
	case errors.Is(err, ErrBlocked):
		return "git expects a program at that path; move what is there out of the way"
	case errors.Is(err, ErrBinary):
		return "install git-trace under a path without line breaks"
	}
	return ""
}

// Names returns the hooks that get our part, in the order in which they are listed. They are all hooks of githooks(5)
// that run after a commit was made or a work tree was changed. Their exit status cannot stop the user's command.
func Names() []string {
	return []string{"post-commit", "post-rewrite", "post-checkout", "post-merge", "post-applypatch"}
}

// Installer installs git-trace's part in the git hooks of one repository, reports its state, and removes it.
type Installer struct {
	Repo   *refs.Repo
	Binary string // absolute path of git-trace, as it is written into the hooks
}

// Action is one change that was or would be made.
type Action struct {
	Hook string `json:"hook,omitempty"` // such as "post-commit"; empty if the action concerns all hooks
	Path string `json:"path"`
	What string `json:"what"`
	Why  string `json:"why,omitempty"`
}

// String returns the action on one line: "add a marked block to /repo/.git/hooks/post-commit (beside lefthook)".
func (a Action) String() string {
	text := a.What + " " + a.Path
	if a.Why != "" {
		text += " (" + a.Why + ")"
	}
	return text
}

// Result lists the changes that Install or Remove made. Notes are sentences for the user, about shared and kept files.
type Result struct {
	Actions []Action `json:"actions"`
	Notes   []string `json:"notes,omitempty"`
}

// Changed reports whether anything was changed.
func (r Result) Changed() bool { return len(r.Actions) > 0 }

// lockWait is the time that an install waits for another one.
const lockWait = 5 * time.Second

// Plan lists the actions that Install would do. An empty list means that everything is installed.
func (in Installer) Plan(ctx context.Context) ([]Action, error) {
	p, err := in.planInstall(ctx)
	if err != nil {
		return nil, fmt.Errorf("plan git hooks: %w", err)
	}
	return p.steps.Actions(), nil
}

// PlanRemove lists the actions that Remove would do.
func (in Installer) PlanRemove(ctx context.Context) ([]Action, error) {
	p, err := in.planRemove(ctx)
	if err != nil {
		return nil, fmt.Errorf("plan removal of git hooks: %w", err)
	}
	return p.steps.Actions(), nil
}

// Install installs our part in every hook of Names, and in the hooks that the configuration asks for. A second call
// changes nothing. If it fails, its changes are undone.
func (in Installer) Install(ctx context.Context) (Result, error) {
	return in.run(ctx, "install git hooks", in.planInstall)
}

// Remove removes our part. The hooks of other programs get back the bytes and permissions that they had.
func (in Installer) Remove(ctx context.Context) (Result, error) {
	return in.run(ctx, "remove git hooks", in.planRemove)
}

func (in Installer) run(ctx context.Context, what string, planner func(context.Context) (*plan, error)) (Result,
	error) {
	unlock, err := in.lock()
	if err != nil {
		return Result{}, fmt.Errorf("%s: %w", what, err)
	}
	defer unlock()
	p, err := planner(ctx)
	if err == nil {
		err = p.steps.Apply()
	}
	if err != nil {
		return Result{}, fmt.Errorf("%s: %w", what, err)
	}
	return Result{Actions: p.steps.Actions(), Notes: p.notes}, nil
}

// lock prevents a second install or removal at the same time. The returned function removes the file of the lock, and
// the directory if it is empty.
func (in Installer) lock() (unlock func(), err error) {
	dir := in.Repo.TracesDir()
	path := filepath.Join(dir, "hooks.lock")
	lock, err := refs.Flock(path, lockWait)
	if err != nil {
		return nil, err
	}
	return func() {
		_ = os.Remove(path)
		lock.Unlock()
		_ = os.Remove(dir) // fails unless it is empty
	}, nil
}

// checkBinary returns an error for a path that a shell script cannot contain as one word.
func (in Installer) checkBinary() error {
	if !filepath.IsAbs(in.Binary) || strings.ContainsAny(in.Binary, "\x00\n\r") {
		return ErrBinary
	}
	return nil
}
