package cursor

import (
	"bytes"
	"cmp"
	"context"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/agents/sqlitefile"
	"github.com/git-trace/git-trace/agents/toolcall"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// sessions implements the capabilities for the agent's transcripts,
// ~/.cursor/projects/<project>/agent-transcripts/<id>.jsonl, or in a folder with the name <id>. A line is a message.
// There are no times, models, tokens, call ids or results.
type sessions struct{ env capability.Env }

// does lists the tools of Cursor that act on files.
var does = toolcall.Tools{
	"Read": toolcall.Reads, "Write": toolcall.Writes, "StrReplace": toolcall.Replaces, "Edit": toolcall.Replaces,
	"MultiEdit": toolcall.Replaces, "ApplyPatch": toolcall.Patches, "Shell": toolcall.Runs,
}

const transcriptsDir = "agent-transcripts"

// ProjectSessions lists the transcripts of a directory. The client's folder names are derived from the directory, but
// do not identify it.
func (s sessions) ProjectSessions(dir string, since time.Time) ([]capability.Session, error) {
	project := sessionfile.NewProject(dir)
	wanted := map[string]string{}
	for _, name := range project.Names() {
		wanted[folderOf(name)] = name
	}
	root := filepath.Join(s.env.Home, ".cursor", "projects")
	told := map[string]bool{}
	found := sessionfile.List(root, 3, since, func(path string) (capability.Session, bool) {
		id := s.SessionID(path)
		below, err := filepath.Rel(root, path)
		parts := strings.Split(filepath.ToSlash(below), "/")
		if err != nil || id == "" || len(parts) < 3 || parts[1] != transcriptsDir || len(parts) == 4 && parts[2] != id {
			return capability.Session{}, false
		}
		told[id] = true
		held, here := wanted[parts[0]]
		return capability.Session{ID: id, Dir: held}, here || project.Any()
	})
	found = append(found, s.chats(project, since, told)...)
	sessionfile.Sort(found)
	return found, nil
}

// folderOf returns the client's folder name for a project: its path with hyphens.
func folderOf(dir string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		if r == '/' || r == '\\' || r == '.' || r == ':' || r == '_' || r == ' ' {
			return '-'
		}
		return r
	}, dir), "-")
}

// SessionID returns the id in the name of the file.
func (s sessions) SessionID(path string) string { return sessionfile.NamedID(path, ".jsonl") }

// Recognises identifies a transcript by its first line, a message that has only a role besides, and the editor's
// database by its table.
func (s sessions) Recognises(_ string, head []byte) bool {
	if bytes.HasPrefix(head, []byte(sqlitefile.Magic)) {
		return bytes.Contains(head, []byte("cursorDiskKV"))
	}
	return sessionfile.AnyObject(head, 1, begins)
}

func begins(raw []byte) bool {
	role := rawjson.MemberText(raw, "role")
	return (role == "user" || role == "assistant") && rawjson.Member(raw, "type") == nil &&
		rawjson.Member(rawjson.Member(raw, "message"), "content") != nil
}

// Parse reads a transcript, or a conversation of the editor's database. If the options name no session, it reads the
// one that changed last.
func (s sessions) Parse(ctx context.Context, path string, options capability.ParseOptions,
	sink records.Sink) (*capability.Parsed, error) {
	var opened *chat
	kind := sessionfile.Kind{
		Agent: Name,
		Open: func(path, session string) (sessionfile.File, error) {
			is, err := sqlitefile.Is(path)
			if err != nil || !is {
				return sessionfile.Lines(path, session)
			}
			opened, err = openChat(path, session)
			return opened, err
		},
		Session: func(path string, _ sessionfile.File) string {
			if opened != nil {
				return payload.CheckedID(rawjson.MemberText(opened.about, "composerId"))
			}
			return s.SessionID(path)
		},
		Format: func(c *assemble.Conversation, of sessionfile.Place) sessionfile.Format {
			if opened != nil {
				return &talk{c: c, dir: s.workspaces(filepath.Dir(filepath.Dir(path)), sessionfile.NewProject(""))[of.Session]}
			}
			return &session{c: c}
		},
	}
	return kind.Parse(ctx, path, options, sink)
}

// session is a transcript that is being read.
type session struct {
	sessionfile.Plain
	c     *assemble.Conversation
	state sessionState
}

// sessionState holds the data of earlier lines that later lines need.
type sessionState struct {
	Calls int `json:"calls,omitempty"`
}

func (s *session) State() any { return &s.state }

// Object handles a message.
func (s *session) Object(object jsonlines.Object) error {
	at := records.Locator{Offset: object.Offset, Line: object.Line, ID: "line-" + strconv.FormatInt(object.Line, 10)}
	s.c.Begin("") // lines have no ids: equal lines are different messages
	content := rawjson.Member(rawjson.Member(object.Raw, "message"), "content")
	switch role := rawjson.MemberText(object.Raw, "role"); role {
	case "user":
		text := sessionfile.Blocks(content) // the user's text is in tags if the client adds something
		text = strings.TrimSpace(cmp.Or(sessionfile.Inside(text, "user_query"), text))
		return s.c.Said(assemble.Prompt{At: at, Text: text}, false, "empty_prompt")
	case "assistant":
		return s.answer(content, at)
	default:
		s.c.Skip(cmp.Or(sessionfile.Known(role), "unknown"))
		return nil
	}
}

// callID returns an id for a call that has none.
func callID(number int) string { return "call_" + strconv.Itoa(number) }

// redacted replaces the model's thinking.
const redacted = "[REDACTED]"

// answer handles an answer of the model. The results of its calls are unknown: an edit counts as made.
func (s *session) answer(content []byte, at records.Locator) error {
	a := assemble.Answer{At: at}
	text := sessionfile.Blocks(content)
	if rest, found := strings.CutSuffix(strings.TrimSpace(text), redacted); found {
		text, a.Thinking = rest, sessionfile.Withheld
	}
	a.Text = strings.TrimSpace(text)
	var made []assemble.Result
	d := rawjson.NewDecoder(content)
	for d.OpenArray(); d.Element(); {
		block := d.Raw()
		if rawjson.MemberText(block, "type") != "tool_use" {
			continue
		}
		s.state.Calls++
		id, input := callID(s.state.Calls), rawjson.Member(block, "input")
		call := does.Call(id, rawjson.MemberText(block, "name"), input, "")
		a.Calls = append(a.Calls, call)
		made = append(made, assemble.Result{Edits: does.Edits(&call, "")})
	}
	if err := s.c.Replied(a); err != nil {
		return err
	}
	for i := range made {
		if len(made[i].Edits) == 0 {
			continue
		}
		if err := s.c.Result(at, a.Calls[i].ID, made[i]); err != nil {
			return err
		}
	}
	return nil
}
