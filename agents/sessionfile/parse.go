package sessionfile

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
)

type reading struct {
	Kind
	ctx    context.Context
	main   *conversation
	agents subagents
	Tally
	depth int // the depth of the subagents' files that are being read
}

// conversation is a session file that is being read, with its content so far.
type conversation struct {
	Format
	c     *assemble.Conversation
	place Place
	kept  string // the last state that was kept
}

// Parse reads a session file. The steps of a subagent follow the step that started it.
func (k Kind) Parse(ctx context.Context, path string, options capability.ParseOptions,
	sink records.Sink) (*capability.Parsed, error) {
	if k.Open == nil {
		k.Open = Lines
	}
	file, err := k.Open(path, options.Session)
	if err != nil {
		return nil, fmt.Errorf("read session: %w", err)
	}
	defer func() { _ = file.Close() }()
	r := &reading{Kind: k, ctx: ctx, agents: subagents{}}
	place := Place{Path: path, Session: options.Session}
	if place.Session == "" {
		place.Session = k.Session(path, file)
	}
	if place.Session == "" { // the file has no id
		place.Session = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	}
	parsed, err := r.parse(file, place, options, sink)
	if err != nil {
		return nil, fmt.Errorf("read session: %w", err)
	}
	return parsed, nil
}

func (r *reading) parse(file File, place Place, options capability.ParseOptions, sink records.Sink) (*capability.Parsed,
	error) {
	start, err := file.Start()
	if err != nil {
		return nil, err
	}
	parsed := &capability.Parsed{FirstStep: 1}
	at := usable(options.Cursor, place.Session, start, file)
	if at == nil || r.resume(place, options, sink, at) != nil {
		at = nil
		r.begin(place, options, sink)
	}
	var offset, lines int64
	if at != nil {
		offset, lines, parsed.FirstStep = at.Offset, at.Line, at.Steps+1
	}
	in := file.From(offset, lines)
	if err := r.read(r.main, in); err != nil {
		return nil, err
	}
	if start != "" {
		if parsed.Cursor, err = r.cursor(place.Session, start, file, in); err != nil {
			return nil, err
		}
	}
	return parsed, r.finish(parsed)
}

func (r *reading) options(place Place, options capability.ParseOptions) assemble.Options {
	return assemble.Options{
		Agent: r.Agent, Session: place.Session, TraceID: string(events.NewTraceID(r.Agent, place.Session)),
		Prices: options.Prices, Relative: options.Relative, Subagent: r.subagent,
	}
}

// `begin` starts the conversation from the beginning of the file.
func (r *reading) begin(place Place, options capability.ParseOptions, sink records.Sink) {
	c := assemble.New(sink, r.options(place, options))
	r.main = &conversation{Format: r.Format(c, place), c: c, place: place}
	r.Tally, r.agents = Tally{}, subagents{}
}

// read passes every object of a file to its conversation.
func (r *reading) read(to *conversation, in Source) error {
	return r.Read(r.ctx, in, to == r.main, func(object jsonlines.Object) error {
		if to == r.main {
			if err := r.keep(); err != nil {
				return err
			}
		}
		return to.Object(object)
	})
}

// registers holds the state that is stored for every place from which a reading can continue.
type registers struct {
	State json.RawMessage  `json:"state"`
	Lost  jsonlines.Faults `json:"lost,omitzero"`
}

// `keep` stores the state before an object, so that a reading can continue there.
func (r *reading) keep() error {
	state, err := json.Marshal(r.main.State())
	if err != nil {
		return fmt.Errorf("keep the state of a reading: %w", err)
	}
	lost := r.Lost
	lost.Torn = 0 // it will be read again
	raw, err := json.Marshal(registers{state, lost})
	if err != nil {
		return fmt.Errorf("keep the state of a reading: %w", err)
	}
	if string(raw) != r.main.kept {
		r.main.kept = string(raw)
		r.main.c.Remember(raw)
	}
	return nil
}

// `finish` ends the conversation.
func (r *reading) finish(parsed *capability.Parsed) error {
	if err := r.main.End(); err != nil {
		return err
	}
	head, err := r.main.c.Finish()
	if err != nil {
		return err
	}
	r.Tell(parsed, head)
	return nil
}
