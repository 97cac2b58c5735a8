package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/view"
)

// traceView is a conversation.
type traceView struct {
	view.Conversation
	Subagents []string     `json:"subagents"`
	Turns     []promptView `json:"turns"`
	// Record is the stored record, null when there is none.
	Record json.RawMessage `json:"record"`
	// Own tells whether this clone stored the record.
	Own bool `json:"own"`

	record *records.Record
	far    bool // the log that tells of it is that of another clone
}

// promptView is a prompt and the tool calls that it led to. Index 0 stands for what was before the first prompt that
// was seen: prompts that only the record has, one after the other, and calls.
type promptView struct {
	Trace events.TraceID `json:"trace"`
	Agent string         `json:"agent"`
	Index int            `json:"index"`
	Kind  string         `json:"kind,omitempty"`
	Time  *time.Time     `json:"time"`
	Chars int            `json:"chars"`
	Text  *string        `json:"text"` // null when this machine does not have it
	Calls []callView     `json:"calls"`

	alone bool
	said  int // its number in the order of the record's prompts; 0 where the record does not have it
}

// callView is a tool call: what it was, what it changed, and which commits hold its lines.
type callView struct {
	ToolCall string             `json:"tool_call"`
	Tool     string             `json:"tool"`
	Class    string             `json:"class"`
	Subagent string             `json:"subagent,omitempty"`
	Prompt   int                `json:"prompt"`
	Step     int                `json:"step"`
	Model    string             `json:"model"`
	Status   string             `json:"status"` // empty while it is open
	Opened   *time.Time         `json:"opened"`
	Closed   *time.Time         `json:"closed"`
	Paths    []string           `json:"paths"` // that it declared
	Files    []fileChange       `json:"files"`
	Patches  []events.PatchID   `json:"patches"`
	Commits  []view.CommitLines `json:"commits"`
	Limits   []events.Limit     `json:"limits"`

	seen    bool         // by a hook, which saw what it changed
	anchors []fileChange // the lines of it that commits hold, by path
	follows int          // of the prompts of the record, the number in their order of the one that it followed
}

// fileChange is what somebody changed in a file.
type fileChange struct {
	Path       string `json:"path"`
	PathBase64 string `json:"path_base64,omitempty"` // of a path that is not UTF-8
	Added      int    `json:"added"`
	Removed    int    `json:"removed"`
}

func (v *viewer) trace(id events.TraceID) (*traceView, error) {
	known, found, err := v.known.Conversation(id)
	if err != nil || !found {
		return nil, errors.Join(err, missing(found, "conversation "+string(id)))
	}
	list := []view.Conversation{known}
	if err := v.known.Complete(v.ctx, list); err != nil {
		return nil, err
	}
	t := &traceView{Conversation: list[0], Subagents: []string{}}
	writer, err := events.OpenLog(v.repo).Writer()
	if err != nil {
		return nil, err
	}
	t.far = t.Writer != "" && t.Writer != writer
	if t.record, t.Record, t.Own, err = v.record(id); err != nil {
		return nil, err
	}
	recorded, turns, err := v.turns(id, t.record)
	if err != nil {
		return nil, err
	}
	t.Turns = turns
	for _, e := range recorded {
		if e.Subagent != "" && !slices.Contains(t.Subagents, e.Subagent) {
			t.Subagents = append(t.Subagents, e.Subagent)
		}
	}
	return t, nil
}

func (v *viewer) prompt(id events.TraceID, n int) (*promptView, error) {
	record, _, _, err := v.record(id)
	if err != nil {
		return nil, err
	}
	_, turns, err := v.turns(id, record)
	if err != nil {
		return nil, err
	}
	for _, turn := range turns {
		if turn.Index == n {
			turn.alone = true
			return &turn, nil
		}
	}
	return nil, fail(exitFinding, fmt.Errorf("conversation %.8s has no prompt %d", id, n),
		"it has "+plural(len(turns), "prompt"))
}

// missing is the error for what an index named and the log does not have.
func missing(ok bool, what string) error {
	if ok {
		return nil
	}
	return fail(exitUnchecked, errors.New(what+" is not in the log any more"), "git trace rebuild makes the cache anew")
}

// recorded gives the events of a conversation and the committed lines that it owns.
func (v *viewer) recorded(id events.TraceID) ([]events.Event, []view.Anchored, error) {
	recorded, err := v.reader.ByTrace(id)
	if err != nil {
		return nil, nil, err
	}
	held, err := v.lines.Anchors(id, func(*events.AnchorOwner) bool { return true })
	return recorded, held, err
}

