package codexcli

import (
	"cmp"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
)

// sessions implements the capabilities for the agent's session files.
type sessions struct{ env capability.Env }

// parser reads a rollout of any version.
func (s sessions) parser() sessionfile.Kind {
	return sessionfile.Kind{
		Agent:   Name,
		Session: func(path string, file sessionfile.File) string { return cmp.Or(peek(file).id, s.SessionID(path)) },
		Format: func(c *assemble.Conversation, of sessionfile.Place) sessionfile.Format {
			return newRollout(c, of)
		},
		Subagent: subagentFile,
	}
}

// rollout is a session file that is being read.
type rollout struct {
	sessionfile.Plain
	c     *assemble.Conversation
	state state
	notes map[string]*note // data from events about calls without a result
	line  line

	programs   []program // answers that run programs, the latest last
	forkedFrom bool      // the file of the session that was forked exists
}

// state holds the data of earlier lines that later lines need.
type state struct {
	ID      string   `json:"id,omitempty"` // the session's id in the first line
	Cwd     string   `json:"cwd,omitempty"`
	Model   string   `json:"model,omitempty"`
	Prompt  string   `json:"prompt,omitempty"` // the hash of the system prompt
	Tools   []string `json:"tools,omitempty"`
	Running bool     `json:"running,omitempty"` // a turn is running
	Said    bool     `json:"said,omitempty"`    // the model has answered in this turn
	Typed   string   `json:"typed,omitempty"`   // the hash of the last prompt, until another item comes
	Copied  bool     `json:"copied,omitempty"`  // the lines are copies from another session

	Open  bool   `json:"open,omitempty"` // the next item belongs to the last answer
	Last  string `json:"last,omitempty"` // the key of the last answer
	Usage usage  `json:"usage,omitzero"` // the tokens of the last answer
	Total usage  `json:"total,omitzero"` // the tokens of the session, from the last report
}

func newRollout(c *assemble.Conversation, of sessionfile.Place) *rollout {
	r := &rollout{c: c, notes: map[string]*note{}}
	parent := sessionfile.Peek(of.Path, peek).origin
	r.forkedFrom = parent != "" && rolloutOf(of.Path, parent) != ""
	return r
}

func (r *rollout) State() any { return &r.state }

// Object handles a line.
func (r *rollout) Object(object jsonlines.Object) error {
	l := &r.line
	l.decode(object.Raw)
	at := records.Locator{Offset: object.Offset, Line: object.Line, ID: l.item.id}
	r.c.Begin("")
	if r.copied(l) {
		r.c.Skip("copied_from_other_session")
		return nil
	}
	switch l.kind {
	case "session_meta":
		r.meta(l)
	case "turn_context":
		r.turnContext(l)
	case "response_item":
		return r.take(l, at)
	case "event_msg":
		return r.event(l, at)
	case "token_usage_record":
		return r.usageRecord(l)
	case "compacted":
		r.compaction(l)
	default:
		r.c.Skip(sessionfile.Known(l.kind))
		return nil
	}
	r.c.Take()
	return nil
}
