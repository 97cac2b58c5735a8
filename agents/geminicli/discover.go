package geminicli

import (
	"cmp"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/agents/transcript"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// ProjectSessions lists the sessions of a directory and of the directories below it. The client stores them by project,
// in a folder named by a hash of the directory or by a short name; a file in the folder names the directory.
func (s sessions) ProjectSessions(dir string, since time.Time) ([]capability.Session, error) {
	project := sessionfile.NewProject(dir)
	root := filepath.Join(cmp.Or(s.env.Lookup("GEMINI_CLI_HOME"), s.env.Home), ".gemini", "tmp")
	roots := map[string]string{}
	return sessionfile.List(root, 2, since, func(path string) (capability.Session, bool) {
		chats := filepath.Dir(path)
		if filepath.Base(chats) != "chats" || !isSession(path) {
			return capability.Session{}, false
		}
		held, known := roots[chats]
		if !known {
			held = projectRoot(path)
			if held == "" {
				held = hashed(filepath.Base(filepath.Dir(chats)), project)
			}
			roots[chats] = held
		}
		id := cmp.Or(sessionOf(path), s.SessionID(path))
		return capability.Session{ID: id, Dir: held}, project.Holds(held)
	}), nil
}

// `hashed` returns the project's directory if a folder has the name of its hash, as in versions without such a file.
func hashed(folder string, project sessionfile.Project) string {
	for _, name := range project.Names() {
		if sessionfile.FullHash(name) == folder {
			return name
		}
	}
	return ""
}

func isSession(path string) bool {
	name := filepath.Base(path)
	ext := filepath.Ext(name)
	return strings.HasPrefix(name, "session-") && (ext == ".json" || ext == ".jsonl")
}

// SessionID returns "" for a main session file, because its name has only the beginning of the id.
func (s sessions) SessionID(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), ".jsonl")
	if isSession(path) || name == filepath.Base(path) || !payload.SessionID(name) {
		return ""
	}
	return name
}

// endBytes is the number of bytes that are read at the start and at the end of a document: the session and the project
// may be named in either.
const endBytes = 4096

// Recognises identifies session files by the session and the project: in the first line, or before or after the
// messages of a document.
func (s sessions) Recognises(path string, head []byte) bool {
	text := string(head[:min(len(head), endBytes)])
	document := sessionfile.Begins(head, "messages")
	if document && !strings.Contains(text, `"projectHash"`) {
		text += lastOf(path)
	}
	if !strings.Contains(text, `"projectHash"`) || !strings.Contains(text, `"sessionId"`) {
		return messages(head)
	}
	if document {
		return true
	}
	return sessionfile.AnyObject(head, 1, func(raw []byte) bool {
		return rawjson.Member(raw, "sessionId") != nil && rawjson.Member(raw, "projectHash") != nil
	})
}

// lastOf returns the end of a file; "" if it cannot be read.
func lastOf(path string) string {
	file, err := transcript.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	raw, _ := io.ReadAll(io.LimitReader(file.From(max(0, file.Size()-endBytes)), endBytes))
	return string(raw)
}

// messages reports whether a file has only messages and lacks the first line.
func messages(head []byte) bool {
	return sessionfile.AnyObject(head, 20, func(raw []byte) bool {
		return rawjson.MemberText(raw, "type") == "gemini" && rawjson.Member(raw, "id") != nil
	})
}

// open opens a session file of either form.
func open(path, session string) (sessionfile.File, error) {
	file, err := transcript.Open(path)
	if err != nil {
		return nil, err
	}
	head, err := io.ReadAll(io.LimitReader(file.From(0), endBytes))
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	if sessionfile.Begins(head, "messages") {
		return sessionfile.Document(path, "messages")
	}
	return sessionfile.Lines(path, session)
}

// beginning is the data in the head of a session.
type beginning struct{ id, kind string }

// peek reads the members before the messages; if they do not name the session, it also reads the members after the
// messages.
func peek(file sessionfile.File) beginning {
	b := peekAt(file, 8, false)
	if b.id == "" {
		b.id = peekAt(file, math.MaxInt, true).id
	}
	b.id = payload.CheckedID(b.id)
	return b
}

func peekAt(file sessionfile.File, most int, behind bool) beginning {
	var b beginning
	sessionfile.First(file, most, func(object jsonlines.Object) bool {
		d := rawjson.NewDecoder(object.Raw)
		for d.Open(); d.Member(); {
			switch string(d.Key()) {
			case "type":
				return behind
			default:
				d.Take("sessionId", &b.id, "kind", &b.kind)
			}
		}
		return b.id == ""
	})
	return b
}

// subagentFile finds the file of a subagent, in the folder with its parent's id as its name.
func subagentFile(of sessionfile.Place, call *assemble.Call, id string) sessionfile.Place {
	if !payload.SessionID(id) || !payload.SessionID(of.Session) {
		return sessionfile.Place{}
	}
	path := filepath.Join(filepath.Dir(cmp.Or(of.Main, of.Path)), of.Session, id+".jsonl")
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return sessionfile.Place{}
	}
	return sessionfile.Place{Path: path, Session: id, Role: cmp.Or(call.Name, "subagent")}
}

// maxRoot is the greatest size of a file that contains a path, in bytes.
const maxRoot = 16 << 10
