package view

import (
	"slices"
	"time"

	"github.com/git-trace/git-trace/events"
)

// Call is a tool call with its changes and the commits that hold its lines.
type Call struct {
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
	Paths    []string         `json:"paths"` // declared paths
	Files    []FileChange     `json:"files"`
	Patches  []events.PatchID `json:"patches"`
	Commits  []CommitLines    `json:"commits"`
	Limits   []events.Limit   `json:"limits"`

	Seen    bool         `json:"-"` // a hook saw the change
	Held    []FileChange `json:"-"` // lines of the call in commits, by path
	follows int          // the place of the preceding prompt in the record's list of prompts
}

// FileChange counts the changed lines of a file.
type FileChange struct {
	Path       string `json:"path"`
	PathBase64 string `json:"path_base64,omitempty"` // path in base64, if it is not UTF-8
	Added      int    `json:"added"`
	Removed    int    `json:"removed"`
}

// callsOf gathers the tool calls of events, in the order in which they began.
func callsOf(recorded []events.Event, held []Anchored) []Call {
	calls := []Call{}
	at := map[string]int{}
	of := func(e *events.Event) *Call {
		key := e.Subagent + "\x00" + e.ToolCall
		i, ok := at[key]
		if !ok {
			i = len(calls)
			at[key] = i
			calls = append(calls, Call{
				ToolCall: e.ToolCall, Subagent: e.Subagent, Paths: []string{}, Files: []FileChange{}, Patches: []events.PatchID{},
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

// holds sets the commits that hold lines of the call.
func (c *Call) holds(held []Anchored) {
	var own []Anchored
	for _, a := range held {
		if a.Owner.ToolCall == c.ToolCall && a.Owner.Subagent == c.Subagent {
			own = append(own, a)
		}
	}
	c.Commits = SumCommits(own)
	for _, a := range own {
		at := slices.IndexFunc(c.Held, func(f FileChange) bool { return f.Path == a.Path })
		if at < 0 {
			at = len(c.Held)
			c.Held = append(c.Held, FileChange{Path: a.Path})
		}
		c.Held[at].Added += a.Lines
	}
}

func (c *Call) window(e *events.Event, d events.WindowData) {
	c.Tool, c.Class, c.Prompt, c.Seen = d.Tool, d.Class, d.Prompt, true
	if d.Model != "" {
		c.Model = SharedModel(d.Model)
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

func (c *Call) change(e *events.Event, d events.PatchData) {
	if c.Tool == "" {
		c.Tool, c.Prompt, c.Model = d.Tool, d.Prompt, SharedModel(d.Model)
	}
	c.note(e)
	c.Patches = append(c.Patches, d.Patch)
	path := events.RawPath(d.Path)
	at := slices.IndexFunc(c.Files, func(f FileChange) bool { return f.Path == path })
	if at < 0 {
		at = len(c.Files)
		c.Files = append(c.Files, FileChange{Path: path, PathBase64: events.EncodeBytes(path)})
	}
	c.Files[at].Added += max(0, d.NewCount)
	c.Files[at].Removed += max(0, d.OldCount)
}

func (c *Call) note(e *events.Event) {
	if e.Step > 0 {
		c.Step = e.Step
	}
	for _, l := range e.Limits {
		if !slices.Contains(c.Limits, l) {
			c.Limits = append(c.Limits, l)
		}
	}
}
