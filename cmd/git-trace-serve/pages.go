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
	"strings"

	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
	"github.com/git-trace/git-trace/serve/web"
	"github.com/git-trace/git-trace/view"
)

// servePages serves the pages of the repository until an interrupt, or a long time without a request. If a server runs
// already, it prints its address.
func servePages(ctx context.Context, a *answers, args []string) error {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	port := flags.Int("port", 0, "")
	listen := flags.String("listen", "127.0.0.1", "")
	anyway := flags.Bool("listen-anyway", false, "")
	idle := flags.Duration("idle", 0, "")
	open := flags.Bool("open", false, "")
	page := flags.String("page", "/", "")
	if err := flags.Parse(args); err != nil {
		return err
	}
	repo, err := refs.Discover(".")
	if err != nil {
		return err
	}
	if err := quiet(ctx, repo); err != nil {
		return err
	}
	site := web.New(repo, a.asked(repo.Top(), view.ByPage))
	address := net.JoinHostPort(strings.Trim(*listen, "[]"), strconv.Itoa(*port))
	o := web.Options{Address: address, Idle: *idle, Anyway: *anyway}
	running := running{dir: repo.WorktreeTracesDir()}
	say := func(opened web.Opened) {
		url := opened.URL(*page)
		fmt.Println(url)
		if !*open {
			return
		}
		if err := running.show(ctx, url); err != nil {
			fmt.Fprintf(os.Stderr, "git-trace: warning: the browser cannot be opened: %v\n", err)
		}
	}
	if opened, is := running.found(o.Address); is {
		say(opened)
		return nil
	}
	if *anyway {
		fmt.Fprintln(os.Stderr, "git-trace: warning: other machines reach this address, and nothing is encrypted: "+
			"whoever sees the address of a page sees what was said in conversations")
	}
	defer running.forget()
	return site.Serve(ctx, o, func(opened web.Opened) {
		running.note(opened)
		say(opened)
	})
}

// asked returns the function with which pages and editors run git-trace in a directory. `who` is view.ByPage or
// view.ByEditor.
func (a *answers) asked(dir, who string) web.Ask {
	return func(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
		env := []string{view.OneLine + "=1", view.Unasked + "=" + who}
		q := question{args: args, dir: dir, stdin: stdin, env: env, most: mostAnswer}
		out, err := a.run(ctx, q)
		if err == nil && out.dropped {
			err = errors.New("the answer is too long")
		}
		return out.Bytes(), err
	}
}

// quiet keeps pages of an unlisted repository from starting programs that its configuration names. The commands that
// the pages run do the same.
func quiet(ctx context.Context, repo *refs.Repo) error {
	if recorded.Is(repo) {
		return nil
	}
	return repo.StartNothing(ctx)
}

// drawReport writes a report as a page. If it fails, it writes nothing.
func drawReport(ctx context.Context, a *answers, args []string) error {
	flags := flag.NewFlagSet("report", flag.ContinueOnError)
	prompts := flags.String("prompts", "first", "")
	span := flags.String("range", "", "")
	output := flags.String("output", "", "")
	if err := flags.Parse(args); err != nil {
		return err
	}
	repo, err := refs.Discover(".")
	if err != nil {
		return err
	}
	var named []string
	if *span != "" {
		named = append(named, *span)
	}
	page, err := web.Report(ctx, repo, a.asked(repo.Top(), view.ByPage), *prompts, named...)
	switch {
	case err != nil:
		return err
	case *output != "":
		return os.WriteFile(*output, page, 0o666)
	}
	_, err = os.Stdout.Write(page)
	return err
}

// show opens an address in the browser. It passes the address in a file that only the person can read, because other
// users can see the arguments of a program. The server removes the file when it ends.
func (r *running) show(ctx context.Context, url string) error {
	dir := r.dir
	if _, err := os.Stat(dir); err != nil { // nothing was ever recorded here, or the server is an editor's
		if r.made == "" {
			if r.made, err = os.MkdirTemp("", "git-trace-serve-"); err != nil {
				return err
			}
		}
		dir = r.made
	}
	name := filepath.Join(dir, openFile)
	text := `<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=` + url + `">`
	if err := refs.WriteFileAtomic(name, []byte(text), 0o600); err != nil {
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
	cmd := exec.CommandContext(context.WithoutCancel(ctx), opener[0], append(opener[1:], name)...) // it stays open
	if err := cmd.Start(); err != nil {
		return err
	}
	fault.Go(func() { _ = cmd.Wait() })
	return nil
}
