package kimi

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// sessions implements the capabilities for the agent's sessions.
type sessions struct{ env capability.Env }

// The files of a session, in its directory.
const (
	stateFile = "state.json"
	agentsDir = "agents"
	wireFile  = "wire.jsonl"
	mainAgent = "main"
)

// ProjectSessions reads the state of every session.
func (s sessions) ProjectSessions(dir string, since time.Time) ([]capability.Session, error) {
	root := filepath.Join(s.root(), "sessions")
	return sessionfile.NewProject(dir).Sessions(root, 4, since, func(path string) capability.Session {
		if filepath.Base(filepath.Dir(path)) != mainAgent || filepath.Base(path) != wireFile {
			return capability.Session{}
		}
		return capability.Session{ID: s.SessionID(path), Dir: aboutOf(path).dir}
	}), nil
}

// SessionID returns the name of the session's directory.
func (s sessions) SessionID(path string) string {
	of := filepath.Dir(filepath.Dir(path))
	if filepath.Base(path) != wireFile || filepath.Base(of) != agentsDir {
		return ""
	}
	return payload.CheckedID(filepath.Base(filepath.Dir(of)))
}

// Recognises identifies the file of a session by its first records: the protocol, and the main agent.
func (s sessions) Recognises(_ string, head []byte) bool {
	protocol := func(raw []byte) bool { return rawjson.MemberText(raw, "protocol_version") != "" }
	return sessionfile.AnyObject(head, 1, protocol) &&
		sessionfile.AnyObject(head, 10, func(raw []byte) bool { return rawjson.MemberText(raw, "agentId") == mainAgent })
}

// about is the data in a session's state.
type about struct{ dir, title string }

// maxState is the greatest size of a state file, in bytes.
const maxState = 1 << 20

// aboutOf reads the state of the session to which an agent's file belongs.
func aboutOf(path string) (a about) {
	raw := sessionfile.Small(filepath.Join(filepath.Dir(path), "..", "..", stateFile), maxState)
	d := rawjson.NewDecoder(raw)
	for d.Open(); d.Member(); {
		d.Take("cwd", &a.dir, "title", &a.title)
	}
	return a
}

// subagentFile finds the file of a subagent, next to the main agent's.
func subagentFile(of sessionfile.Place, _ *assemble.Call, id string) sessionfile.Place {
	path := filepath.Join(filepath.Dir(filepath.Dir(of.Path)), id, wireFile)
	if info, err := os.Lstat(path); payload.CheckedID(id) == "" || err != nil || !info.Mode().IsRegular() {
		return sessionfile.Place{}
	}
	return sessionfile.Place{Path: path, Session: of.Session}
}

// startedBy returns the id of the subagent in a result; "" if there is none.
func startedBy(call *assemble.Call, content string) string {
	head, _, _ := strings.Cut(content, "\n")
	id, found := strings.CutPrefix(head, "agent_id: ")
	if !found || call == nil || call.Name != "Agent" {
		return ""
	}
	return id
}
