package gitblame

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/refs"
)

// Session is one blame: the directory, the arguments, and the facts found so far.
type Session struct {
	ctx    context.Context // a session lives as long as the call that created it
	stop   context.CancelFunc
	repo   *refs.Repo
	dir    string
	opts   Options
	target target
	path   string   // path of the file, relative to the top of the work tree
	stdin  []byte   // the input of --contents -
	beside []string // environment variables that make git know an untracked file; see named

	incomplete bool // the history was cut off; see run

	background sync.WaitGroup
	settings   func() configured
	converted  func() bool // see hasTextconv

	image []byte // the blamed content; nil before the first use
}

// Open starts a blame of a file in the user's directory. It also starts further questions to git in the background. The
// caller must close the session.
func Open(ctx context.Context, repo *refs.Repo, dir string, opts Options) (*Session, error) {
	s := &Session{repo: repo, dir: dir, opts: opts}
	s.ctx, s.stop = context.WithCancel(ctx)
	if err := s.find(); err != nil {
		s.Close()
		return nil, err
	}
	s.settings = later(s, s.readSettings)
	s.converted = later(s, s.hasTextconv)
	return s, nil
}

// Close ends a session and all its processes.
func (s *Session) Close() {
	s.stop()
	s.background.Wait()
}

// find finds the argument that is the file. If git will reject the arguments it finds none, because git's message is
// better.
func (s *Session) find() error {
	if s.opts.HasContents && s.opts.Contents == "-" && s.opts.Stdin != nil {
		text, err := io.ReadAll(s.opts.Stdin)
		if err != nil {
			return fmt.Errorf("read the contents to blame: %w", err)
		}
		s.stdin = text
	}
	t, ok := s.opts.target(s.isRev)
	if !ok {
		return nil
	}
	cwd, err := filepath.EvalSymlinks(s.dir)
	if err != nil {
		return fmt.Errorf("find the current directory: %w", err)
	}
	s.target = t
	s.path, _ = repoPath(s.repo.WorkTree, cwd, t.file)
	return nil
}

// Try calls the function `show`. If git refuses an untracked file, Try calls show again with an index that has the
// file. If git refuses the arguments, the error is git's own message about the words that the user typed.
func (s *Session) Try(show func() error) error {
	err := s.named(show)
	var refused *Failure
	if errors.As(err, &refused) && refused.ExitCode() == usageCode {
		return s.asTyped(refused)
	}
	return err
}

// AsAsked passes on the entries in the format that the options select. The result `trailer` is the output of
// --show-stats.
func (s *Session) AsAsked(each func(*Entry) error) (trailer []byte, err error) {
	return s.answer(s.opts.gitArgs(nil), s.opts.Format, each)
}

// Lines returns all lines that the options select, in any format.
func (s *Session) Lines() (lines []Line, trailer []byte, err error) {
	trailer, err = s.answer(s.opts.gitArgs([]string{"--porcelain"}, formats), Porcelain, func(e *Entry) error {
		lines = Append(lines, &e.Line)
		return nil
	})
	return lines, trailer, err
}

// Append does the same as the built-in append, for a list that may grow long; it copies the list less often.
func Append[T any](list []T, one *T) []T {
	if len(list) == cap(list) {
		list = slices.Grow(list, max(len(list), 64))
	}
	return append(list, *one)
}

// Path returns the path of the file, relative to the top of the work tree.
func (s *Session) Path() string { return s.path }

// `later` runs f in the background, and returns a function that waits for its result.
func later[T any](s *Session, f func() T) func() T {
	var result T
	done := make(chan struct{})
	s.background.Go(fault.In(func() {
		defer close(done)
		result = f()
	}))
	return func() T {
		<-done
		return result
	}
}

// isRev is git blame's own test for the form "FILE REV": whether the word names an object.
func (s *Session) isRev(word string) bool {
	cmd := s.repo.CommandUser(s.ctx, s.dir, "cat-file", "-e", word)
	return cmd.Run() == nil
}

