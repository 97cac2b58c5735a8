package grok

import (
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
	summaryFile = "summary.json"
	updatesFile = "updates.jsonl"
)

// ProjectSessions reads the summary of every session. A subagent's session is left out, because it belongs to another
// session.
func (s sessions) ProjectSessions(dir string, since time.Time) ([]capability.Session, error) {
	root := filepath.Join(s.root(), "sessions")
	return sessionfile.NewProject(dir).Sessions(root, 2, since, func(path string) capability.Session {
		if filepath.Base(path) != updatesFile {
			return capability.Session{}
		}
		about := aboutOf(path)
		if about.kind == "subagent" {
			return capability.Session{}
		}
		return capability.Session{ID: s.SessionID(path), Dir: about.dir}
	}), nil
}

// SessionID returns the name of the session's directory.
func (s sessions) SessionID(path string) string { return sessionfile.InDir(path, updatesFile) }

// Recognises identifies the updates of a session by the envelope of the first one.
func (s sessions) Recognises(_ string, head []byte) bool {
	return sessionfile.AnyObject(head, 1, func(raw []byte) bool {
		params := rawjson.Member(raw, "params")
		return strings.HasSuffix(rawjson.MemberText(raw, "method"), "session/update") &&
			rawjson.MemberText(params, "sessionId") != "" && rawjson.Member(params, "update") != nil
	})
}

// about is the data in a session's summary.
type about struct{ dir, title, kind, began, branch, commit string }

// maxSummary is the greatest size of a summary file, in bytes.
const maxSummary = 1 << 20

func aboutOf(path string) (a about) {
	raw := sessionfile.Small(filepath.Join(filepath.Dir(path), summaryFile), maxSummary)
	a.dir = rawjson.MemberText(rawjson.Member(raw, "info"), "cwd")
	d := rawjson.NewDecoder(raw)
	for d.Open(); d.Member(); {
		d.Take("generated_title", &a.title, "session_kind", &a.kind, "created_at", &a.began, "head_branch", &a.branch,
			"head_commit", &a.commit)
	}
	return a
}

// subagentFile finds the session of a subagent, which may have worked in another directory.
func subagentFile(of sessionfile.Place, _ *assemble.Call, id string) sessionfile.Place {
	if payload.CheckedID(id) == "" {
		return sessionfile.Place{}
	}
	root := filepath.Dir(filepath.Dir(of.Path))
	for _, group := range []string{root, filepath.Join(filepath.Dir(root), "*")} {
		if found, err := filepath.Glob(filepath.Join(group, id, updatesFile)); err == nil && len(found) > 0 {
			return sessionfile.Place{Path: found[0], Session: id}
		}
	}
	return sessionfile.Place{}
}
