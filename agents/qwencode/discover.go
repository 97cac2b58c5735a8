package qwencode

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records/assemble"
)

// ProjectSessions lists the sessions of a directory and of the directories below it. The client's folder names do not
// identify a directory exactly, but the records do.
func (s sessions) ProjectSessions(dir string, since time.Time) ([]capability.Session, error) {
	root := filepath.Join(cmp.Or(s.env.Lookup("QWEN_RUNTIME_DIR"), s.env.Dir("QWEN_HOME", ".qwen")), "projects")
	return sessionfile.NewProject(dir).Sessions(root, 2, since, func(path string) capability.Session {
		if filepath.Base(filepath.Dir(path)) != "chats" || s.SessionID(path) == "" {
			return capability.Session{}
		}
		begin := sessionfile.Peek(path, peek)
		return capability.Session{ID: begin.id, Dir: begin.cwd}
	}), nil
}

// SessionID returns the id in the name of the session file.
func (s sessions) SessionID(path string) string { return sessionfile.NamedID(path, ".jsonl") }

// Recognises identifies the client's records by their envelope and the parts of a message, or by the content of a
// system record.
func (s sessions) Recognises(_ string, head []byte) bool {
	return sessionfile.AnyObject(head, 20, func(raw []byte) bool {
		var l line
		l.decode(raw)
		return l.id != "" && l.session != "" && (l.parts != nil || l.kind == "system" && l.payload != nil)
	})
}

// beginning is the data in the first record.
type beginning struct{ id, cwd string }

func peek(file sessionfile.File) beginning {
	var b beginning
	sessionfile.First(file, 20, func(object jsonlines.Object) bool {
		var l line
		l.decode(object.Raw)
		b.id, b.cwd = cmp.Or(b.id, l.session), cmp.Or(b.cwd, l.cwd)
		return b.id == "" || b.cwd == ""
	})
	b.id = payload.CheckedID(b.id)
	return b
}

// subagentFile finds the file of a subagent, next to the folder of the chats.
func subagentFile(of sessionfile.Place, _ *assemble.Call, id string) sessionfile.Place {
	name := fileName(id)
	if !payload.SessionID(name) || !payload.SessionID(of.Session) {
		return sessionfile.Place{}
	}
	chats := filepath.Dir(of.Path)
	path := filepath.Join(filepath.Dir(chats), "subagents", fileName(of.Session), "agent-"+name+".jsonl")
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return sessionfile.Place{}
	}
	kind, _, _ := strings.Cut(id, "-call")
	return sessionfile.Place{Path: path, Session: of.Session, Role: payload.Name(kind)}
}

// fileName returns an id in the form in which the client uses it for file names.
func fileName(id string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, id)
}