// blame runs git blame in the user's directory, and passes each entry on at once. The result `trailer` is the output of
// --show-stats. Git's warnings go to the user. If git fails, the error is a *Failure.
func (s *Session) blame(args []string, format Format, each func(*Entry) error) (trailer []byte, err error) {
	trailer, warnings, err := s.run(args, format, each)
	if err == nil {
		s.warn(warnings)
	}
	return trailer, err
}

// warn passes git's warnings on to the user.
func (s *Session) warn(warnings []byte) {
	if s.opts.Stderr != nil {
		_, _ = s.opts.Stderr.Write(warnings)
	}
}

// stream runs one git blame, with additional environment variables.
func (s *Session) stream(args []string, format Format, env []string, each func(*Entry) error) (
	trailer, warnings []byte, err error,
) {
	ctx, stop := context.WithCancel(s.ctx)
	defer stop()
	var stderr bytes.Buffer
	cmd := s.command(ctx, args, &stderr)
	cmd.Env = append(cmd.Env, env...)
	if format == Incremental && os.Getenv("GIT_FLUSH") == "" {
		cmd.Env = append(cmd.Env, "GIT_FLUSH=0") // waking up for each entry costs more than reading it (git(1))
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, fmt.Errorf("run git blame: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, fmt.Errorf("run git blame: %w", err)
	}
	parser := NewParser(stdout, format)
	readErr, eachErr := readAll(parser, each)
	switch {
	case eachErr != nil:
		stop()
	case errors.Is(readErr, ErrStream): // git prints its usage to standard output; its exit status decides
		_, _ = io.Copy(io.Discard, stdout)
	}
	if err := outcome(cmd.Wait(), readErr, stderr.Bytes()); eachErr == nil && err != nil {
		if s.ctx.Err() != nil {
			err = s.ctx.Err()
		}
		return nil, nil, err
	}
	if eachErr != nil {
		return nil, nil, eachErr
	}
	return parser.Trailer(), stderr.Bytes(), nil
}

// command returns a git command that runs in the user's directory.
func (s *Session) command(ctx context.Context, args []string, stderr *bytes.Buffer) *exec.Cmd {
	cmd := s.repo.CommandUser(ctx, s.dir, args...)
	cmd.Env = append(cmd.Env, "LANGUAGE=en") // messages are recognised by their text, so it must be English
	cmd.Env = append(cmd.Env, s.beside...)
	cmd.Stderr = stderr
	if s.stdin != nil {
		cmd.Stdin = bytes.NewReader(s.stdin)
	}
	return cmd
}

// asTyped returns git's error for the arguments that the user typed, without the arguments that git-trace adds. Git's
// message about an option depends on the words before it: git 2.55 calls an unknown option "(null)" if it follows
// another.
func (s *Session) asTyped(refused *Failure) error {
	var stderr bytes.Buffer
	var exit *exec.ExitError
	if errors.As(s.command(s.ctx, s.opts.gitArgs(nil), &stderr).Run(), &exit) {
		return newFailure(exit.ExitCode(), stderr.Bytes())
	}
	return refused
}

// readAll passes on every entry until the stream ends or an error occurs.
func readAll(parser *Parser, each func(*Entry) error) (readErr, eachErr error) {
	for {
		e, err := parser.Next()
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		if err != nil {
			return err, nil
		}
		if err := each(&e); err != nil {
			return nil, err
		}
	}
}

// outcome returns the error of a git blame that has ended. Git's own message wins over errors in reading its output.
func outcome(waitErr, readErr error, stderr []byte) error {
	var exit *exec.ExitError
	switch {
	case errors.As(waitErr, &exit):
		return newFailure(exit.ExitCode(), stderr)
	case waitErr != nil:
		return fmt.Errorf("git blame: %w", waitErr)
	}
	return readErr
}

// Ask runs a git command that prints one value, in the user's directory.
func (s *Session) Ask(stdin io.Reader, args ...string) (string, error) {
	cmd := s.repo.CommandUser(s.ctx, s.dir, args...)
	cmd.Stdin = stdin
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimRight(string(out), "\r\n"), nil
}
