package claudecode

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/agents/transcript"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
)

type session struct {
	ctx     context.Context
	id      string // the session of these steps
	main    *chain
	agents  *agentFiles
	origins *origins
	entry   entry
	depth   int // the depth of subagents' files that are being read
	sessionfile.Tally
}

// chain is one conversation in a session file: the main one, or the conversation of a subagent.
type chain struct {
	c       *assemble.Conversation
	file    string // path of a subagent's file, relative to the session file's directory
	reg     registers
	command *command // a slash command whose effect is not known yet
	asked   bool     // there was a prompt
	warmup  bool     // the client talks to itself to fill a cache
	sides   map[string]*chain
	roots   map[string]*chain // subagent that a line belongs to, by the line's uuid
}

// registers holds the data of earlier lines that later lines need. It is stored in cursors, so its fields are exported.
type registers struct {
	Cwd     string           `json:"cwd,omitempty"`
	Version string           `json:"version,omitempty"`
	Branch  string           `json:"branch,omitempty"`
	Entry   string           `json:"entry,omitempty"` // way in which the client was started: cli, sdk-cli
	User    string           `json:"user,omitempty"`
	Prompt  string           `json:"prompt,omitempty"` // the hash of the system prompt
	Tools   []string         `json:"tools,omitempty"`
	Lost    jsonlines.Faults `json:"lost,omitzero"`
	// Summaries holds titles of conversations whose last line was not read yet: most belong to other conversations.
	Summaries []summary `json:"summaries,omitempty"`
}

// sessionCursor is the place at which a reading ended.
type sessionCursor struct {
	*assemble.Cursor
	Session string           `json:"session"`
	Start   string           `json:"start"`              // the hash of the file's beginning
	Origins []string         `json:"origins,omitzero"`   // the sessions from which lines are known to be copied
	Agents  map[string]int64 `json:"subagents,omitzero"` // the sizes of the subagents' files that were read
	Below   jsonlines.Faults `json:"below,omitzero"`     // the unreadable parts of these files
}

// Parse reads a session file of any version since 1.0. The steps of a subagent follow the step that started it.
func (c *Client) Parse(ctx context.Context, path string, options capability.ParseOptions,
	sink records.Sink) (*capability.Parsed, error) {
	file, err := transcript.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read session: %w", err)
	}
	defer func() { _ = file.Close() }()
	s := &session{ctx: ctx, agents: listAgents(path)}
	hints := peek(file)
	s.id = hints.session(options.Session, path)
	s.origins = findOrigins(path, s.id, hints)
	parsed := &capability.Parsed{FirstStep: 1}
	cursor := s.usable(file, options.Cursor)
	if err := s.begin(options, sink, cursor); err != nil {
		if cursor == nil {
			return nil, fmt.Errorf("read session: %w", err)
		}
		cursor = nil
		if err = s.begin(options, sink, nil); err != nil {
			return nil, fmt.Errorf("read session: %w", err)
		}
	}
	var offset, line int64
	if cursor != nil {
		offset, line, parsed.FirstStep = cursor.Offset, cursor.Line, cursor.Steps+1
	}
	in := jsonlines.NewReader(file.From(offset), offset, line)
	if err := s.read(s.main, in); err != nil {
		return nil, fmt.Errorf("read session: %w", err)
	}
	if parsed.Cursor, err = s.cursor(file, in); err != nil {
		return nil, fmt.Errorf("read session: %w", err)
	}
	if err := s.finish(parsed); err != nil {
		return nil, fmt.Errorf("read session: %w", err)
	}
	return parsed, nil
}

// `begin` starts the conversation, from a cursor or from the beginning.
func (s *session) begin(options capability.ParseOptions, sink records.Sink, cursor *sessionCursor) error {
	o := assemble.Options{
		Agent: Name, Session: s.id, TraceID: string(events.NewTraceID(Name, s.id)),
		Prices: options.Prices, Relative: options.Relative, Subagent: s.subagent,
	}
	s.main = &chain{sides: map[string]*chain{}, roots: map[string]*chain{}}
	if cursor == nil {
		s.main.c = assemble.New(sink, o)
		s.main.c.Change(func(h *assemble.Head) {
			if forked := s.origins.names(); len(forked) > 0 {
				h.SetMeta("forked_from", forked)
			}
		})
		return nil
	}
	c, err := assemble.Resume(sink, o, cursor.Cursor)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(cursor.Registers, &s.main.reg); err != nil && len(cursor.Registers) > 0 {
		return err
	}
	s.main.c = c
	s.main.asked = cursor.Steps > 0
	s.Lost, s.Below = s.main.reg.Lost, cursor.Below
	return s.agents.resume(cursor.Agents)
}

// read passes every object of a file to its chain.
func (s *session) read(ch *chain, in *jsonlines.Reader) error {
	return s.Read(s.ctx, in, ch == s.main, func(object jsonlines.Object) error { return s.object(ch, object) })
}

// end settles a slash command that still waits for its next line.
func (ch *chain) end() error {
	if ch.command == nil {
		return nil
	}
	return ch.resolve(commandBuiltIn)
}

// cursor returns the place at which reading can continue. It must be called before the conversation is finished.
func (s *session) cursor(file *transcript.Tail, in *jsonlines.Reader) (json.RawMessage, error) {
	s.main.reg.Lost = s.Lost
	s.main.reg.Lost.Torn = 0 // it will be read again
	s.main.keep()
	at, err := s.main.c.Cursor(in.End(), in.Lines())
	if err != nil || at == nil {
		return nil, err
	}
	start, err := sessionfile.StartOf(file)
	if err != nil {
		return nil, err
	}
	return json.Marshal(sessionCursor{Cursor: at, Session: s.id, Start: start, Origins: s.origins.names(),
		Agents: s.agents.sizes(), Below: s.Below})
}

func (s *session) usable(file *transcript.Tail, raw json.RawMessage) *sessionCursor {
	if len(raw) == 0 {
		return nil
	}
	cursor := &sessionCursor{Cursor: &assemble.Cursor{}}
	if json.Unmarshal(raw, cursor) != nil || cursor.Session != s.id || cursor.Offset > file.Size() {
		return nil
	}
	if start, err := sessionfile.StartOf(file); err != nil || start != cursor.Start ||
		!slices.Equal(cursor.Origins, s.origins.names()) {
		return nil
	}
	return cursor
}

// `finish` ends the conversation and adds the subagents that no call names.
func (s *session) finish(parsed *capability.Parsed) error {
	if err := s.main.end(); err != nil {
		return err
	}
	if err := s.main.c.Settle(); err != nil {
		return err
	}
	for _, file := range s.agents.unread() {
		if err := s.readAgent(s.main.c, file, 0); err != nil {
			return err
		}
	}
	head, err := s.main.c.Finish()
	if err != nil {
		return err
	}
	s.Tell(parsed, head)
	return nil
}
