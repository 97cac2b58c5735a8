// Package lsp serves editors by the Language Server Protocol 3.17: it answers who wrote a line, and why.
//
// It computes nothing itself: each answer is the output of a git-trace command for the editor's buffer. Nothing runs
// between requests. The protocol is specified at
// https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/.
package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/git-trace/git-trace/internal/fault"
)

// Host provides the version of the server, and access to git-trace and to the browser.
type Host struct {
	Version string
	// Ask runs git-trace in a directory with stdin as standard input, and returns its output.
	Ask func(ctx context.Context, dir string, stdin []byte, args ...string) ([]byte, error)
	// Open shows the page of a place in the browser. The server of the page ends with the editor.
	Open func(ctx context.Context, p Place) error
}

// Place is a line of a file and its origin.
type Place struct {
	Path   string // absolute path
	Line   int    // counted from 1
	Trace  string // empty if no conversation wrote the line
	Prompt *int   // nil if unknown
	Call   string // empty if unknown
}

// server serves one editor.
type server struct {
	Host
	ctx  context.Context // ends with the connection, and then ends all searches
	conn *conn
	turn chan struct{} // held by the running search

	mu        sync.Mutex
	documents map[string]*document
	running   map[string]context.CancelCauseFunc // requests by id
	state     state
	client    initializeParams
	options   options
	wide      bool   // characters are UTF-8 bytes
	pages     string // directory of the written pages; made for the first one

	requests sync.WaitGroup
}

type state int

const (
	begun state = iota
	ready
	ending
)

// ErrNoShutdown means that the editor ended the server without the protocol's shutdown request.
var ErrNoShutdown = errors.New("the editor ended without a shutdown")

// Serve serves an editor until its exit notification, or until the stream ends.
func Serve(ctx context.Context, in io.Reader, out io.Writer, host Host) error {
	ctx, cancel := context.WithCancel(ctx)
	s := &server{
		Host: host, ctx: ctx, conn: &conn{in: bufio.NewReader(in), out: out}, turn: make(chan struct{}, 1),
		documents: map[string]*document{}, running: map[string]context.CancelCauseFunc{},
	}
	defer s.end(cancel)
	read := make(chan error, 1)
	fault.Go(func() { read <- s.read() })
	select {
	case err := <-read:
		return err
	case <-ctx.Done():
		return nil
	}
}

// end stops all searches, and removes the written pages.
func (s *server) end(cancel context.CancelFunc) {
	cancel()
	s.requests.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pages != "" {
		_ = os.RemoveAll(s.pages)
	}
}

// read handles messages in order, so that an edit counts before the next request is answered.
func (s *server) read() error {
	for {
		m, err := s.conn.read()
		var bad *rpcError
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &bad):
			s.conn.answer(json.RawMessage("null"), nil, bad)
			continue
		case err != nil:
			return err
		}
		switch {
		case m.Method == "": // the answer to a request of ours
		case m.ID == nil:
			if m.Method == "exit" {
				if s.state == ending {
					return nil
				}
				return ErrNoShutdown
			}
			s.notified(m)
		default:
			s.requested(m)
		}
	}
}

// `notified` handles a notification. It ignores unknown ones, as the protocol demands.
func (s *server) notified(m *message) {
	switch m.Method {
	case "textDocument/didOpen":
		if p, err := paramsOf[openParams](m); err == nil {
			s.opened(p.TextDocument.URI, p.TextDocument.Text)
		}
	case "textDocument/didChange":
		if p, err := paramsOf[changeParams](m); err == nil {
			d := s.document(p.TextDocument.URI)
			for _, change := range p.ContentChanges {
				if d != nil && len(change.Range) == 0 {
					d.put(change.Text, true)
				}
			}
		}
	case "textDocument/didSave":
		if p, err := paramsOf[saveParams](m); err == nil {
			if d := s.document(p.TextDocument.URI); d != nil {
				if p.Text != nil {
					d.put(*p.Text, true)
				}
				d.saved()
				s.refresh()
			}
		}
	case "textDocument/didClose":
		if p, err := paramsOf[documentParams](m); err == nil {
			s.close(p.TextDocument.URI)
		}
	case "$/cancelRequest":
		if p, err := paramsOf[cancelParams](m); err == nil {
			s.mu.Lock()
			if cancel := s.running[string(p.ID)]; cancel != nil {
				cancel(context.Canceled)
			}
			s.mu.Unlock()
		}
	}
}

// handler answers a request.
type handler func(s *server, ctx context.Context, m *message) (any, error)

