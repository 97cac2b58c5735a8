package cursor

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/agents/sqlitefile"
	"github.com/git-trace/git-trace/records/rawjson"
)

// stateFile is the name of the editor's databases.
const stateFile = "state.vscdb"

// users returns the directories that contain the editor's databases.
func (s sessions) users() []string {
	var out []string
	for _, base := range s.env.ConfigDirs() {
		out = append(out, filepath.Join(base, "Cursor", "User"))
	}
	return out
}

// chats returns the conversations of the editor's database that have no transcript.
func (s sessions) chats(project sessionfile.Project, since time.Time, told map[string]bool) []capability.Session {
	var found []capability.Session
	for _, user := range s.users() {
		path := filepath.Join(user, "globalStorage", stateFile)
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.ModTime().Before(since) {
			continue
		}
		v, err := openValues(path, "cursorDiskKV")
		if err != nil {
			continue // incomplete, or of a later version
		}
		held := s.workspaces(user, project)
		_ = v.table.Prefix(chatKey, func(key string, row int64) error {
			id := payload.CheckedID(strings.TrimPrefix(key, chatKey))
			dir, here := held[id]
			if id == "" || told[id] || !here && !project.Any() {
				return nil
			}
			about, err := v.row(row)
			if err != nil || !talked(about) {
				return nil //nolint:nilerr // skip an unreadable one
			}
			changed := time.UnixMilli(cmp.Or(rawjson.MemberInt(about, "lastUpdatedAt"), rawjson.MemberInt(about, "createdAt")))
			if !changed.Before(since) {
				found = append(found, capability.Session{Path: path, ID: id, Dir: dir, Changed: changed})
			}
			return nil
		})
		v.close()
	}
	return found
}

// `talked` reports whether a conversation has messages: the editor also stores empty ones.
func talked(about []byte) bool {
	for _, list := range []string{"fullConversationHeadersOnly", "conversation"} {
		d := rawjson.NewDecoder(rawjson.Member(about, list))
		if d.OpenArray(); d.Element() {
			return true
		}
	}
	return false
}

// maxWorkspaces limits the number of workspaces that are searched.
const maxWorkspaces = 10_000

// workspaces returns, for each conversation that the databases of workspaces in a project list, its directory.
func (s sessions) workspaces(user string, project sessionfile.Project) map[string]string {
	held := map[string]string{}
	entries, err := os.ReadDir(filepath.Join(user, "workspaceStorage"))
	if err != nil {
		return held
	}
	for _, entry := range entries[:min(len(entries), maxWorkspaces)] {
		at := filepath.Join(user, "workspaceStorage", entry.Name())
		dir := folderOfWorkspace(filepath.Join(at, "workspace.json"))
		if dir == "" || !project.Holds(dir) {
			continue
		}
		v, err := openValues(filepath.Join(at, stateFile), "ItemTable")
		if err != nil {
			continue
		}
		raw, err := v.get("composer.composerData")
		v.close()
		if err != nil {
			continue
		}
		d := rawjson.NewDecoder(rawjson.Member(raw, "allComposers"))
		for d.OpenArray(); d.Element(); {
			held[rawjson.MemberText(d.Raw(), "composerId")] = dir
		}
	}
	return held
}

// maxWorkspace is the greatest size of the file about a workspace, in bytes.
const maxWorkspace = 1 << 20

func folderOfWorkspace(name string) string {
	return pathOf(rawjson.MemberText(sessionfile.Small(name, maxWorkspace), "folder"))
}

// pathOf returns the path in a file's URI, even if the file is on another machine.
func pathOf(uri string) string { return sessionfile.PathOfURI(uri, "file", "vscode-remote") }

// SessionsIn lists the conversations of a database; none for a transcript, which has only one.
func (s sessions) SessionsIn(path string) ([]capability.Session, error) {
	if is, err := sqlitefile.Is(path); err != nil || !is {
		return nil, err
	}
	v, err := openValues(path, "cursorDiskKV")
	if err != nil {
		return nil, err
	}
	defer v.close()
	// the editor stores the workspaces next to the directory of the database
	held := s.workspaces(filepath.Dir(filepath.Dir(path)), sessionfile.NewProject(""))
	var found []capability.Session
	err = v.table.Prefix(chatKey, func(key string, row int64) error {
		about, err := v.row(row)
		if id := payload.CheckedID(strings.TrimPrefix(key, chatKey)); err == nil && id != "" && talked(about) {
			changed := time.UnixMilli(rawjson.MemberInt(about, "lastUpdatedAt"))
			found = append(found, capability.Session{Path: path, ID: id, Dir: held[id], Changed: changed})
		}
		return err
	})
	return found, err
}
