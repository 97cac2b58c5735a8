package pi

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records/rawjson"
)

// ProjectSessions lists the sessions of a directory and of those below it. The client files them under a name that does
// not tell the directory exactly; the header does.
func (s sessions) ProjectSessions(dir string, since time.Time) ([]capability.Session, error) {
	project := sessionfile.NewProject(dir)
	home := cmp.Or(s.env.Lookup("PI_CODING_AGENT_DIR"), filepath.Join(s.env.Home, ".pi", "agent"))
	root := cmp.Or(s.env.Lookup("PI_CODING_AGENT_SESSION_DIR"), filepath.Join(home, "sessions"))
	if _, err := os.Stat(root); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return sessionfile.List(root, 1, since, func(path string) (capability.Session, bool) {
		if filepath.Ext(path) != ".jsonl" {
			return capability.Session{}, false
		}
		file, err := sessionfile.Lines(path, "")
		if err != nil {
			return capability.Session{}, false
		}
		defer func() { _ = file.Close() }()
		begin := peek(file)
		return capability.Session{ID: cmp.Or(begin.id, s.SessionID(path)), Dir: begin.cwd}, begin.id != "" &&
			project.Holds(begin.cwd)
	}), nil
}

// SessionID is what follows the time in the name of a session file.
func (s sessions) SessionID(path string) string { return idOf(filepath.Base(path)) }

func idOf(name string) string {
	name, found := strings.CutSuffix(name, ".jsonl")
	_, id, parted := strings.Cut(name, "_")
	if !found || !parted || !payload.SessionID(id) {
		return ""
	}
	return id
}

// Recognises tells session files by their header.
func (s sessions) Recognises(_ string, head []byte) bool {
	object, err := jsonlines.NewReader(bytes.NewReader(head), 0, 0).Next()
	return err == nil && begins(object.Raw)
}

func begins(raw []byte) bool {
	return rawjson.MemberText(raw, "type") == "session" && rawjson.Member(raw, "id") != nil &&
		rawjson.Member(raw, "cwd") != nil
}

// beginning is what the header tells.
type beginning struct {
	id, cwd string
	origin  string // path of the session that this one was forked from
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

// copiesIn lists the entries of the session that a file was forked from, if its own file is there: where the fork says,
// or beside it.
func copiesIn(path string) map[string]bool {
	file, err := sessionfile.Lines(path, "")
	if err != nil {
		return nil
	}
	origin := peek(file).origin
	_ = file.Close()
	if origin == "" {
		return nil
	}
	name := filepath.Base(strings.ReplaceAll(origin, `\`, "/"))
	beside := filepath.Join(filepath.Dir(path), name)
	if idOf(name) == "" || beside == path {
		return nil
	}
	if file, err = sessionfile.Lines(beside, ""); err != nil {
		return nil
	}
	defer func() { _ = file.Close() }()
	copies := map[string]bool{}
	in := file.From(0, 0)
	for {
		object, err := in.Next()
		if err != nil {
			return copies
		}
		var e entry
		if e.decode(object.Raw); e.kind != "session" {
			copies[e.key()] = true
		}
	}
}
