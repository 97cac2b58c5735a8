package refs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
)

// GitRead does the same as Git, but the function `read` gets the output while git is running. If git fails, the reader
// returns git's error instead of io.EOF, because the output may be incomplete. If `read` returns early, git is ended,
// and GitRead returns the error of read.
func (r *Repo) GitRead(ctx context.Context, stdin io.Reader, read func(io.Reader) error, args ...string) error {
	alive, cancel := context.WithCancel(ctx)
	defer cancel()
	out := &output{ctx: ctx, cmd: r.Command(alive, args...), verb: verbOf(args)}
	out.cmd.Stdin, out.cmd.Stderr = stdin, &out.stderr
	var err error
	if out.pipe, err = out.cmd.StdoutPipe(); err != nil {
		return fmt.Errorf("git %s: %w", out.verb, err)
	}
	if err := out.cmd.Start(); err != nil {
		return fmt.Errorf("git %s: %w", out.verb, err)
	}
	err = read(out)
	if out.ended == nil {
		cancel()
		_ = out.cmd.Wait() // the rest of the output is not needed
	}
	return err
}

// output is the output of a git process; it waits for the process at the end.
type output struct {
	ctx    context.Context
	cmd    *exec.Cmd
	verb   string
	stderr headBuffer
	pipe   io.Reader
	ended  error // io.EOF, or the reason why git failed
}

func (o *output) Read(p []byte) (int, error) {
	if o.ended != nil {
		return 0, o.ended
	}
	n, err := o.pipe.Read(p)
	if err == nil {
		return n, nil
	}
	switch failed := gitFailed(o.cmd.Wait(), o.verb, &o.stderr); {
	case o.ctx.Err() != nil:
		o.ended = fmt.Errorf("git %s: %w", o.verb, o.ctx.Err())
	case failed != nil:
		o.ended = failed
	case errors.Is(err, io.EOF):
		o.ended = io.EOF
	default:
		o.ended = fmt.Errorf("read what git %s says: %w", o.verb, err)
	}
	return n, o.ended
}
