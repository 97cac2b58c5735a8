package snapshot

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"

	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/refs"
)

// ignorer asks a running `git check-ignore` which paths are ignored. The first question starts the process.
type ignorer struct {
	repo *refs.Repo
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
}

var errCheckIgnore = errors.New("unexpected answer")

// verdict is the decision of the ignore rules about a path.
type verdict uint8

const (
	included verdict = iota
	ignored
	unknown // git has no answer: the path is behind a symbolic link, or its kind changed after it was listed
)

// maxRestarts limits the number of paths of one question at which git may fail.
const maxRestarts = 16

// ask decides about paths by the ignore rules alone, whether they are tracked or not. A rule for directories applies
// only to directories that exist.
func (g *ignorer) ask(ctx context.Context, paths []string) ([]verdict, error) {
	verdicts := make([]verdict, len(paths))
	for at, restarts := 0, 0; at < len(paths); restarts++ {
		n, err := g.askSome(ctx, paths[at:], verdicts[at:])
		at += n
		if err == nil {
			continue
		}
		g.close()
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		if ctx.Err() != nil || !errors.Is(err, io.EOF) || restarts == maxRestarts {
			return nil, fmt.Errorf("git check-ignore: %w", err)
		}
		verdicts[at] = unknown
		at++
	}
	return verdicts, nil
}

// askSome fills in verdicts until git fails, and returns their number.
func (g *ignorer) askSome(ctx context.Context, paths []string, verdicts []verdict) (int, error) {
	if g.cmd == nil {
		if err := g.start(ctx); err != nil {
			return 0, err
		}
	}
	sent := make(chan error, 1)
	in := g.in
	fault.Go(func() {
		w := bufio.NewWriterSize(in, 64<<10)
		for _, path := range paths {
			_, _ = w.WriteString("./" + path + "\x00") // without "./" a leading colon would be pathspec magic
		}
		sent <- w.Flush()
	})
	for i := range paths {
		var err error
		if verdicts[i], err = g.answer(); err != nil {
			_ = g.in.Close() // also ends the goroutine that sends
			return i, errors.Join(err, <-sent)
		}
	}
	return len(paths), <-sent
}

func (g *ignorer) start(ctx context.Context) error {
	cmd := g.repo.Command(ctx, "check-ignore", "--no-index", "-z", "--stdin", "-v", "-n")
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	g.cmd, g.in, g.out = cmd, in, bufio.NewReaderSize(out, 64<<10)
	return nil
}

// answer reads SOURCE NUL LINE NUL PATTERN NUL PATH NUL. Without a pattern no rule matched. A pattern with "!" means
// that the path is not ignored.
func (g *ignorer) answer() (verdict, error) {
	var pattern string
	for field := range 4 {
		text, err := g.out.ReadString(0)
		if err != nil {
			return unknown, err
		}
		if field == 2 {
			pattern = text
		}
	}
	switch {
	case pattern == "":
		return unknown, errCheckIgnore
	case pattern[0] == 0 || pattern[0] == '!':
		return included, nil
	}
	return ignored, nil
}

// `close` ends the process. It ignores the exit status, which says only whether a path was ignored.
func (g *ignorer) close() {
	if g.cmd == nil {
		return
	}
	_ = g.in.Close()
	_, _ = io.Copy(io.Discard, g.out)
	_ = g.cmd.Wait()
	g.cmd = nil
}
