package main

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/graph"
)

// traceView is a conversation.
type traceView struct {
	conversation
	Subagents []string     `json:"subagents"`
	Turns     []promptView `json:"turns"`
	// Record is the stored record, null when there is none.
	Record json.RawMessage `json:"record"`

	record *recordView
}

// promptView is a prompt and the tool calls that it led to. Index 0 stands for calls before the first prompt that was
// seen.
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
}

// callView is a tool call: what it was, what it changed, and which commits hold its lines.
type callView struct {
	ToolCall string           `json:"tool_call"`
	Tool     string           `json:"tool"`
	Class    string           `json:"class"`
	Subagent string           `json:"subagent,omitempty"`
	Prompt   int              `json:"prompt"`
	Step     int              `json:"step"`
	Model    string           `json:"model"`
	Status   string           `json:"status"` // empty while it is open
	Opened   *time.Time       `json:"opened"`
	Closed   *time.Time       `json:"closed"`
	Paths    []string         `json:"paths"` // that it declared
	Files    []fileChange     `json:"files"`
	Patches  []events.PatchID `json:"patches"`
	Commits  []commitLines    `json:"commits"`
	Limits   []events.Limit   `json:"limits"`
}

// fileChange is what somebody changed in a file.
type fileChange struct {
	Path       string `json:"path"`
	PathBase64 string `json:"path_base64,omitempty"` // of a path that is not UTF-8
	Added      int    `json:"added"`
	Removed    int    `json:"removed"`
}

func (v *viewer) trace(id events.TraceID) (*traceView, error) {
	sum, ok, err := v.reader.Trace(id)
	if err != nil || !ok {
		return nil, errors.Join(err, missing(ok, "conversation "+string(id)))
	}
	recorded, held, err := v.recorded(id)
	if err != nil {
		return nil, err
	}
	t := &traceView{
		conversation: conversation{
			Trace: id, Agent: sum.Agent, Session: sum.Session, Writer: sum.Writer, Models: append([]string{}, sum.Models...),
			First: sum.First, Last: sum.Last, Prompts: sum.Prompts, Calls: sum.Calls, Added: sum.Added, Removed: sum.Removed,
			Files: sum.Files(), Commits: sumCommits(held), Prompt: firstPrompt(v.prompts, sum),
		},
		Subagents: []string{},
	}
	for _, e := range recorded {
		if e.Subagent != "" && !slices.Contains(t.Subagents, e.Subagent) {
			t.Subagents = append(t.Subagents, e.Subagent)
		}
	}
	t.Turns = v.turns(id, sum.Agent, recorded, callsOf(recorded, held))
	if t.record, err = v.record(id); err != nil {
		return nil, err
	}
	if t.record != nil {
		t.Record = t.record.Record
	}
	return t, nil
}

func (v *viewer) prompt(id events.TraceID, n int) (*promptView, error) {
	recorded, held, err := v.recorded(id)
	if err != nil {
		return nil, err
	}
	agent := ""
	if len(recorded) > 0 {
		agent = recorded[0].Agent
	}
	for _, turn := range v.turns(id, agent, recorded, callsOf(recorded, held)) {
		if turn.Index == n {
			turn.alone = true
			return &turn, nil
		}
	}
	return nil, missing(false, "prompt")
}

// missing is the error for what an index named and the log does not have.
func missing(ok bool, what string) error {
	if ok {
		return nil
	}
	return fail(exitUnchecked, errors.New(what+" is not in the log any more"), "git trace rebuild makes the cache anew")
}

// recorded gives the events of a conversation and the committed lines that it owns.
func (v *viewer) recorded(id events.TraceID) ([]events.Event, []anchored, error) {
	recorded, err := v.reader.ByTrace(id)
	if err != nil {
		return nil, nil, err
	}
	held, err := v.lines.anchors(id, func(*events.AnchorOwner) bool { return true })
	return recorded, held, err
}

// turns puts calls under the prompts that led to them.
func (v *viewer) turns(id events.TraceID, agent string, recorded []events.Event, calls []callView) []promptView {
	turns := []promptView{}
	add := func(p promptView) {
		p.Trace, p.Agent, p.Calls = id, agent, []callView{}
		if text, ok, err := v.prompts.Get(id, p.Index); err == nil && ok {
			text = strings.ToValidUTF8(text, "\ufffd")
			p.Text = &text
		}
		turns = append(turns, p)
	}
	for _, e := range recorded {
		if e.Type == events.PromptSubmitted {
			d := dataOf[events.PromptData](e)
			add(promptView{Index: d.Index, Kind: d.Kind, Time: &e.Time, Chars: d.Chars})
		}
	}
	for _, c := range calls {
		at := slices.IndexFunc(turns, func(p promptView) bool { return p.Index == c.Prompt })
		if at < 0 {
			add(promptView{Index: c.Prompt})
			at = len(turns) - 1
		}
		turns[at].Calls = append(turns[at].Calls, c)
	}
	slices.SortStableFunc(turns, func(a, b promptView) int { return a.Index - b.Index })
	return turns
}

// callsOf gathers the tool calls of events, in the order in which they began.
func callsOf(recorded []events.Event, held []anchored) []callView {
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
			of(e).window(e, dataOf[events.WindowData](*e))
		case events.PatchRecorded:
			of(e).change(e, dataOf[events.PatchData](*e))
		default:
		}
	}
	for i := range calls {
		var own []anchored
		for _, a := range held {
			if a.owner.ToolCall == calls[i].ToolCall && a.owner.Subagent == calls[i].Subagent {
				own = append(own, a)
			}
		}
		calls[i].Commits = sumCommits(own)
	}
	return calls
}

func (c *callView) window(e *events.Event, d events.WindowData) {
	c.Tool, c.Class, c.Prompt = d.Tool, d.Class, d.Prompt
	if d.Model != "" {
		c.Model = d.Model
	}
	for _, p := range d.Paths {
		if p = rawPath(p); !slices.Contains(c.Paths, p) {
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
	path := rawPath(d.Path)
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
