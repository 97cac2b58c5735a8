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

// GitError is the error of a failed git process. Its text has the command and git's first line, never the arguments.
type GitError struct {
	Verb   string // "update-ref"
	Code   int    // exit status; -1 if a signal killed git
	Stderr string // first line that git printed, without "fatal: "
}

// Error returns "git VERB: cause".
func (e *GitError) Error() string {
	if e.Stderr == "" {
		return fmt.Sprintf("git %s: exit status %d", e.Verb, e.Code)
	}
	return fmt.Sprintf("git %s: %s", e.Verb, e.Stderr)
}

// Command returns a git command that runs at the top of the work tree, or in the git directory of a bare repository. It
// has its own environment: see Env.
func (r *Repo) Command(ctx context.Context, args ...string) *exec.Cmd {
	return r.CommandIn(ctx, r.root(), args...)
}

// CommandIn does the same as Command, in a directory of the caller's choice, for git commands that take paths relative
// to it. Git starts neither the program in core.fsmonitor nor its own daemon, because programs that hooks start must
// end.
func (r *Repo) CommandIn(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.fsmonitor=false"}, r.quiet(args)...)...)
	cmd.Dir, cmd.Env = dir, r.Env()
	cmd.WaitDelay = waitDelay
	return cmd
}

// CommandUser returns a git command whose output goes to the user. It keeps the user's environment (pager, colours,
// language, replacement refs), without the variables that git sets for hooks.
func (r *Repo) CommandUser(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", r.quiet(args)...)
	cmd.Dir, cmd.Env = dir, append(r.userEnv(os.Environ()), r.unasked.all()...)
	cmd.WaitDelay = waitDelay
	return cmd
}

// waitDelay is the time for which a child of a git process may keep git's pipes open after git has ended or was
// cancelled.
const waitDelay = 2 * time.Second

// Git runs a git command with the given input, and returns its standard output. The error is a *GitError, or the
// context's error if the context ended.
func (r *Repo) Git(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error) {
	return r.GitWith(ctx, stdin, nil, args...)
}

// GitWith does the same as Git, with additional environment variables.
func (r *Repo) GitWith(ctx context.Context, stdin io.Reader, env []string, args ...string) ([]byte, error) {
	var stdout bytes.Buffer
	if err := r.gitTo(ctx, stdin, &stdout, env, args); err != nil {
		return nil, err
	}
	return stdout.Bytes(), nil
}

// GitTo does the same as Git, but writes the output to stdout as it arrives. If stdout fails, GitTo does not wait for
// git and returns stdout's error.
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
	case err != nil && interrupted(cmd.ProcessState): // the interrupt key also ends git, perhaps before this process
		return fmt.Errorf("git %s: %w", verbOf(args), context.Canceled)
	}
	return err
}

// `interrupted` reports whether the interrupt key ended a process.
func interrupted(state *os.ProcessState) bool {
	if state == nil {
		return false
	}
	status, known := state.Sys().(interface{ Signal() syscall.Signal })
	return known && status.Signal() == syscall.SIGINT
}

// sink stores a writer's error. The error ends git, which then fails with another error.
type sink struct {
	to  io.Writer
	err error
}

func (s *sink) Write(p []byte) (int, error) {
	n, err := s.to.Write(p)
	s.err = err
	return n, err
}

// runGit runs a command and collects both output streams. Of standard error it keeps only the beginning, for the error.
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

// gitFailed returns the error of a git process, from its exit state.
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

// verbOf returns git's command: the first argument that is not one of git's own options.
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

// headBuffer keeps the first bytes that are written to it, and drops the rest.
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
	for strings.HasPrefix(text, "hint: ") { // advice comes before git's error
		_, text, _ = strings.Cut(text, "\n")
	}
	line, rest, _ := strings.Cut(text, "\n")
	line = strings.TrimRight(line, "\r ")
	if strings.HasSuffix(line, ":") { // "unknown repository extension found:" is followed by a line with the name
		second, _, _ := strings.Cut(rest, "\n")
		line += " " + strings.TrimSpace(second)
	}
	for _, prefix := range []string{"fatal: ", "error: "} {
		line = strings.TrimPrefix(line, prefix)
	}
	return line
}
