package amp

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records/rawjson"
)

// sessions implements the capabilities for threads.
type sessions struct{ env capability.Env }

// threads returns the directory of the threads.
func (s sessions) threads() string {
	return filepath.Join(s.env.DataDir(), "amp", "threads")
}

// ProjectSessions reads every thread, because threads are stored by id.
func (s sessions) ProjectSessions(dir string, since time.Time) ([]capability.Session, error) {
	return sessionfile.NewProject(dir).Sessions(s.threads(), 0, since, func(path string) capability.Session {
		if s.SessionID(path) == "" {
			return capability.Session{}
		}
		about := aboutOf(path)
		return capability.Session{ID: about.id, Dir: about.dir}
	}), nil
}

// SessionID returns the id in the name of the file.
func (s sessions) SessionID(path string) string {
	if !strings.HasPrefix(filepath.Base(path), "T-") {
		return ""
	}
	return sessionfile.NamedID(path, ".json")
}

// Recognises identifies a thread by the members before its messages.
func (s sessions) Recognises(_ string, head []byte) bool {
	return sessionfile.Members{
		"v":  sessionfile.Of(rawjson.Number),
		"id": func(value *rawjson.Decoder) bool { return strings.HasPrefix(value.Text(), "T-") },
	}.Before("messages", head)
}

// about is the data of a thread apart from its messages.
type about struct {
	id, title, dir         string
	remote, branch, commit string
	os, client, mode       string
	created                int64
}

// aboutOf reads the members of a thread before and after its messages.
func aboutOf(path string) about {
	return sessionfile.PeekIn(open, path, func(file sessionfile.File) (a about) {
		sessionfile.All(file, a.take)
		return a
	})
}

func (a *about) take(object jsonlines.Object) {
	d := rawjson.NewDecoder(object.Raw)
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "role": // a message
			return
		case "id":
			a.id = payload.CheckedID(d.Text())
		case "agentMode":
			a.mode = payload.Name(d.Text())
		case "env":
			a.place(rawjson.Member(d.Raw(), "initial"))
		default:
			d.Take("title", &a.title, "created", &a.created)
		}
	}
}

// place reads where the thread began, from its first work tree.
func (a *about) place(initial []byte) {
	platform := rawjson.Member(initial, "platform")
	a.os = payload.Name(rawjson.MemberText(platform, "os"))
	a.client = payload.Name(rawjson.MemberText(platform, "clientVersion"))
	d := rawjson.NewDecoder(rawjson.Member(initial, "trees"))
	d.OpenArray()
	if !d.Element() {
		return
	}
	tree := d.Raw()
	a.dir = sessionfile.PathOfURI(rawjson.MemberText(tree, "uri"), "file")
	repository := rawjson.Member(tree, "repository")
	a.remote = rawjson.MemberText(repository, "url")
	a.branch = strings.TrimPrefix(payload.Name(rawjson.MemberText(repository, "ref")), "refs/heads/")
	if sha := rawjson.MemberText(repository, "sha"); sessionfile.ObjectName(sha) {
		a.commit = sha
	}
}
