package cline

import (
	"bytes"
	"cmp"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records/rawjson"
)

// The names of the files in the directory of a task or session. Older versions stored the user's view, or the
// conversation, in claude_messages.json.
const (
	historyFile = "api_conversation_history.json"
	olderFile   = "claude_messages.json"
	shownFile   = "ui_messages.json"
	itemFile    = "history_item.json"
	manifest    = "session.json"
	document    = ".messages.json"
)

// sessions implements the capabilities for the session files of Cline or Roo.
type sessions struct {
	env          capability.Env
	name, folder string // folder is the extension's folder in an editor's global storage
}

// editors lists the settings directories of the editors in which the extensions run.
var editors = []string{"Code", "Code - Insiders", "Cursor", "Windsurf", "VSCodium"}

// roots returns the directories that contain tasks.
func (s sessions) roots() []string {
	home := s.env.Home
	var storages []string
	for _, base := range s.env.ConfigDirs() {
		for _, editor := range editors {
			storages = append(storages, filepath.Join(base, editor, "User", "globalStorage"))
		}
	}
	for _, server := range []string{".vscode-server", ".cursor-server", ".windsurf-server"} {
		storages = append(storages, filepath.Join(home, server, "data", "User", "globalStorage"))
	}
	var out []string
	for _, storage := range storages {
		out = append(out, filepath.Join(storage, s.folder, "tasks"))
	}
	if s.name == Name {
		data := filepath.Join(s.dir(), "data")
		out = append(out, filepath.Join(data, "tasks"), filepath.Join(data, "sessions"))
	}
	return out
}

// dir returns the directory of Cline's settings and conversations.
func (s sessions) dir() string {
	return s.env.Dir("CLINE_DIR", ".cline")
}

// ProjectSessions reads every task and session, because they are stored by id. It leaves out subtasks that their
// parents name.
func (s sessions) ProjectSessions(dir string, since time.Time) ([]capability.Session, error) {
	project := sessionfile.NewProject(dir)
	var found []capability.Session
	for _, root := range s.roots() {
		found = append(found, project.Sessions(root, 1, since, func(path string) capability.Session {
			id := s.SessionID(path)
			if id == "" || toldByParent(path, id) {
				return capability.Session{}
			}
			return capability.Session{ID: id, Dir: dirOf(path)}
		})...)
	}
	sessionfile.Sort(found)
	return found, nil
}

// SessionID returns the id in the name of the task's folder, or in the name of the session's document.
func (s sessions) SessionID(path string) string {
	if name := filepath.Base(path); name == historyFile || name == olderFile || alone(path) {
		return payload.CheckedID(filepath.Base(filepath.Dir(path)))
	}
	return sessionfile.NamedID(path, document)
}

// Recognises identifies a session's document by its members, and a task's conversation by texts that only Cline and Roo
// send to the model. Only Roo has modes with a slug. If the conversation was not kept, it uses the user's view.
func (s sessions) Recognises(path string, head []byte) bool {
	head = bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF")))
	if len(head) == 0 {
		return false
	}
	if head[0] == '{' {
		return s.name == Name && begins(head)
	}
	if head[0] == '[' && beginsView(head) {
		if filepath.Base(path) == shownFile && !alone(path) {
			return false
		}
		roo := bytes.Contains(head, []byte("<slug>")) || bytes.Contains(head, []byte("checkpoint_saved")) ||
			bytes.Contains(head, []byte("apiProtocol"))
		return roo == (s.name == RooName)
	}
	if head[0] != '[' || !bytes.Contains(head[:min(len(head), 4096)], []byte(`"role"`)) {
		return false
	}
	if !bytes.Contains(head, []byte("<environment_details>")) && !bytes.Contains(head, []byte("<task>")) &&
		!bytes.Contains(head, []byte("<user_message>")) {
		return false
	}
	roo := bytes.Contains(head, []byte("<slug>")) || bytes.Contains(head, []byte("<user_message>"))
	return roo == (s.name == RooName)
}

// `begins` reports whether a text is the beginning of a session's document: the members before its messages.
func begins(head []byte) bool {
	return sessionfile.Members{
		"agent":     sessionfile.Text,
		"sessionId": sessionfile.Text,
		"version":   func(value *rawjson.Decoder) bool { return value.Int() == 1 },
	}.Before("messages", head)
}

// dirOf returns the directory of a conversation, from its manifest or from the text for the model.
func dirOf(path string) string {
	if strings.HasSuffix(path, document) {
		raw := manifestOf(path)
		return cmp.Or(rawjson.MemberText(raw, "cwd"), rawjson.MemberText(raw, "workspace_root"))
	}
	if raw := beside(path, itemFile); raw != nil {
		dir := cmp.Or(rawjson.MemberText(raw, "workspace"), rawjson.MemberText(raw, "cwdOnTaskInitialization"))
		if dir != "" {
			return dir
		}
	}
	return sessionfile.PeekIn(open, path, func(file sessionfile.File) (dir string) {
		sessionfile.First(file, 4, func(object jsonlines.Object) bool {
			dir = told(object.Raw)
			return dir == ""
		})
		return dir
	})
}

// `told` returns the directory in a message to the model: "# Current Working Directory (/home/dev/project) Files";
// newer versions write Workspace.
func told(message []byte) string {
	for _, words := range []string{"# Current Working Directory (", "# Current Workspace Directory ("} {
		_, rest, found := bytes.Cut(message, []byte(words))
		if dir, _, closed := bytes.Cut(rest, []byte(") Files")); found && closed && len(dir) < 4096 {
			return rawjson.Unquote(append(append([]byte{'"'}, dir...), '"'))
		}
	}
	return ""
}

// manifestOf reads the manifest of a session's document: it has the name of the session, and was called session.json in
// older versions.
func manifestOf(path string) []byte {
	if raw := beside(path, strings.TrimSuffix(filepath.Base(path), document)+".json"); raw != nil {
		return raw
	}
	return beside(path, manifest)
}

// maxBeside is the greatest size of a file next to a conversation that is read, in bytes.
const maxBeside = 64 << 20

// `beside` reads a small file in the folder of a conversation; nil if there is none.
func beside(path, name string) []byte {
	return sessionfile.Small(filepath.Join(filepath.Dir(path), name), maxBeside)
}