// handlers lists the requests that are accepted after initialize.
var handlers = map[string]handler{
	"textDocument/hover":       on(nil, (*server).hover),
	"textDocument/inlayHint":   on([]inlayHint{}, (*server).inlayHints),
	"textDocument/codeLens":    on([]codeLens{}, (*server).codeLenses),
	"textDocument/codeAction":  on([]codeAction{}, (*server).codeActions),
	"workspace/executeCommand": (*server).execute,
	"gitTrace/runs":            on(nil, (*server).allRuns),
}

// `requested` answers a request in its own goroutine. Requests that change the server are answered at once.
func (s *server) requested(m *message) {
	answer := handlers[m.Method]
	switch {
	case m.Method == "initialize":
		result, err := s.initialize(m)
		s.conn.answer(m.ID, result, err)
		return
	case s.state == begun:
		s.conn.answer(m.ID, nil, &rpcError{codeNotInitialized, "initialize comes first"})
		return
	case s.state == ending:
		s.conn.answer(m.ID, nil, &rpcError{codeInvalidRequest, "the server was told to end"})
		return
	case m.Method == "shutdown":
		s.state = ending
		s.conn.answer(m.ID, nil, nil)
		return
	case answer == nil:
		s.conn.answer(m.ID, nil, &rpcError{codeNoMethod, fmt.Sprintf("no method %.100q", m.Method)})
		return
	}
	ctx, cancel := context.WithCancelCause(s.ctx)
	s.mu.Lock()
	s.running[string(m.ID)] = cancel
	s.mu.Unlock()
	s.requests.Go(fault.In(func() {
		result, err := answer(s, ctx, m)
		s.mu.Lock()
		delete(s.running, string(m.ID))
		s.mu.Unlock()
		cancel(nil)
		s.conn.answer(m.ID, result, err)
	}))
}

// initialize negotiates the capabilities with the editor.
func (s *server) initialize(m *message) (any, error) {
	if s.state != begun {
		return nil, &rpcError{codeInvalidRequest, "initialize comes once"}
	}
	p, err := paramsOf[initializeParams](m)
	if err != nil {
		return nil, err
	}
	s.client, s.state = p, ready
	_ = json.Unmarshal(p.Options, &s.options) // options may be missing, or of any form
	encoding := "utf-16"
	if s.wide = slices.Contains(p.Capabilities.General.PositionEncodings, "utf-8"); s.wide {
		encoding = "utf-8"
	}
	const full = 1
	sync := map[string]any{"openClose": true, "change": full, "save": map[string]any{"includeText": false}}
	offers := map[string]any{
		"positionEncoding":       encoding,
		"textDocumentSync":       sync,
		"hoverProvider":          true,
		"inlayHintProvider":      true,
		"codeActionProvider":     true,
		"executeCommandProvider": map[string]any{"commands": commandNames()},
		"experimental":           map[string]any{"gitTraceRuns": true},
	}
	if s.options.CodeLens {
		offers["codeLensProvider"] = map[string]any{}
	}
	return map[string]any{
		"capabilities": offers,
		"serverInfo":   map[string]any{"name": "git-trace", "version": s.Version},
	}, nil
}

// paramsOf reads the parameters of a message.
func paramsOf[T any](m *message) (T, error) {
	var p T
	if err := json.Unmarshal(m.Params, &p); err != nil {
		return p, &rpcError{codeInvalidParams, "the parameters of " + m.Method + " can't be read"}
	}
	return p, nil
}

func (s *server) opened(uri, text string) {
	d := &document{path: pathOf(uri)}
	d.put(text, false)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.documents[uri] = d
}

func (s *server) close(uri string) {
	s.mu.Lock()
	d := s.documents[uri]
	delete(s.documents, uri)
	s.mu.Unlock()
	if d != nil {
		d.mu.Lock()
		d.forget()
		d.mu.Unlock()
	}
}

// document returns the open document with a URI; nil if it is not open, or not a file.
func (s *server) document(uri string) *document {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.documents[uri]; d != nil && d.path != "" {
		return d
	}
	return nil
}

// refresh makes the editor repeat its requests, if it can.
func (s *server) refresh() {
	can := s.client.Capabilities.Workspace
	if can.InlayHint.Support {
		s.conn.request("workspace/inlayHint/refresh", nil)
	}
	if can.CodeLens.Support && s.options.CodeLens {
		s.conn.request("workspace/codeLens/refresh", nil)
	}
}
