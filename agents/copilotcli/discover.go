package copilotcli

import (
	"path/filepath"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records/rawjson"
)

// eventsFile is the name of every session file.
const eventsFile = "events.jsonl"

// ProjectSessions reads every session, because the client stores sessions by id.
func (s sessions) ProjectSessions(dir string, since time.Time) ([]capability.Session, error) {
	root := filepath.Join(s.env.Dir("COPILOT_HOME", ".copilot"), "session-state")
	return sessionfile.NewProject(dir).Sessions(root, 1, since, func(path string) capability.Session {
		if filepath.Base(path) != eventsFile {
			return capability.Session{}
		}
		begin := sessionfile.Peek(path, peek)
		return capability.Session{ID: begin.id, Dir: begin.cwd}
	}), nil
}

// SessionID returns the name of the folder with the session's events.
func (s sessions) SessionID(path string) string { return sessionOf(path) }

// Recognises identifies session files by their first event.
func (s sessions) Recognises(_ string, head []byte) bool {
	return sessionfile.AnyObject(head, 1, begins)
}

func begins(raw []byte) bool {
	data := rawjson.Member(raw, "data")
	return rawjson.MemberText(raw, "type") == "session.start" && rawjson.MemberText(data, "sessionId") != "" &&
		rawjson.Member(data, "vscodeVersion") == nil // Copilot in the editor writes similar events
}

// beginning is the data in the first event.
type beginning struct{ id, cwd string }

func peek(file sessionfile.File) beginning {
	var b beginning
	sessionfile.First(file, 1, func(object jsonlines.Object) bool {
		if begins(object.Raw) {
			data := rawjson.Member(object.Raw, "data")
			b.id, b.cwd = rawjson.MemberText(data, "sessionId"), rawjson.MemberText(rawjson.Member(data, "context"), "cwd")
		}
		return false
	})
	b.id = payload.CheckedID(b.id)
	return b
}
