package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/web"
)

// idleTime is how long the pages are served while nobody asks.
const idleTime = 12 * time.Hour

// servePages serves the pages of the repository until the person interrupts, or nobody asks for long.
func servePages(ctx context.Context, a *answers, args []string) error {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	port := flags.Int("port", 0, "")
	open := flags.Bool("open", false, "")
	page := flags.String("page", "/", "")
	if err := flags.Parse(args); err != nil {
		return err
	}
	repo, err := refs.Discover(".")
	if err != nil {
		return err
	}
	site := web.New(repo, func(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
		out, err := a.run(ctx, question{args: args, dir: repo.Top(), stdin: stdin, most: mostAnswer})
		if err == nil && out.dropped {
			err = errors.New("the answer is too long")
		}
		return out.Bytes(), err
	})
	o := web.Options{Address: net.JoinHostPort("127.0.0.1", strconv.Itoa(*port)), Idle: idleTime, Path: *page}
	return site.Serve(ctx, o, func(url string) {
		fmt.Println(url)
		if !*open {
			return
		}
		if err := show(ctx, url); err != nil {
			fmt.Fprintf(os.Stderr, "git-trace: warning: the browser cannot be opened: %v\n", err)
		}
	})
}

// show opens an address in the browser. It is in a file that only the person can read, since everybody sees the
// arguments of a program.
func show(ctx context.Context, url string) error {
	dir, err := os.MkdirTemp("", "git-trace-serve-")
	if err != nil {
		return err
	}
	context.AfterFunc(ctx, func() { _ = os.RemoveAll(dir) })
	name := filepath.Join(dir, "open.html")
	text := `<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=` + url + `">`
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		return err
	}
	opener := []string{"xdg-open"}
	switch browser := os.Getenv("BROWSER"); {
	case browser != "":
		opener = []string{browser}
	case runtime.GOOS == "darwin":
		opener = []string{"open"}
	case runtime.GOOS == "windows":
		opener = []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	cmd := exec.CommandContext(ctx, opener[0], append(opener[1:], name)...)
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }()
	return nil
}
