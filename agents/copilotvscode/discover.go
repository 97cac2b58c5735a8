package copilotvscode

import (
	"bytes"
	"path/filepath"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records/rawjson"
)

// sessions implements the capabilities for chats.
type sessions struct{ env capability.Env }

// The directories of chats and of transcripts, in the directory of a workspace.
const (
	chatsDir       = "chatSessions"
	transcriptsDir = "transcripts"
)

// roots returns the directories that contain the directories of workspaces.
func (s sessions) roots() []string {
	home := s.env.Home
	var out []string
	for _, base := range s.env.ConfigDirs() {
		for _, editor := range []string{"Code", "Code - Insiders", "VSCodium"} {
			out = append(out, filepath.Join(base, editor, "User", "workspaceStorage"))
		}
	}
	return append(out, filepath.Join(home, ".vscode-server", "data", "User", "workspaceStorage"))
}

// ProjectSessions lists the chats of the workspaces in a directory, and the transcripts of chats without a document.
func (s sessions) ProjectSessions(dir string, since time.Time) ([]capability.Session, error) {
	project := sessionfile.NewProject(dir)
	var found []capability.Session
	known := map[string]bool{}
	for _, of := range []string{chatsDir, transcriptsDir} {
		for _, root := range s.roots() {
			found = append(found, sessionfile.List(root, 3, since, func(path string) (capability.Session, bool) {
				id := s.SessionID(path)
				if filepath.Base(filepath.Dir(path)) != of || id == "" || known[id] {
					return capability.Session{}, false
				}
				dir := dirOf(path)
				if !project.Holds(dir) {
					return capability.Session{}, false
				}
				known[id] = true
				return capability.Session{ID: id, Dir: dir}, true
			})...)
		}
	}
	sessionfile.Sort(found)
	return found, nil
}

// SessionID returns the id in the name of the file.
func (s sessions) SessionID(path string) string {
	return sessionfile.NamedID(path, ".json", ".jsonl")
}

// Recognises identifies a chat by the members before its requests, and a journal or a transcript by its first line.
func (s sessions) Recognises(_ string, head []byte) bool {
	head = bytes.TrimSpace(head)
	if len(head) == 0 || head[0] != '{' {
		return false
	}
	if object, err := jsonlines.NewReader(bytes.NewReader(head), 0, 0).Next(); err == nil {
		if isEvent(object.Raw) {
			return true
		}
		if isJournal(object.Raw) {
			return isChat(rawjson.Member(object.Raw, "v"))
		}
	}
	if bytes.HasPrefix(head, []byte(`{"kind":0,"v":{`)) { // its first line is longer than the head
		return isChat(head[len(`{"kind":0,"v":`):])
	}
	return isChat(head)
}

// isEvent reports whether a line is the first event of a transcript; Copilot CLI's first events are similar but do not
// name an editor version.
func isEvent(raw []byte) bool {
	return rawjson.MemberText(raw, "type") == "session.start" &&
		rawjson.MemberText(rawjson.Member(raw, "data"), "vscodeVersion") != ""
}

// isJournal reports whether a line is the first line of a journal, which has the whole document.
func isJournal(raw []byte) bool {
	whole := rawjson.NewDecoder(rawjson.Member(raw, "v"))
	return string(rawjson.Member(raw, "kind")) == "0" && whole.Kind() == rawjson.Object
}

// isChat reports whether a text is a document, or the beginning of one.
func isChat(head []byte) bool {
	return sessionfile.Members{
		"version":           sessionfile.Of(rawjson.Number),
		"responderUsername": sessionfile.Of(rawjson.String),
	}.Before("requests", head)
}

// maxWorkspace is the greatest size of the file about a workspace, in bytes.
const maxWorkspace = 1 << 20

// dirOf returns the directory of a chat's workspace; "" if it is unknown.
func dirOf(path string) string {
	dir := filepath.Dir(path)
	for range 3 {
		if raw := sessionfile.Small(filepath.Join(dir, "workspace.json"), maxWorkspace); raw != nil {
			return pathOf(rawjson.MemberText(raw, "folder"))
		}
		dir = filepath.Dir(dir)
	}
	return ""
}

// pathOf returns the path in a file's URI, even if the file is on another machine.
func pathOf(uri string) string { return sessionfile.PathOfURI(uri, "file", "vscode-remote") }
