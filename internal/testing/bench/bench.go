package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// bench is one run of the program, with its directories and options.
type bench struct {
	options
	ctx           context.Context // a bench lives for one call
	root          string          // directory of all generated files
	binary, hooks string          // paths of the release binaries
	work          string          // directory of the build
	remove        bool            // remove root at the end
}

// newBench builds the release binary and sets up a home with a configuration of its own, for this process and its
// children.
func newBench(ctx context.Context, o options) (*bench, error) {
	b := &bench{options: o, ctx: ctx, root: o.dir}
	if b.rounds < 3 {
		return nil, errors.New("a median needs at least 3 rounds")
	}
	var err error
	if b.root == "" {
		b.remove = true
		b.root, err = os.MkdirTemp("", "git-trace-bench-")
	} else if b.root, err = filepath.Abs(b.root); err == nil {
		err = os.MkdirAll(b.root, 0o777)
	}
	if err == nil {
		b.root, err = filepath.EvalSymlinks(b.root)
	}
	if err != nil {
		return nil, err
	}
	if err := b.build(); err != nil {
		b.close()
		return nil, err
	}
	return b, b.home()
}

func (b *bench) close() {
	if b.work != "" {
		_ = os.RemoveAll(b.work)
	}
	if b.remove {
		_ = os.RemoveAll(b.root)
	}
}

// build builds the programs as a release does. Go's temporary files stay until the end: after a removal, ext4 makes the
// next new files more slowly for some minutes, and the measurements would contain that.
func (b *bench) build() error {
	exe := ""
	if runtime.GOOS == "windows" {
		exe = ".exe"
	}
	b.binary, b.hooks = filepath.Join(b.root, "bin", "git-trace"+exe), filepath.Join(b.root, "bin", "git-trace-hook"+exe)
	b.work = filepath.Join(b.root, "build")
	if err := os.MkdirAll(b.work, 0o777); err != nil {
		return err
	}
	const module = "github.com/git-trace/git-trace/cmd/"
	cmd := exec.CommandContext(b.ctx, "go", "build", "-work", "-trimpath", "-ldflags",
		"-s -w", "-o", filepath.Dir(b.binary)+string(filepath.Separator),
		module+"git-trace", module+"git-trace-hook", module+"git-trace-serve")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOTMPDIR="+b.work)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build git-trace: %w\n%s", err, out)
	}
	return nil
}

// home keeps the user's configuration out of the measurements, and the measurements out of the user's home.
func (b *bench) home() error {
	home := filepath.Join(b.root, "home")
	if err := os.MkdirAll(home, 0o777); err != nil {
		return err
	}
	config := filepath.Join(home, ".gitconfig")
	text := "[user]\n\tname = A U Thor\n\temail = author@example.com\n[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n"
	if err := os.WriteFile(config, []byte(text), 0o666); err != nil {
		return err
	}
	for _, entry := range os.Environ() {
		if name, _, _ := strings.Cut(entry, "="); strings.HasPrefix(name, "GIT_") || name == "XDG_STATE_HOME" {
			_ = os.Unsetenv(name)
		}
	}
	path := filepath.Dir(b.binary) + string(filepath.ListSeparator) + os.Getenv("PATH")
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, ".config"), "GIT_CONFIG_NOSYSTEM": "1", "PATH": path,
	} {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	return nil
}

// place makes a directory with the function `fill`. If an earlier run with --dir made it, it is used again.
func (b *bench) place(name string, fill func(dir string) error) (string, error) {
	dir := filepath.Join(b.root, name)
	done := dir + ".done"
	if _, err := os.Stat(done); err == nil {
		return dir, nil
	}
	b.say("making " + name)
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o777)); err != nil {
		return "", err
	}
	if err := fill(dir); err != nil {
		return "", fmt.Errorf("make %s: %w", name, err)
	}
	return dir, os.WriteFile(done, nil, 0o666)
}

// `say` prints the step that is running to standard error.
func (b *bench) say(text string) {
	fmt.Fprintf(os.Stderr, "bench: %s\n", text)
}

// command prepares a process. Its output is dropped. check reports its standard error.
func (b *bench) command(dir, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(b.ctx, name, args...)
	cmd.Dir = dir
	cmd.Stderr = &bytes.Buffer{}
	return cmd
}

func (b *bench) git(dir string, args ...string) *exec.Cmd { return b.command(dir, "git", args...) }

func (b *bench) trace(dir string, args ...string) *exec.Cmd { return b.command(dir, b.binary, args...) }

// `check` runs a process, and fails if the process fails.
func (b *bench) check(cmd *exec.Cmd) error {
	err := cmd.Run()
	if err == nil {
		return nil
	}
	text := ""
	if stderr, ok := cmd.Stderr.(*bytes.Buffer); ok {
		text = strings.TrimSpace(stderr.String())
	}
	return fmt.Errorf("%s %s: %w %s", filepath.Base(cmd.Path), strings.Join(cmd.Args[1:min(len(cmd.Args), 3)], " "), err,
		text)
}

// output returns the output of a process.
func (b *bench) output(cmd *exec.Cmd) (string, error) {
	var out bytes.Buffer
	cmd.Stdout = &out
	err := b.check(cmd)
	return out.String(), err
}

// `settle` waits until all files are older than a tick of the file system's clock. A program that compares time stamps
// must read younger files twice.
func settle() { time.Sleep(2500 * time.Millisecond) }

// touch adds a line to a file.
func touch(path string, n int) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "// change %d\n", n)
	return errors.Join(err, f.Close())
}

// copyTree copies a directory.
func copyTree(to, from string) error {
	if err := os.RemoveAll(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.CopyFS(to, os.DirFS(from))
}
