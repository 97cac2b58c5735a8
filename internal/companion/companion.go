package companion

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/version"
)

// Command returns the call of git-trace-serve, which is beside this program or in PATH. That program has the code
// that would slow down every hook. The arguments begin with a verb, and the name and version of this program, because
// both programs must have one version.
func Command(ctx context.Context, verb string, args ...string) (*exec.Cmd, error) {
	own, err := os.Executable()
	if err != nil {
		return nil, exit.Fail(exit.Unchecked, err, "")
	}
	server := filepath.Join(filepath.Dir(own), "git-trace-serve"+filepath.Ext(own))
	if _, err := os.Stat(server); err != nil {
		if server, err = exec.LookPath("git-trace-serve"); err != nil {
			return nil, exit.Fail(exit.Unchecked, errors.New("git-trace-serve is not installed"),
				"go install ./cmd/git-trace-serve puts it beside git-trace")
		}
	}
	return exec.CommandContext(ctx, server, append([]string{verb, own, version.Number}, args...)...), nil
}

// Grace is the time that the companion gets to end after an interrupt.
const Grace = 2 * time.Second

// Env returns the environment for agents. The companion decompresses zstd for them.
func Env() (agents.Env, error) {
	env, err := agents.SystemEnv()
	env.Unzstd = Unzstd
	return env, err
}

// unpacking reads the companion's output, a decompressed stream. A failure shows only at the end.
type unpacking struct {
	io.Reader
	cmd  *exec.Cmd
	says bytes.Buffer
	done bool
}

// Unzstd decompresses a zstd stream.
func Unzstd(in io.Reader) (io.ReadCloser, error) {
	cmd, err := Command(context.Background(), "unzstd")
	if err != nil {
		return nil, err
	}
	u := &unpacking{cmd: cmd}
	u.cmd.Stdin, u.cmd.Stderr = in, &u.says
	if u.Reader, err = u.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := u.cmd.Start(); err != nil {
		return nil, err
	}
	return u, nil
}

func (u *unpacking) Read(p []byte) (int, error) {
	n, err := u.Reader.Read(p)
	if !errors.Is(err, io.EOF) || u.done {
		return n, err
	}
	u.done = true
	if failed := u.cmd.Wait(); failed != nil {
		says := strings.TrimPrefix(strings.TrimSpace(u.says.String()), "git-trace: error: ")
		return n, fmt.Errorf("read zstd: %s", says)
	}
	return n, err
}

func (u *unpacking) Close() error {
	if !u.done {
		u.done = true
		_ = u.cmd.Process.Kill()
		_ = u.cmd.Wait()
	}
	return nil
}
