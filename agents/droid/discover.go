package droid

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// sessions implements the capabilities for the agent's session files.
type sessions struct{ env capability.Env }

// ProjectSessions reads the first line of every session.
func (s sessions) ProjectSessions(dir string, since time.Time) ([]capability.Session, error) {
	root := filepath.Join(s.env.Home, ".factory", "sessions")
	return sessionfile.NewProject(dir).Sessions(root, 1, since, func(path string) capability.Session {
		if filepath.Ext(path) != ".jsonl" {
			return capability.Session{}
		}
		begin := sessionfile.Peek(path, peek)
		return capability.Session{ID: begin.id, Dir: begin.cwd}
	}), nil
}

// SessionID returns the id in the name of the file.
func (s sessions) SessionID(path string) string { return sessionfile.NamedID(path, ".jsonl") }

// Recognises identifies session files by their first line.
func (s sessions) Recognises(_ string, head []byte) bool {
	return sessionfile.AnyObject(head, 1, begins)
}

func begins(raw []byte) bool {
	return rawjson.MemberText(raw, "type") == "session_start" && rawjson.MemberText(raw, "id") != "" &&
		(rawjson.Member(raw, "owner") != nil || rawjson.Member(raw, "sessionTitle") != nil)
}

// beginning is the data in the first line.
type beginning struct{ id, cwd string }

func peek(file sessionfile.File) beginning {
	var b beginning
	sessionfile.First(file, 1, func(object jsonlines.Object) bool {
		if begins(object.Raw) {
			b.id, b.cwd = payload.CheckedID(rawjson.MemberText(object.Raw, "id")), rawjson.MemberText(object.Raw, "cwd")
		}
		return false
	})
	return b
}

// settings is the data about the whole session, from the file next to it.
type settings struct {
	model string
	usage *records.TokenUsage
}

// maxSettings is the greatest size of the settings file, in bytes.
const maxSettings = 1 << 20

func settingsOf(path string) settings {
	raw := sessionfile.Small(strings.TrimSuffix(path, ".jsonl")+".settings.json", maxSettings)
	out := settings{model: assemble.Model(rawjson.MemberText(raw, "model"))}
	counts := sessionfile.Counts{
		Input: "inputTokens", Output: "outputTokens", Read: "cacheReadTokens", Write: "cacheCreationTokens",
	}
	if usage := counts.Usage(rawjson.Member(raw, "tokenUsage")); usage != nil {
		out.usage = &usage.TokenUsage
	}
	return out
}
