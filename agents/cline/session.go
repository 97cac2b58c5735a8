package cline

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/agents/toolcall"
	"github.com/git-trace/git-trace/agents/transcript"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// tools lists tools of Cline and Roo, with their effects on files.
var tools = toolcall.Tools{
	"read_files": toolcall.Reads, "read_file": toolcall.Reads,
	"editor": toolcall.Replaces, "replace_in_file": toolcall.Replaces, "apply_diff": toolcall.Replaces,
	"search_replace": toolcall.Replaces, "edit_file": toolcall.Replaces, "edit": toolcall.Replaces,
	"write_to_file": toolcall.Writes, "new_file": toolcall.Writes,
	"apply_patch":  toolcall.Patches,
	"run_commands": toolcall.Runs, "execute_command": toolcall.Runs,
	"search_codebase": toolcall.Looks, "fetch_web_content": toolcall.Looks, "ask_question": toolcall.Looks,
	"spawn_agent": toolcall.Looks, // the file has a subagent's calls
}

// Parse reads a session's document or a task's conversation.
func (s sessions) Parse(ctx context.Context, path string, options capability.ParseOptions,
	sink records.Sink) (*capability.Parsed, error) {
	sum := &totals{}
	kind := sessionfile.Kind{
		Agent: s.name, Open: open, Subagent: subtask,
		Session: func(path string, file sessionfile.File) string { return cmp.Or(idIn(file), s.SessionID(path)) },
		Format: func(c *assemble.Conversation, of sessionfile.Place) sessionfile.Format {
			return newSession(c, of, sum)
		},
	}
	return kind.Parse(ctx, path, options, sink)
}

// open opens a document with a list of messages, or a bare list.
func open(path, _ string) (sessionfile.File, error) {
	tail, err := transcript.Open(path)
	if err != nil {
		return nil, err
	}
	head, err := io.ReadAll(io.LimitReader(tail.From(0), 64))
	_ = tail.Close()
	if err != nil {
		return nil, err
	}
	if head = bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF"))); len(head) > 0 && head[0] == '[' {
		array, err := sessionfile.Array(path)
		if err == nil && isView(array) {
			return viewed{array}, nil
		}
		return array, err
	}
	return sessionfile.Document(path, "messages")
}

// idIn returns the session id in a document.
func idIn(file sessionfile.File) string {
	id := ""
	sessionfile.First(file, 8, func(object jsonlines.Object) bool {
		id = rawjson.MemberText(object.Raw, "sessionId")
		return id == "" && rawjson.Member(object.Raw, "role") == nil
	})
	return payload.CheckedID(id)
}

// session is a conversation that is being read.
type session struct {
	sessionfile.Plain
	c      *assemble.Conversation
	cwd    string
	copies map[string]bool // the messages of the session that was forked
	shown  *shown          // the user's view of a task; nil for a session's document
	sum    *totals
	child  string // the subtask that is running
	open   string // the XML call that has no result yet
	number int    // the number of the last answer

	thought []string // the model's thinking before an answer that has not come yet
}

// totals has the totals of a task and its subtasks.
type totals struct {
	cost        float64
	checkpoints []checkpoint
}

func newSession(c *assemble.Conversation, of sessionfile.Place, sum *totals) *session {
	path := of.Path
	s := &session{c: c, cwd: dirOf(path), sum: sum}
	if strings.HasSuffix(path, document) {
		raw := manifestOf(path)
		meta := rawjson.Member(raw, "metadata")
		origin := payload.CheckedID(rawjson.MemberText(rawjson.Member(meta, "fork"), "forkedFromSessionId"))
		if origin != "" {
			s.copies = copiesIn(filepath.Join(filepath.Dir(filepath.Dir(path)), origin, origin+document))
		}
		title := rawjson.MemberText(meta, "title")
		c.Change(func(h *assemble.Head) {
			if origin != "" {
				h.SetMeta("forked_from", []string{origin})
			}
			h.AddMeta("title", title)
		})
	} else {
		s.shown = readShown(path)
		item := beside(path, itemFile)
		s.child = rawjson.MemberText(item, "awaitingChildId")
		if of.Main == "" {
			c.Change(func(h *assemble.Head) {
				h.AddMeta("parent_session", payload.CheckedID(rawjson.MemberText(item, "parentTaskId")))
			})
		}
	}
	c.Change(func(h *assemble.Head) { h.WorksIn(s.cwd) })
	return s
}

// copiesIn returns the ids of the messages of a session that was forked.
func copiesIn(path string) map[string]bool {
	return sessionfile.PeekIn(open, path, func(file sessionfile.File) map[string]bool {
		copies := map[string]bool{}
		sessionfile.All(file, func(object jsonlines.Object) {
			if id := rawjson.MemberText(object.Raw, "id"); id != "" {
				copies[original(id)] = true
			}
		})
		return copies
	})
}

// `original` returns the id that a message had before a fork extended it.
func original(id string) string {
	id, _, _ = strings.Cut(id, "_tool_")
	return id
}

// End records the client's cost of the conversation, and the client's checkpoints of the work tree.
func (s *session) End() error {
	if s.shown != nil {
		s.sum.checkpoints = append(s.sum.checkpoints, s.shown.checkpoints...)
	}
	s.c.Change(func(h *assemble.Head) { // subtasks may be read before or after this
		if len(s.sum.checkpoints) > 0 {
			h.SetMeta("checkpoints", s.sum.checkpoints)
		}
		h.SetCost(s.sum.cost)
	})
	return s.delegated()
}

// Object handles a message, or another member of the document.
func (s *session) Object(object jsonlines.Object) error {
	var m message
	m.decode(object.Raw)
	if m.role == "" {
		s.c.Begin("")
		if prompt := rawjson.MemberText(object.Raw, "system_prompt"); prompt != "" {
			s.c.SystemPrompt(prompt)
			s.c.Take()
			return nil
		}
		s.c.Skip("member")
		return nil
	}
	if m.id != "" && s.copies[original(m.id)] {
		s.c.Begin("")
		s.c.Skip("copied_from_other_session")
		return nil
	}
	s.c.Begin(m.id)
	at := records.Locator{Offset: object.Offset, Line: object.Line, ID: m.id}
	switch m.role {
	case "user":
		return s.user(&m, at)
	case "assistant":
		return s.answer(&m, at)
	}
	s.c.Skip("message:" + sessionfile.Known(m.role))
	return nil
}

// message is a message with its relevant members.
type message struct {
	id, role, kind, display       string
	at                            int64
	content, model, metrics, meta []byte
	reasoning                     string
	request                       string // the client's request, from the user's view
	thoughts                      []byte
	marker, summary               bool // the message replaces messages that were condensed or cut off
}

func (m *message) decode(raw []byte) {
	_ = rawjson.Fill(raw, "id", &m.id, "role", &m.role, "type", &m.kind, "ts", &m.at, "content", &m.content,
		"modelInfo", &m.model, "metrics", &m.metrics, "metadata", &m.meta, "displayRole", &m.display,
		"reasoning_content", &m.reasoning, "summary", &m.thoughts, "isTruncationMarker", &m.marker,
		"isSummary", &m.summary, "request", &m.request)
}
