package blame

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/git-trace/git-trace/refs"
)

// session is one run of the command: where, with which arguments, and what was found out on the way.
type session struct {
	ctx      context.Context // a session lives as long as the call that made it
	repo     *refs.Repo
	dir      string
	opts     Options
	resolver Resolver
	target   target
	path     string // of the file, relative to the top of the work tree
	stdin    []byte // what --contents - gave
	index    string // in the place of git's own, for a file that is not tracked; see named

	background sync.WaitGroup
	settings   func() configured
	converted  func() bool // see hasTextconv

	written map[int]credit // final line to who wrote it, from the plain blame; nil until it ran
	image   []byte         // the blamed content; nil until asked for
}

// newSession settles which argument is the file. When git is going to reject the arguments the session is still made:
// git says it better.
func newSession(ctx context.Context, repo *refs.Repo, dir string, opts Options, resolver Resolver) (*session, error) {
	s := &session{ctx: ctx, repo: repo, dir: dir, opts: opts, resolver: resolver}
	if opts.HasContents && opts.Contents == "-" && opts.Stdin != nil {
		text, err := io.ReadAll(opts.Stdin)
		if err != nil {
			return s, fmt.Errorf("read the contents to blame: %w", err)
		}
		s.stdin = text
	}
	t, ok := opts.target(s.isRev)
	if !ok {
		return s, nil
	}
	cwd, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return s, fmt.Errorf("find the current directory: %w", err)
	}
	s.target = t
	s.path, _ = repoPath(repo.WorkTree, cwd, t.file)
	return s, nil
}

// later runs f beside what follows and returns the function that waits for its result.
func later[T any](s *session, f func() T) func() T {
	var result T
	done := make(chan struct{})
	s.background.Go(func() {
		defer close(done)
		result = f()
	})
	return func() T {
		<-done
		return result
	}
}

// isRev is git blame's own test for "FILE REV": the word names an object.
func (s *session) isRev(word string) bool {
	cmd := s.repo.CommandUser(s.ctx, s.dir, "cat-file", "-e", word)
	return cmd.Run() == nil
}

// blame runs git blame in the user's directory and hands each entry on as it comes. The returned trailer is what
// --show-stats printed. Git's warnings go where the user's go; its failure is a *Failure.
func (s *session) blame(args []string, format Format, each func(*Entry) error) (trailer []byte, err error) {
	trailer, warnings, err := s.run(args, format, each)
	if err == nil {
		s.warn(warnings)
	}
	return trailer, err
}

// warn passes git's warnings on.
func (s *session) warn(warnings []byte) {
	if s.opts.Stderr != nil {
		_, _ = s.opts.Stderr.Write(warnings)
	}
}

// run is blame without passing on the warnings.
func (s *session) run(args []string, format Format, each func(*Entry) error) (trailer, warnings []byte, err error) {
	ctx, stop := context.WithCancel(s.ctx)
	defer stop()
	var stderr bytes.Buffer
	cmd := s.command(ctx, args, &stderr)
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
	case errors.Is(readErr, ErrStream): // git prints its usage here; its status is to be heard
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

// command is a git blame in the user's directory.
func (s *session) command(ctx context.Context, args []string, stderr *bytes.Buffer) *exec.Cmd {
	cmd := s.repo.CommandUser(ctx, s.dir, args...)
	cmd.Env = append(cmd.Env, "LANGUAGE=en") // messages are told apart by their text; the data is the same in any language
	if s.index != "" {
		cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+s.index)
	}
	cmd.Stderr = stderr
	if s.stdin != nil {
		cmd.Stdin = bytes.NewReader(s.stdin)
	}
	return cmd
}

// asTyped is git's refusal of the words that the user typed, without any of ours. What git says of an option depends on
// those before it: git 2.55 calls an unknown option "(null)" after any other.
func (s *session) asTyped(refused *Failure) error {
	var stderr bytes.Buffer
	var exit *exec.ExitError
	if errors.As(s.command(s.ctx, s.opts.gitArgs(nil), &stderr).Run(), &exit) {
		return newFailure(exit.ExitCode(), stderr.Bytes())
	}
	return refused
}

// readAll hands on every entry until the stream ends or either side fails.
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

// outcome is the error of a git blame that has ended: git's own word goes before what its output looked like.
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

// ask runs a git command that prints one thing, in the user's directory.
func (s *session) ask(stdin io.Reader, args ...string) (string, error) {
	cmd := s.repo.CommandUser(s.ctx, s.dir, args...)
	cmd.Stdin = stdin
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimRight(string(out), "\r\n"), nil
}