// turns puts the calls of a conversation under the prompts that led to them: those of the log, and those that only the
// record has.
func (v *viewer) turns(id events.TraceID, record *records.Record) ([]events.Event, []promptView, error) {
	recorded, held, err := v.recorded(id)
	if err != nil {
		return nil, nil, err
	}
	agent := ""
	switch {
	case len(recorded) > 0:
		agent = recorded[0].Agent
	case record != nil:
		agent = record.Agent.Name
	}
	turns := []promptView{}
	at := func(index int) *promptView {
		i := slices.IndexFunc(turns, func(p promptView) bool { return p.Index == index })
		if i < 0 {
			i = len(turns)
			turns = append(turns, promptView{Trace: id, Agent: agent, Index: index, Calls: []callView{}})
		}
		return &turns[i]
	}
	for _, e := range recorded {
		if e.Type == events.PromptSubmitted {
			d := events.DataOf[events.PromptData](e)
			p := at(d.Index)
			p.Kind, p.Time, p.Chars = d.Kind, &e.Time, d.Chars
		}
	}
	calls := callsOf(recorded, held)
	if record != nil {
		said := spoken(record)
		for i, prompt := range said.prompts {
			p := at(prompt.number)
			if prompt.number == 0 && p.said > 0 {
				turns = append(turns, promptView{Trace: id, Agent: agent, Calls: []callView{}})
				p = &turns[len(turns)-1]
			}
			p.said = i + 1
			text := strings.ToValidUTF8(prompt.text, "\ufffd")
			p.Text, p.Chars = &text, cmp.Or(p.Chars, utf8.RuneCountInString(text))
			if p.Time == nil {
				p.Time = prompt.at
			}
		}
		calls = said.join(calls, held)
		for i := range calls {
			for k, path := range calls[i].Paths {
				calls[i].Paths[k] = insideOf(v.repo, path)
			}
		}
	}
	for _, c := range calls {
		i := slices.IndexFunc(turns, func(p promptView) bool { return c.Prompt == 0 && p.said > 0 && p.said == c.follows })
		if i < 0 {
			at(c.Prompt)
			i = slices.IndexFunc(turns, func(p promptView) bool { return p.Index == c.Prompt })
		}
		turns[i].Calls = append(turns[i].Calls, c)
	}
	for i := range turns {
		if text, ok, err := v.prompts.Get(id, turns[i].Index); err == nil && ok && turns[i].Text == nil {
			text = strings.ToValidUTF8(text, "\ufffd")
			turns[i].Text = &text
		}
	}
	slices.SortStableFunc(turns, func(a, b promptView) int { return a.Index - b.Index })
	return recorded, turns, nil
}

// callsOf gathers the tool calls of events, in the order in which they began.
func callsOf(recorded []events.Event, held []view.Anchored) []callView {
	calls := []callView{}
	at := map[string]int{}
	of := func(e *events.Event) *callView {
		key := e.Subagent + "\x00" + e.ToolCall
		i, ok := at[key]
		if !ok {
			i = len(calls)
			at[key] = i
			calls = append(calls, callView{
				ToolCall: e.ToolCall, Subagent: e.Subagent, Paths: []string{}, Files: []fileChange{}, Patches: []events.PatchID{},
				Limits: []events.Limit{},
			})
		}
		return &calls[i]
	}
	for i := range recorded {
		e := &recorded[i]
		switch e.Type {
		case events.WindowOpened, events.WindowClosed, events.WindowAbandoned:
			of(e).window(e, events.DataOf[events.WindowData](*e))
		case events.PatchRecorded:
			of(e).change(e, events.DataOf[events.PatchData](*e))
		default:
		}
	}
	for i := range calls {
		calls[i].holds(held)
	}
	return calls
}

// holds notes the commits that hold lines of the call.
func (c *callView) holds(held []view.Anchored) {
	var own []view.Anchored
	for _, a := range held {
		if a.Owner.ToolCall == c.ToolCall && a.Owner.Subagent == c.Subagent {
			own = append(own, a)
		}
	}
	c.Commits = view.SumCommits(own)
	for _, a := range own {
		at := slices.IndexFunc(c.anchors, func(f fileChange) bool { return f.Path == a.Path })
		if at < 0 {
			at = len(c.anchors)
			c.anchors = append(c.anchors, fileChange{Path: a.Path})
		}
		c.anchors[at].Added += a.Lines
	}
}

func (c *callView) window(e *events.Event, d events.WindowData) {
	c.Tool, c.Class, c.Prompt, c.seen = d.Tool, d.Class, d.Prompt, true
	if d.Model != "" {
		c.Model = d.Model
	}
	for _, p := range d.Paths {
		if p = events.RawPath(p); !slices.Contains(c.Paths, p) {
			c.Paths = append(c.Paths, p)
		}
	}
	c.note(e)
	if e.Type == events.WindowOpened {
		c.Opened = &e.Time
		return
	}
	c.Status, c.Closed = d.Status, &e.Time
}

func (c *callView) change(e *events.Event, d events.PatchData) {
	if c.Tool == "" {
		c.Tool, c.Prompt, c.Model = d.Tool, d.Prompt, d.Model
	}
	c.note(e)
	c.Patches = append(c.Patches, d.Patch)
	path := events.RawPath(d.Path)
	at := slices.IndexFunc(c.Files, func(f fileChange) bool { return f.Path == path })
	if at < 0 {
		at = len(c.Files)
		c.Files = append(c.Files, fileChange{Path: path, PathBase64: graph.EncodeBytes(path)})
	}
	c.Files[at].Added += max(0, d.NewCount)
	c.Files[at].Removed += max(0, d.OldCount)
}

func (c *callView) note(e *events.Event) {
	if e.Step > 0 {
		c.Step = e.Step
	}
	for _, l := range e.Limits {
		if !slices.Contains(c.Limits, l) {
			c.Limits = append(c.Limits, l)
		}
	}
}
