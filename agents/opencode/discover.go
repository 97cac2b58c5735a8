package opencode

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/agents/sqlitefile"
	"github.com/git-trace/git-trace/agents/transcript"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// ProjectSessions lists the sessions of the databases, and the sessions of the folder that are in no database. A
// parent's session includes its subagents.
func (s sessions) ProjectSessions(dir string, since time.Time) ([]capability.Session, error) {
	project := sessionfile.NewProject(dir)
	root := filepath.Join(s.env.DataDir(), "opencode")
	known := map[string]bool{}
	var found []capability.Session
	databases, err := filepath.Glob(filepath.Join(root, "opencode*.db"))
	if err != nil {
		return nil, err
	}
	for _, path := range databases {
		if !writtenSince(path, since) {
			continue
		}
		db, err := sqlitefile.Open(path)
		if err != nil {
			continue // incomplete, or of a later version
		}
		all, err := dbSessions(db)
		_ = db.Close()
		if err != nil {
			continue
		}
		for _, one := range all {
			known[one.ID] = true
		}
		for _, one := range topmost(all) {
			changed := time.UnixMilli(one.Time.Updated).UTC()
			if project.Holds(one.Directory) && !changed.Before(since.Truncate(time.Millisecond)) {
				found = append(found, capability.Session{Path: path, ID: one.ID, Dir: one.Directory, Changed: changed})
			}
		}
	}
	found = append(found, sessionfile.List(filepath.Join(root, "storage", "session"), 1, since,
		func(path string) (capability.Session, bool) {
			raw, err := readObject(path)
			if err != nil || !isFolderSession(raw) {
				return capability.Session{}, false
			}
			one := capability.Session{ID: rawjson.MemberText(raw, "id"), Dir: rawjson.MemberText(raw, "directory")}
			return one, !known[one.ID] && rawjson.MemberText(raw, "parentID") == "" && project.Holds(one.Dir)
		})...)
	sessionfile.Sort(found)
	return found, nil
}

// writtenSince reports whether a database or its log was changed since a time.
func writtenSince(path string, since time.Time) bool {
	for _, name := range []string{path, path + "-wal"} {
		if info, err := os.Stat(name); err == nil && !info.ModTime().Before(since) {
			return true
		}
	}
	return since.IsZero()
}

// SessionID returns the session id in the name of a session's own file; "" for a database, which has several sessions.
func (s sessions) SessionID(path string) string {
	name, found := strings.CutSuffix(filepath.Base(path), ".json")
	if !found || !strings.HasPrefix(name, "ses_") || !payload.SessionID(name) {
		return ""
	}
	return name
}

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
	all, err := dbSessions(db)
	if err != nil {
		return nil, err
	}
	var found []capability.Session
	for _, one := range topmost(all) {
		found = append(found, capability.Session{Path: path, ID: one.ID, Dir: one.Directory,
			Changed: time.UnixMilli(one.Time.Updated).UTC()})
	}
	return found, nil
}

// Recognises identifies databases by their name, because other programs have databases too, and JSON by members that
// only OpenCode's sessions have.
func (s sessions) Recognises(path string, head []byte) bool {
	if bytes.HasPrefix(head, []byte(sqlitefile.Magic)) {
		name := filepath.Base(path)
		return strings.Contains(name, "opencode") && filepath.Ext(name) == ".db"
	}
	if isFolderSession(head) {
		return true
	}
	if !sessionfile.Begins(head, "messages") && !bytes.HasPrefix(bytes.TrimSpace(head), []byte(`{"info":`)) {
		return false
	}
	start := head[:min(len(head), 16<<10)]
	return bytes.Contains(start, []byte(`"info"`)) && bytes.Contains(start, []byte(`"directory"`)) &&
		bytes.Contains(start, []byte(`"ses_`))
}

// isFolderSession reports whether a text is the content of a file in storage/session.
func isFolderSession(raw []byte) bool {
	return strings.HasPrefix(rawjson.MemberText(raw, "id"), "ses_") && rawjson.Member(raw, "directory") != nil &&
		rawjson.Member(raw, "messages") == nil
}

// open opens a session in any of its forms.
func open(path, session string) (sessionfile.File, error) {
	file, err := transcript.Open(path)
	if err != nil {
		return nil, err
	}
	head, err := io.ReadAll(io.LimitReader(file.From(0), 64<<10))
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(head, []byte(sqlitefile.Magic)):
		db, err := openDatabase(path, session)
		if err != nil {
			return nil, err
		}
		return kept{db, db.session.ID}, nil
	case isFolderSession(head):
		f, err := openFolder(path)
		if err != nil {
			return nil, err
		}
		return kept{f, rawjson.MemberText(f.info, "id")}, nil
	}
	return sessionfile.Document(path, "messages")
}

// beginning is the data about a whole session.
type beginning struct{ id string }

func peek(file sessionfile.File) beginning {
	var b beginning
	sessionfile.First(file, 4, func(object jsonlines.Object) bool {
		if rawjson.Member(object.Raw, "parts") != nil {
			return false
		}
		b.id = rawjson.MemberText(rawjson.Member(object.Raw, "info"), "id")
		return b.id == ""
	})
	b.id = payload.CheckedID(b.id)
	return b
}

// subagentOf finds the session of a subagent: in the same database, in the same folder, or in an export next to its
// parent's.
func subagentOf(of sessionfile.Place, call *assemble.Call, id string) sessionfile.Place {
	if !payload.SessionID(id) {
		return sessionfile.Place{}
	}
	place := sessionfile.Place{Path: of.Path, Session: id,
		Role: payload.Name(rawjson.MemberText(call.Input, "subagent_type"))}
	if filepath.Ext(of.Path) == ".json" {
		place.Path = filepath.Join(filepath.Dir(of.Path), id+".json")
	}
	file, err := open(place.Path, id)
	if err != nil {
		return sessionfile.Place{}
	}
	_ = file.Close()
	return place
}
