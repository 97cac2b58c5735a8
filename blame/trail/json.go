package trail

import (
	"encoding/base64"
	"time"
	"unicode/utf8"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Schema is the schema id of the JSON output; docs/schema/track-1.schema.json describes it.
const Schema = "git-trace.track/1"

// Document is the JSON output.
type Document struct {
	Schema    string          `json:"schema"`
	Trails    []*TrailJSON    `json:"trails"`
	Functions []*FunctionJSON `json:"functions,omitempty"`
}

// TrailJSON is a trail in JSON.
type TrailJSON struct {
	Patch      events.PatchID         `json:"patch"`
	Owner      events.OwnerKind       `json:"owner"`
	Trace      events.TraceID         `json:"trace,omitempty"`
	Agent      string                 `json:"agent,omitempty"`
	Session    string                 `json:"session,omitempty"`
	Subagent   string                 `json:"subagent,omitempty"`
	Model      string                 `json:"model,omitempty"`
	Tool       string                 `json:"tool,omitempty"`
	ToolCall   string                 `json:"tool_call,omitempty"`
	Prompt     int                    `json:"prompt,omitempty"`
	Candidates []events.CandidateData `json:"candidates,omitempty"`
	Path       string                 `json:"path"`
	PathBase64 string                 `json:"path_base64,omitempty"` // set if the path is not UTF-8
	Lines      int                    `json:"lines"`
	Removed    int                    `json:"removed"`
	Created    *CreatedJSON           `json:"created"`
	Steps      []StepJSON             `json:"steps"`
	Now        NowJSON                `json:"now"`
}

// CreatedJSON is the creation of lines, in JSON.
type CreatedJSON struct {
	Time     time.Time      `json:"time"`
	Worktree string         `json:"worktree"`
	Start    int            `json:"start"`
	Count    int            `json:"count"`
	Limits   []events.Limit `json:"limits,omitempty"`
}

// StepJSON is a step in JSON.
type StepJSON struct {
	Kind       StepKind  `json:"kind"`
	Time       time.Time `json:"time"`
	Commit     refs.OID  `json:"commit"`
	From       *refs.OID `json:"from,omitempty"`
	By         string    `json:"by,omitempty"`
	Lines      int       `json:"lines"`
	Runs       []RunJSON `json:"runs"`
	Evidence   string    `json:"evidence"`
	Confidence string    `json:"confidence"`
}

// RunJSON is a run of consecutive lines, in JSON.
type RunJSON struct {
	Path       string    `json:"path"`
	PathBase64 string    `json:"path_base64,omitempty"`
	Start      int       `json:"start"`
	Count      int       `json:"count"`
	Commit     *refs.OID `json:"commit,omitempty"`
	Moved      bool      `json:"moved,omitempty"`
}

// NowJSON gives the present state of lines, in JSON.
type NowJSON struct {
	State          State      `json:"state"`
	Ref            *string    `json:"ref"` // null for the work tree
	Alive          int        `json:"alive"`
	Moved          int        `json:"moved"`
	Places         []RunJSON  `json:"places"`
	Changed        []LossJSON `json:"changed"`
	Reverted       []LossJSON `json:"reverted"`
	Lost           []LossJSON `json:"lost"`
	NeverCommitted int        `json:"never_committed"`
	Stash          string     `json:"stash,omitempty"`
	Worktree       *string    `json:"worktree,omitempty"`
}

// LossJSON describes lost lines, in JSON.
type LossJSON struct {
	Lines    int              `json:"lines"`
	Commit   *refs.OID        `json:"commit"` // null if the loss is uncommitted
	Author   string           `json:"author,omitempty"`
	Owner    events.OwnerKind `json:"owner,omitempty"`
	Trace    events.TraceID   `json:"trace,omitempty"`
	ToolCall string           `json:"tool_call,omitempty"`
}

// JSON converts trails to the JSON output. A path that is not UTF-8 is given in base64 too.
func JSON(list []*Trail) Document {
	d := Document{Schema: Schema, Trails: []*TrailJSON{}}
	for _, t := range list {
		d.Trails = append(d.Trails, t.json())
	}
	return d
}

func (t *Trail) json() *TrailJSON {
	o := &t.Owner
	j := &TrailJSON{
		Patch: t.Patch, Owner: o.Kind, Trace: o.Trace, Agent: o.Agent, Session: o.Session, Subagent: o.Subagent,
		Model: o.Model,
		Tool:  o.Tool, ToolCall: o.ToolCall, Prompt: o.Prompt, Candidates: o.Candidates, Lines: t.Lines, Removed: t.Removed,
		Steps: []StepJSON{},
	}
	j.Path, j.PathBase64 = text(t.Path)
	if c := t.Created; c != nil {
		j.Created = &CreatedJSON{c.Time, c.Worktree, c.Start, c.Count, c.Limits}
	}
	for i := range t.Steps {
		s := &t.Steps[i]
		step := StepJSON{
			Kind: s.Kind, Time: s.Time, Commit: s.Commit, From: given(s.From), By: s.By, Lines: s.Lines(), Runs: []RunJSON{},
			Evidence: s.Tier, Confidence: s.Confidence,
		}
		for _, run := range s.Runs {
			step.Runs = append(step.Runs, run.json())
		}
		j.Steps = append(j.Steps, step)
	}
	j.Now = t.Now.json()
	return j
}

func (n *Now) json() NowJSON {
	j := NowJSON{
		State: n.State, Alive: n.Alive, Moved: n.Moved, Places: []RunJSON{}, Changed: losses(n.Changed),
		Reverted: losses(n.Reverted), Lost: losses(n.Lost), NeverCommitted: n.Dropped, Stash: n.Stash, Worktree: n.Worktree,
	}
	if n.Ref != "" {
		j.Ref = &n.Ref
	}
	for _, p := range n.Places {
		run := p.Run.json()
		run.Commit, run.Moved = given(p.Commit), p.Moved
		j.Places = append(j.Places, run)
	}
	return j
}

func losses(list []Loss) []LossJSON {
	out := []LossJSON{}
	for _, l := range list {
		j := LossJSON{Lines: l.Lines, Commit: given(l.Commit), Author: l.Author}
		if l.Owner != nil {
			j.Owner, j.Trace, j.ToolCall = l.Owner.Kind, l.Owner.Trace, l.Owner.ToolCall
		}
		out = append(out, j)
	}
	return out
}

func (r Run) json() RunJSON {
	j := RunJSON{Start: r.Start, Count: r.Count}
	j.Path, j.PathBase64 = text(r.Path)
	return j
}

// `given` returns a pointer to an id, or nil for the zero id.
func given(id refs.OID) *refs.OID {
	if id.IsZero() {
		return nil
	}
	return &id
}

// text returns a path as JSON text. If that is not exact, bytes has the path in base64.
func text(path string) (shown, bytes string) {
	if utf8.ValidString(path) {
		return path, ""
	}
	return path, base64.StdEncoding.EncodeToString([]byte(path))
}
