package snapshot

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"

	"github.com/git-trace/git-trace/refs"
)

// ignorer asks one running `git check-ignore` which paths are ignored. It is started when first asked.
type ignorer struct {
	repo *refs.Repo
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
}

var errCheckIgnore = errors.New("git check-ignore: unexpected answer")

// ask judges paths by the ignore rules alone: it does not know what is tracked. A directory must be there for a rule
// that is only for directories to apply.
func (g *ignorer) ask(ctx context.Context, paths []string) ([]bool, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	if g.cmd == nil {
		if err := g.start(ctx); err != nil {
			return nil, fmt.Errorf("git check-ignore: %w", err)
		}
	}
	sent := make(chan error, 1)
	go func() {
		w := bufio.NewWriterSize(g.in, 64<<10)
		for _, path := range paths {
			_, _ = w.WriteString("./" + path + "\x00") // a leading colon would be pathspec magic
		}
		sent <- w.Flush()
	}()
	ignored := make([]bool, len(paths))
	var err error
	for i := range paths {
		if ignored[i], err = g.answer(); err != nil {
			break
		}
	}
	if err != nil {
		g.close()
		<-sent
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, fmt.Errorf("git check-ignore: %w", err)
	}
	return ignored, <-sent
}

func (g *ignorer) start(ctx context.Context) error {
	cmd := g.repo.Command(ctx, "-c", "core.fsmonitor=false", "check-ignore", "--no-index", "-z", "--stdin", "-v", "-n")
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

// answer reads SOURCE NUL LINE NUL PATTERN NUL PATH NUL; without a pattern no rule matched, and "!" begins one that
// takes a path back in.
func (g *ignorer) answer() (bool, error) {
	var pattern string
	for field := range 4 {
		text, err := g.out.ReadString(0)
		if err != nil {
			return false, err
		}
		if field == 2 {
			pattern = text
		}
	}
	if pattern == "" {
		return false, errCheckIgnore
	}
	return pattern[0] != 0 && pattern[0] != '!', nil
}

// close ends the process. Its status says only whether something was ignored.
func (g *ignorer) close() {
	if g.cmd == nil {
		return
	}
	_ = g.in.Close()
	_, _ = io.Copy(io.Discard, g.out)
	_ = g.cmd.Wait()
	g.cmd = nil
}
