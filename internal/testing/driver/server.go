package driver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Config configures a [Server].
type Config struct {
	Script Script
	Vars   map[string]string // values of ${NAME} in the script
	Dir    string            // directory in which Turn.Sh runs
	Env    []string          // environment of Turn.Sh
	Seed   string            // part of every tool id; runs that share a session must have different seeds
	Log    string            // directory for one JSON file a request; empty: none
}

// Request is a request that the server received, without its credentials.
type Request struct {
	N      int             `json:"n"` // number from 1, in order of arrival
	Time   time.Time       `json:"time"`
	Method string          `json:"method"`
	Path   string          `json:"path"`
	Header http.Header     `json:"header"`
	Script string          `json:"script,omitempty"` // the conversation that it belongs to
	Turn   int             `json:"turn"`             // number of the model's turns in it so far
	Body   json.RawMessage `json:"body,omitempty"`
}

// Server is a scripted model server on 127.0.0.1. It is also the proxy for all other addresses, which refuses and
// records their requests.
type Server struct {
	stage    *stage
	dialects []dialect
	log      string
	http     *http.Server
	url      string
	done     chan struct{}

	mu       sync.Mutex
	requests []Request
	outbound []string
}

// dialect is a protocol between a client and its model.
type dialect interface {
	// accepts reports whether a POST to this path belongs to the protocol.
	accepts(path string) bool
	// locate returns the place of a request in the script.
	locate(body []byte, header http.Header) (position, error)
	// answer writes a scene.
	answer(w http.ResponseWriter, r *http.Request, body []byte, sc scene) error
}

// dialects lists the dialects in the order in which they are tried.
func dialects() []dialect { return []dialect{anthropic{}, responses{}, chat{}, gemini{}} }

// Serve starts a server. The caller must close it.
func Serve(cfg Config) (*Server, error) {
	script, err := cfg.Script.expand(cfg.Vars)
	if err != nil {
		return nil, err
	}
	if cfg.Log != "" {
		if err := os.MkdirAll(cfg.Log, 0o755); err != nil {
			return nil, fmt.Errorf("serve script: %w", err)
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("serve script: %w", err)
	}
	s := &Server{
		stage:    newStage(script, cfg.Seed, cfg.Dir, cfg.Env),
		dialects: dialects(),
		log:      cfg.Log,
		url:      "http://" + listener.Addr().String(),
		done:     make(chan struct{}),
	}
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		defer close(s.done)
		if err := s.http.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.stage.problem("serve: %v", err)
		}
	}()
	return s, nil
}

// URL returns the base address of the server: http://127.0.0.1:PORT.
func (s *Server) URL() string { return s.url }

// Close closes all connections, and stops listening.
func (s *Server) Close() error {
	err := s.http.Close()
	<-s.done
	return err
}

// Requests returns the requests so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Outbound lists the hosts other than 127.0.0.1 that clients tried to reach.
func (s *Server) Outbound() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.outbound...)
}

// Problems lists deviations from the script: an unknown script, a failed Turn.Sh, a file that never appeared.
func (s *Server) Problems() []string {
	s.stage.mu.Lock()
	defer s.stage.mu.Unlock()
	return append([]string(nil), s.stage.problems...)
}

// Unplayed lists the turns that were not requested in conversations that began, as "NAME#TURN".
func (s *Server) Unplayed() []string { return s.stage.unplayed() }

// ServeHTTP answers one request of a client.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodConnect || r.URL.IsAbs() {
		s.refuse(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.stage.problem("read request: %v", err)
		return
	}
	if r.Method == http.MethodPost {
		for _, d := range s.dialects {
			if d.accepts(r.URL.Path) {
				s.converse(w, r, d, body)
				return
			}
		}
	}
	s.record(r, body, position{})
	aside(w, r)
}

func (s *Server) converse(w http.ResponseWriter, r *http.Request, d dialect, body []byte) {
	pos, err := d.locate(body, r.Header)
	s.record(r, body, pos)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	sc, err := s.stage.play(r.Context(), pos)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	if sc.Error != nil && len(sc.Error.Body) > 0 {
		writeJSON(w, sc.Error.Status, sc.Error.Body)
		return
	}
	if err := d.answer(w, r, body, sc); err != nil && r.Context().Err() == nil {
		s.stage.problem("%s %s: %v", r.Method, r.URL.Path, err)
	}
}

func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, context.Canceled) {
		return // the client has ended
	}
	s.stage.problem("%s %s: %v", r.Method, r.URL.Path, err)
	writeJSON(w, http.StatusInternalServerError, map[string]any{"error": map[string]any{"message": err.Error()}})
}

func (s *Server) refuse(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.outbound = append(s.outbound, r.Host)
	s.mu.Unlock()
	http.Error(w, "offline", http.StatusForbidden)
}

// `record` stores a request without headers that identify an account.
func (s *Server) record(r *http.Request, body []byte, pos position) {
	header := r.Header.Clone()
	for name := range header {
		low := strings.ToLower(name)
		if low == "authorization" || low == "cookie" || strings.Contains(low, "key") || strings.Contains(low, "token") {
			header[name] = []string{"removed"}
		}
	}
	req := Request{
		Time: time.Now().UTC(), Method: r.Method, Path: r.URL.Path, Header: header,
		Script: pos.Script, Turn: pos.Turn,
	}
	if json.Valid(body) {
		req.Body = body
	}
	s.mu.Lock()
	req.N = len(s.requests) + 1
	s.requests = append(s.requests, req)
	s.mu.Unlock()
	if s.log == "" {
		return
	}
	data, err := json.MarshalIndent(req, "", " ")
	if err == nil {
		err = os.WriteFile(filepath.Join(s.log, fmt.Sprintf("%04d.json", req.N)), data, 0o644)
	}
	if err != nil {
		s.stage.problem("log request: %v", err)
	}
}

// `aside` answers requests outside the conversation: token counts, the list of models, checks that the server runs.
func aside(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	switch {
	case strings.HasSuffix(path, "/count_tokens"):
		writeJSON(w, http.StatusOK, map[string]any{"input_tokens": 100})
	case strings.HasSuffix(path, ":countTokens"):
		writeJSON(w, http.StatusOK, map[string]any{"totalTokens": 100})
	case strings.HasSuffix(path, "/models"):
		writeJSON(w, http.StatusOK, map[string]any{
			"object": "list", "models": []any{},
			"data": []any{map[string]any{"id": "scripted", "object": "model", "created": 0, "owned_by": "driver"}},
		})
	case path == "/" || path == "/v1":
		writeJSON(w, http.StatusOK, map[string]any{})
	default:
		writeJSON(w, http.StatusNotFound, map[string]any{
			"type":  "error",
			"error": map[string]any{"type": "not_found_error", "message": "not in the script: " + path},
		})
	}
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	data, err := json.Marshal(value)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(data) // the client may have ended
}
