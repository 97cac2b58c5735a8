package browser

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// World is a repository with the server of its pages.
type World struct {
	Base  string // http://127.0.0.1:PORT
	Token string
	Dir   string // directory of the repository
	Git   string // path of git-trace

	env  []string
	stop func()
}

// startTime limits the time until a server prints its address.
const startTime = 20 * time.Second

// NewWorld builds the programs below a directory, plays the demo there, and serves the demo's repository.
func NewWorld(ctx context.Context, root, module string) (*World, error) {
	if err := Build(ctx, root, module); err != nil {
		return nil, err
	}
	return playWorld(ctx, root)
}

// Build builds the programs into bin below a directory.
func Build(ctx context.Context, root, module string) error {
	bin := filepath.Join(root, "bin")
	build := exec.CommandContext(ctx, "go", "build", "-o", bin+string(filepath.Separator), "./cmd/git-trace",
		"./cmd/git-trace-hook", "./cmd/git-trace-serve")
	build.Dir = module
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	return nil
}

// TempDir returns a temporary directory that is removed when the test ends. Unlike testing's own, it waits for
// background processes of hooks in it.
func TempDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "browser-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for range 600 {
			if err = os.RemoveAll(dir); err == nil {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
		t.Error(err)
	})
	return dir
}

// playWorld plays the demo below a directory with the programs built there, and serves its repository.
func playWorld(ctx context.Context, root string) (*World, error) {
	w := &World{Git: filepath.Join(root, "bin", "git-trace")}
	home := filepath.Join(root, "home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return nil, err
	}
	w.env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home, "TMPDIR="+home,
		"GIT_CONFIG_NOSYSTEM=1")
	out, err := w.Run(ctx, home, "demo", "--keep")
	at := regexp.MustCompile(`(?m)^the repository is in (.+)$`).FindStringSubmatch(out)
	if err != nil || at == nil {
		return nil, fmt.Errorf("demo: %w\n%s", err, out)
	}
	w.Dir = at[1]
	if out, err := w.Run(ctx, w.Dir, "init", "--agent", "claude-code"); err != nil {
		return nil, fmt.Errorf("init: %w\n%s", err, out)
	}
	return w, w.serve(ctx)
}

// Run runs git-trace in a directory and returns its output.
func (w *World) Run(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, w.Git, args...)
	cmd.Dir, cmd.Env = dir, w.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// serve starts git trace serve and reads its address.
func (w *World) serve(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, w.Git, "serve")
	cmd.Dir, cmd.Env = w.Dir, w.env
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	said, err := cmd.StdoutPipe()
	if err != nil {
		cancel()
		return err
	}
	if err := cmd.Start(); err != nil {
		cancel()
		return err
	}
	w.stop = func() {
		cancel()
		_ = cmd.Wait()
	}
	line := make(chan string, 1)
	go func() {
		text, _ := bufio.NewReader(said).ReadString('\n')
		line <- strings.TrimSpace(text)
	}()
	select {
	case text := <-line:
		base, token, found := strings.Cut(text, "/?k=")
		if !found {
			w.stop()
			return fmt.Errorf("git trace serve says %q", text)
		}
		w.Base, w.Token = base, token
		return nil
	case <-time.After(startTime):
		w.stop()
		return errors.New("git trace serve says no address")
	}
}

// Close ends the server.
func (w *World) Close() {
	if w.stop != nil {
		w.stop()
	}
}

// asking lists the features of Chromium that send requests of their own about a page.
var asking = []string{"Translate", "AutofillServerCommunication", "OptimizationHints"}

// Open starts Chromium without a window. Contexts derived from the result are tabs.
func Open(ctx context.Context) (context.Context, context.CancelFunc) {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-features", strings.Join(asking, ",")),
		chromedp.Flag("hide-scrollbars", true))
	ctx, end := chromedp.NewExecAllocator(ctx, options...)
	ctx, close := chromedp.NewContext(ctx)
	return ctx, func() { close(); end() }
}

// Enter gives the browser the token by opening the printed address.
func (w *World) Enter(ctx context.Context) error {
	return chromedp.Do(ctx, chromedp.Navigate(w.Base+"/?k="+w.Token), chromedp.WaitReady("#main"))
}
