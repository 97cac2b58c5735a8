package main

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/internal/version"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/serve/web"
	"github.com/git-trace/git-trace/trails/process"
)

// Files in the directory of the work tree's log, which only the person can read.
const (
	runningFile = "serve.json"
	openFile    = "serve.html"
)

// running gives access to the files in which the server of a work tree is noted for the next start.
type running struct {
	dir  string
	made string // a temporary directory, removed at the end
}

// noted is the note of a server about itself, as JSON.
type noted struct {
	web.Opened
	Version string     `json:"version"`
	Process process.ID `json:"process"`
}

// `found` returns the running server at an address; port 0 means any port.
func (r *running) found(address string) (web.Opened, bool) {
	raw, err := os.ReadFile(filepath.Join(r.dir, runningFile))
	if err != nil {
		return web.Opened{}, false
	}
	var n noted
	if json.Unmarshal(raw, &n) != nil || n.Version != version.Number || n.Process.State() != process.Alive {
		return web.Opened{}, false
	}
	host, port, err := net.SplitHostPort(address)
	at, own, failed := net.SplitHostPort(strings.TrimPrefix(n.Base, "http://"))
	return n.Opened, err == nil && failed == nil && host == at && (port == "0" || port == own)
}

// note writes a note about this server, if the repository is recorded. Without a note, a second start would serve the
// pages, too.
func (r *running) note(opened web.Opened) {
	if _, err := os.Stat(r.dir); err == nil {
		own := noted{opened, version.Number, process.Of(os.Getpid())}
		_ = refs.WriteJSON(filepath.Join(r.dir, runningFile), own, refs.WriteFileAtomic)
	}
}

// forget removes this server's files.
func (r *running) forget() {
	if r.made != "" {
		_ = os.RemoveAll(r.made)
	}
	name := filepath.Join(r.dir, runningFile)
	var n noted
	if raw, err := os.ReadFile(name); err == nil && json.Unmarshal(raw, &n) == nil && n.Process.PID == os.Getpid() {
		_ = os.Remove(name)
		_ = os.Remove(filepath.Join(r.dir, openFile))
	}
}
