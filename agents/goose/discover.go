package goose

import (
	"bytes"
	"os"
	"path/filepath"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/agents/sqlitefile"
	"github.com/git-trace/git-trace/records/rawjson"
)

// sessions implements the capabilities for the agent's sessions.
type sessions struct{ env capability.Env }

// databaseFile is the name of the database.
const databaseFile = "sessions.db"

// ProjectSessions lists the sessions of the database, and the sessions in files that are not in the database.
func (s sessions) ProjectSessions(dir string, since time.Time) ([]capability.Session, error) {
	project := sessionfile.NewProject(dir)
	known := map[string]bool{}
	var found []capability.Session
	all, err := s.SessionsIn(filepath.Join(s.root(), databaseFile))
	if err != nil {
		all = nil // missing, incomplete, or of a later version
	}
	for _, one := range all {
		known[one.ID] = true
		if project.Holds(one.Dir) && !one.Changed.Before(since.Truncate(time.Second)) {
			found = append(found, one)
		}
	}
	found = append(found, project.Sessions(s.root(), 0, since, func(path string) capability.Session {
		id := s.SessionID(path)
		if id == "" || known[id] {
			return capability.Session{}
		}
		about := sessionfile.Peek(path, peek)
		if !begins(about) {
			return capability.Session{}
		}
		return capability.Session{ID: id, Dir: rawjson.MemberText(about, "working_dir")}
	})...)
	sessionfile.Sort(found)
	return found, nil
}

// SessionID returns the id in the name of a file of JSON lines; "" for a database, which has several sessions.
func (s sessions) SessionID(path string) string { return sessionfile.NamedID(path, ".jsonl") }

// SessionsIn lists the sessions of a database; none for another file, which has only one.
func (s sessions) SessionsIn(path string) ([]capability.Session, error) {
	if is, err := sqlitefile.Is(path); err != nil || !is {
		return nil, err
	}
	db, err := sqlitefile.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	all, err := rowsOf(db)
	if err != nil {
		return nil, err
	}
	var changed time.Time
	if info, err := os.Stat(path); err == nil {
		changed = info.ModTime()
	}
	found := make([]capability.Session, 0, len(all))
	for _, one := range all {
		if !payload.SessionID(one.ID) {
			continue
		}
		session := capability.Session{Path: path, ID: one.ID, Dir: one.Dir, Changed: changed}
		if at, err := time.Parse(time.DateTime, one.Updated); err == nil { // SQLite writes times in UTC
			session.Changed = at
		}
		found = append(found, session)
	}
	return found, nil
}

// Recognises identifies a database by the columns of its tables, and a file of JSON lines by its first line.
func (s sessions) Recognises(_ string, head []byte) bool {
	if bytes.HasPrefix(head, []byte(sqlitefile.Magic)) {
		return bytes.Contains(head, []byte("content_json")) && bytes.Contains(head, []byte("working_dir"))
	}
	return sessionfile.AnyObject(head, 1, begins)
}

// `begins` reports whether a line is about the session.
func begins(raw []byte) bool {
	return rawjson.MemberText(raw, "working_dir") != "" && rawjson.Member(raw, "role") == nil &&
		(rawjson.Member(raw, "message_count") != nil || rawjson.Member(raw, "description") != nil ||
			rawjson.Member(raw, "accumulated_input_tokens") != nil)
}

// peek returns the line about the session.
func peek(file sessionfile.File) (about []byte) {
	sessionfile.First(file, 1, func(object jsonlines.Object) bool {
		about = bytes.Clone(object.Raw)
		return false
	})
	return about
}

// open opens a session in any of its forms.
func open(path, session string) (sessionfile.File, error) {
	is, err := sqlitefile.Is(path)
	if err != nil {
		return nil, err
	}
	if is {
		return openDatabase(path, session)
	}
	return sessionfile.Lines(path, session)
}
