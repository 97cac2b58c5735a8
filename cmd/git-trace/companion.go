package main

import (
	"context"
	"errors"
	"os"
	"os/exec"

	"github.com/git-trace/git-trace/internal/companion"
	"github.com/git-trace/git-trace/internal/exit"
)

// beCompanion runs the companion with a verb and this program's streams, and returns its exit status.
func (a *app) beCompanion(ctx context.Context, verb string, args ...string) error {
	cmd, err := companion.Command(ctx, verb, args...)
	if err != nil {
		return err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.std.in, a.std.out, a.std.err
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = companion.Grace
	var ended *exec.ExitError
	if err := cmd.Run(); errors.As(err, &ended) {
		return exit.Silent(exit.Unchecked)
	} else if err != nil && ctx.Err() == nil {
		return exit.Fail(exit.Unchecked, err, "")
	}
	return nil
}
