package refs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// GitError is a git process that failed. Its text holds the verb and git's own first line, never the arguments.
type GitError struct {
	Verb   string // "update-ref"
	Code   int    // exit status; -1 when killed by a signal
	Stderr string // first line that git printed, without its "fatal: "
}

// Error returns "git VERB: cause".
func (e *GitError) Error() string {
	if e.Stderr == "" {
		return fmt.Sprintf("git %s: exit status %d", e.Verb, e.Code)
	}
	return fmt.Sprintf("git %s: %s", e.Verb, e.Stderr)
}

// Command prepares a git process at the top of the work tree, or in the git directory of a bare repository. Its
// environment is built from scratch: see Env.
func (r *Repo) Command(ctx context.Context, args ...string) *exec.Cmd {
	return r.CommandIn(ctx, r.root(), args...)
}

// CommandIn is Command in a directory of the caller's choice, for verbs that take paths relative to it. It does not
// start the program in core.fsmonitor or git's own daemon: programs of hooks must end.
func (r *Repo) CommandIn(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.fsmonitor=false"}, r.quiet(args)...)...)
	cmd.Dir, cmd.Env = dir, r.Env()
	cmd.WaitDelay = waitDelay
	return cmd
}

// CommandUser prepares a git process whose output goes to the user: it keeps the environment (pager, colours, language,
// replace refs), without the variables that a hook exports.
func (r *Repo) CommandUser(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", r.quiet(args)...)
	cmd.Dir, cmd.Env = dir, append(r.userEnv(os.Environ()), r.unasked.all()...)
	cmd.WaitDelay = waitDelay
	return cmd
}

// waitDelay is the time that a finished or cancelled git may keep its pipes open through a grandchild.
const waitDelay = 2 * time.Second

// Git runs a git command with the input given and returns its standard output. A failure is a *GitError, or the
// context's error if that ended it.
func (r *Repo) Git(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error) {
	return r.GitWith(ctx, stdin, nil, args...)
}

// GitWith is Git with more environment variables.
func (r *Repo) GitWith(ctx context.Context, stdin io.Reader, env []string, args ...string) ([]byte, error) {
	var stdout bytes.Buffer
	if err := r.gitTo(ctx, stdin, &stdout, env, args); err != nil {
		return nil, err
	}
	return stdout.Bytes(), nil
}

// GitTo is Git with the output written to stdout as it comes. If stdout fails, it does not wait for git, and returns
// stdout's error.
func (r *Repo) GitTo(ctx context.Context, stdin io.Reader, stdout io.Writer, args ...string) error {
	return r.gitTo(ctx, stdin, stdout, nil, args)
}

func (r *Repo) gitTo(ctx context.Context, stdin io.Reader, stdout io.Writer, env, args []string) error {
	cmd := r.Command(ctx, args...)
	cmd.Stdin, cmd.Env = stdin, append(cmd.Env, env...)
	sink := &sink{to: stdout}
	cmd.Stdout = sink
	err := runGitTo(cmd, verbOf(args))
	settingsChange(ctx, args)
	switch {
	case sink.err != nil:
		return sink.err
	case err != nil && ctx.Err() != nil:
		return fmt.Errorf("git %s: %w", verbOf(args), ctx.Err())
	case err != nil && interrupted(cmd.ProcessState): // the key ends git too, perhaps before this process
		return fmt.Errorf("git %s: %w", verbOf(args), context.Canceled)
	}
	return err
}

// interrupted reports whether a process was ended by the interrupt key.
func interrupted(state *os.ProcessState) bool {
	if state == nil {
		return false
	}
	status, known := state.Sys().(interface{ Signal() syscall.Signal })
	return known && status.Signal() == syscall.SIGINT
}

// sink remembers a writer's error: it kills git, which then reports another error.
type sink struct {
	to  io.Writer
	err error
}

func (s *sink) Write(p []byte) (int, error) {
	n, err := s.to.Write(p)
	s.err = err
	return n, err
}

// runGit runs a prepared command and collects both streams, of standard error only the part for an error.
func runGit(cmd *exec.Cmd, verb string) ([]byte, error) {
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	if err := runGitTo(cmd, verb); err != nil {
		return nil, err
	}
	return stdout.Bytes(), nil
}

func runGitTo(cmd *exec.Cmd, verb string) error {
	stderr := &headBuffer{}
	cmd.Stderr = stderr
	return gitFailed(cmd.Run(), verb, stderr)
}

// gitFailed describes the failure of a git process, from its exit state.
func gitFailed(err error, verb string, stderr *headBuffer) error {
	if err == nil {
		return nil
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return &GitError{Verb: verb, Code: exit.ExitCode(), Stderr: stderr.firstLine()}
	}
	return fmt.Errorf("git %s: %w", verb, err)
}

// verbOf returns the first argument that is not one of git's own options.
func verbOf(args []string) string {
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "-c" || args[i] == "-C":
			i++
		case !strings.HasPrefix(args[i], "-"):
			return args[i]
		}
	}
	return strings.Join(args, " ")
}

func (r *Repo) root() string {
	if r.WorkTree != "" {
		return r.WorkTree
	}
	return r.GitDir
}

// headBuffer keeps the first bytes written to it and drops the rest.
type headBuffer struct {
	buf []byte
}

const headBufferSize = 2048

func (b *headBuffer) Write(p []byte) (int, error) {
	if room := headBufferSize - len(b.buf); room > 0 {
		b.buf = append(b.buf, p[:min(room, len(p))]...)
	}
	return len(p), nil
}

func (b *headBuffer) firstLine() string {
	text := strings.TrimLeft(string(b.buf), "\r\n")
	for strings.HasPrefix(text, "hint: ") { // advice, before git's error
		_, text, _ = strings.Cut(text, "\n")
	}
	line, rest, _ := strings.Cut(text, "\n")
	line = strings.TrimRight(line, "\r ")
	if strings.HasSuffix(line, ":") { // "unknown repository extension found:", then its name
		second, _, _ := strings.Cut(rest, "\n")
		line += " " + strings.TrimSpace(second)
	}
	for _, prefix := range []string{"fatal: ", "error: "} {
		line = strings.TrimPrefix(line, prefix)
	}
	return line
}
