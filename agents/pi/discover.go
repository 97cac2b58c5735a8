package pi

import (
	"cmp"
	"math"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records/rawjson"
)

// ProjectSessions lists the sessions of a directory and of the directories below it. The client's folder names do not
// identify a directory exactly, but the headers of the files do.
func (s sessions) ProjectSessions(dir string, since time.Time) ([]capability.Session, error) {
	root := cmp.Or(s.env.Lookup("PI_CODING_AGENT_SESSION_DIR"), filepath.Join(configDir(s.env), "sessions"))
	return sessionfile.NewProject(dir).Sessions(root, 1, since, func(path string) capability.Session {
		if filepath.Ext(path) != ".jsonl" {
			return capability.Session{}
		}
		begin := sessionfile.Peek(path, peek)
		return capability.Session{ID: begin.id, Dir: begin.cwd}
	}), nil
}

// SessionID returns the part after the time in the name of a session file.
func (s sessions) SessionID(path string) string { return idOf(filepath.Base(path)) }

func idOf(name string) string {
	name, found := strings.CutSuffix(name, ".jsonl")
	_, id, parted := strings.Cut(name, "_")
	if !found || !parted || !payload.SessionID(id) {
		return ""
	}
	return id
}

// Recognises identifies session files by their header.
func (s sessions) Recognises(_ string, head []byte) bool {
	return sessionfile.AnyObject(head, 1, begins)
}

func begins(raw []byte) bool {
	return rawjson.MemberText(raw, "type") == "session" && rawjson.Member(raw, "id") != nil &&
		rawjson.Member(raw, "cwd") != nil
}

// beginning is the data in the header.
type beginning struct {
	id, cwd string
	origin  string // the path of the session that was forked
}

func peek(file sessionfile.File) beginning {
	var b beginning
	sessionfile.First(file, 1, func(object jsonlines.Object) bool {
		if !begins(object.Raw) {
			return false
		}
		b.id, b.cwd = rawjson.MemberText(object.Raw, "id"), rawjson.MemberText(object.Raw, "cwd")
		b.origin = cmp.Or(rawjson.MemberText(object.Raw, "parentSession"), rawjson.MemberText(object.Raw, "branchedFrom"))
		return false
	})
	b.id = payload.CheckedID(b.id)
	return b
}

// copiesIn returns the entries of the session that was forked, if its file exists next to the fork or in another folder
// of the client.
func copiesIn(path string) map[string]bool {
	origin := sessionfile.Peek(path, peek).origin
	if origin == "" {
		return nil
	}
	name := filepath.Base(strings.ReplaceAll(origin, `\`, "/"))
	beside := filepath.Join(filepath.Dir(path), name)
	if idOf(name) == "" || beside == path {
		return nil
	}
	if keys := sessionfile.Peek(beside, keysOf); keys != nil {
		return keys
	}
	folder := filepath.Base(filepath.Dir(strings.ReplaceAll(origin, `\`, "/")))
	return sessionfile.Peek(filepath.Join(filepath.Dir(filepath.Dir(path)), folder, name), keysOf)
}

// keysOf returns the keys of the entries in a session file.
func keysOf(file sessionfile.File) map[string]bool {
	keys := map[string]bool{}
	sessionfile.First(file, math.MaxInt, func(object jsonlines.Object) bool {
		var e entry
		if e.decode(object.Raw); e.kind != "session" {
			keys[e.key()] = true
		}
		return true
	})
	return keys
}
