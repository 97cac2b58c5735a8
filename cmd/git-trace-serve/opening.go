package main

import (
	"context"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/serve/lsp"
	"github.com/git-trace/git-trace/serve/web"
	"github.com/git-trace/git-trace/view"
)

// anyPort is the address of the pages for an editor, with any free port.
const anyPort = "127.0.0.1:0"

// opener shows pages for an editor. It uses the pages of a running git trace serve. Without one it serves the pages
// itself until the editor ends; a git trace serve that starts later does not use them.
type opener struct {
	ctx     context.Context // its end ends all servers
	cancel  context.CancelFunc
	answers *answers
	servers sync.WaitGroup

	mu     sync.Mutex
	served map[string]*ownServer // by git directory
}

// ownServer serves the pages of one work tree.
type ownServer struct {
	running running
	opened  web.Opened
	ended   chan struct{}
}

func newOpener(ctx context.Context, a *answers) *opener {
	o := &opener{answers: a, served: map[string]*ownServer{}}
	o.ctx, o.cancel = context.WithCancel(ctx)
	return o
}

// `end` ends the servers, and removes their files.
func (o *opener) end() {
	o.cancel()
	o.servers.Wait()
	for _, s := range o.served {
		s.running.forget()
	}
}

// `open` shows the page of a place.
func (o *opener) open(ctx context.Context, p lsp.Place) error {
	repo, err := refs.Discover(filepath.Dir(p.Path))
	if err != nil {
		return err
	}
	page, err := pageOf(ctx, repo, p)
	if err != nil {
		return err
	}
	other := running{dir: repo.WorktreeTracesDir()}
	if opened, is := other.found(anyPort); is {
		return other.show(ctx, opened.URL(page))
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	own, err := o.serving(repo)
	if err != nil {
		return err
	}
	return own.running.show(ctx, own.opened.URL(page))
}

// serving returns our server of a work tree, and starts one if none runs. The caller holds the lock.
func (o *opener) serving(repo *refs.Repo) (*ownServer, error) {
	if own := o.served[repo.GitDir]; own != nil {
		select {
		case <-own.ended: // its repository was deleted
			own.running.forget()
		default:
			return own, nil
		}
	}
	own, ready := &ownServer{ended: make(chan struct{})}, make(chan web.Opened, 1)
	var failed error
	o.servers.Go(fault.In(func() {
		defer close(own.ended)
		if failed = quiet(o.ctx, repo); failed != nil {
			return
		}
		site := web.New(repo, o.answers.asked(repo.Top(), view.ByPage))
		failed = site.Serve(o.ctx, web.Options{Address: anyPort}, func(opened web.Opened) { ready <- opened })
	}))
	select {
	case own.opened = <-ready:
		o.served[repo.GitDir] = own
		return own, nil
	case <-own.ended:
		return nil, failed
	}
}

// pageOf returns the address of the step that wrote a line, or of the line's page if no conversation wrote it.
func pageOf(ctx context.Context, repo *refs.Repo, p lsp.Place) (string, error) {
	switch {
	case p.Trace != "" && p.Call != "":
		return "/t/" + url.PathEscape(p.Trace) + "/" + url.PathEscape(p.Call), nil
	case p.Trace != "" && p.Prompt != nil:
		return "/t/" + url.PathEscape(p.Trace) + "/p/" + strconv.Itoa(*p.Prompt), nil
	case p.Trace != "":
		return "/t/" + url.PathEscape(p.Trace), nil
	}
	// git knows the path from the top to a directory, also through links
	prefix, err := repo.CommandIn(ctx, filepath.Dir(p.Path), "rev-parse", "--show-prefix").Output()
	if err != nil {
		return "", err
	}
	path := strings.TrimSuffix(string(prefix), "\n") + filepath.Base(p.Path)
	file := url.URL{Path: "/blame/worktree/" + path, RawQuery: "line=" + strconv.Itoa(p.Line)}
	return file.String(), nil
}
