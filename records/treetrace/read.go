package treetrace

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/foreign"
)

// Read makes a conversation from each session of a document, with a step for each prompt and a step for the calls that
// followed it. A file is usually one document. Read stops at the first fault and returns its line and byte.
func Read(r io.Reader, yield func(row int, record *records.Record) error) error {
	return foreign.Each(r, nil, func(file *foreign.Document) ([]*records.Record, error) {
		d, err := Decode(file.Raw)
		if err != nil {
			return nil, err
		}
		return d.conversations()
	}, yield)
}

// builder makes the record of a session.
type builder struct {
	r     *records.Record
	nodes []kept
	last  map[string]int // last step of a node
	first map[string]int

	branches []branch
	branch   map[string]int // number of the branch of an abandoned node, from 1
}

// `kept` is the data of a node that metadata.treetrace keeps.
type kept struct {
	Step           int         `json:"step,omitempty"`
	ID             string      `json:"id"`
	ParentID       *string     `json:"parentId"`
	Kind           string      `json:"kind"`
	Status         string      `json:"status"`
	Nudges         int         `json:"nudges,omitempty"`
	Reruns         int         `json:"reruns,omitempty"`
	FailureSignals []Signal    `json:"failureSignals,omitempty"`
	Rejections     []Rejection `json:"rejections,omitempty"`
}

// branch is an abandoned part of the tree, in the form of metadata.branches.
type branch struct {
	From  int   `json:"from_step"`
	Steps []int `json:"steps"`
}

// conversations returns a record for each session that has nodes, in the order of their first nodes.
func (d *Document) conversations() ([]*records.Record, error) {
	var all []*builder
	of := map[string]*builder{}
	for i := range d.Nodes {
		n := &d.Nodes[i]
		b := of[n.Session]
		if b == nil {
			b = d.begin(n.Session)
			of[n.Session] = b
			all = append(all, b)
		}
		if err := b.node(n); err != nil {
			return nil, err
		}
	}
	out := make([]*records.Record, len(all))
	for i, b := range all {
		b.finish(d)
		out[i] = b.r
	}
	return out, nil
}

// `begin` starts the record of a session with the document's data about it.
func (d *Document) begin(session string) *builder {
	s := Session{ID: session}
	for i := range d.Sessions {
		if d.Sessions[i].ID == session {
			s = d.Sessions[i]
		}
	}
	agent := s.Agent
	if agent == "" {
		agent = agentOf(d.Project.SourceType)
	}
	r := &records.Record{
		SchemaVersion: records.SchemaVersion, SessionID: session, TraceID: string(events.NewTraceID(agent, session)),
		TimestampStart: s.FirstTS, TimestampEnd: s.LastTS,
		Agent: records.Agent{Name: agent}, Lifecycle: records.Provisional,
		Outcome: records.Outcome{SignalSource: records.SourceDeterministic, SignalConfidence: records.SignalInferred},
	}
	r.Metrics.TotalCacheReadTokens = max(s.CacheReadTokens, 0)
	r.Metrics.TotalInputTokens = max(s.InputTokens-r.Metrics.TotalCacheReadTokens, 0)
	r.Metrics.TotalOutputTokens = max(s.OutputTokens, 0)
	if s.Title != nil {
		r.SetMeta("title", *s.Title)
	}
	return &builder{r: r, last: map[string]int{}, first: map[string]int{}, branch: map[string]int{}}
}

// agentOf returns the agent that wrote session files of this type.
func agentOf(sourceType string) string {
	switch sourceType {
	case "claude-code-jsonl":
		return "claude-code"
	case "codex-rollout":
		return "codex-cli"
	case "":
		return "unknown"
	}
	return sourceType
}

// node adds a prompt and its calls.
func (b *builder) node(n *Node) error {
	k := kept{
		ID: n.ID, ParentID: n.ParentID, Kind: n.Kind, Status: n.Status, Nudges: n.Nudges, Reruns: n.Reruns,
		FailureSignals: n.FailureSignals, Rejections: n.Rejections,
	}
	from := len(b.r.Steps) + 1
	if n.Text != "" {
		s, err := b.r.AddStep(records.Step{Role: records.RoleUser, CallType: new(records.CallMain),
			Timestamp: n.Timestamp, Content: new(n.Text)})
		if err != nil {
			return err
		}
		k.Step = s.StepIndex
		if b.r.Task.Description == nil {
			b.r.Task.Description, b.r.Task.Source = new(n.Text), new("user_prompt")
		}
	}
	if err := b.calls(n); err != nil {
		return err
	}
	if len(b.r.Steps) >= from {
		b.abandon(n, from)
	}
	b.first[n.ID], b.last[n.ID] = from, len(b.r.Steps)
	b.nodes = append(b.nodes, k)
	return nil
}

// calls adds a step with the actions of a node. An action counts as failed if a rejection names its tool and its
// target.
func (b *builder) calls(n *Node) error {
	if len(n.Actions) == 0 {
		return nil
	}
	s, err := b.r.AddStep(records.Step{Role: records.RoleAgent, CallType: new(records.CallMain),
		Timestamp: n.Timestamp, AgentRole: new("main"), Model: n.Model})
	if err != nil {
		return err
	}
	if b.r.Agent.Model == nil {
		b.r.Agent.Model = n.Model
	}
	named := make([]bool, len(n.Rejections))
	for i := range n.Actions {
		a := &n.Actions[i]
		input := map[string]string{}
		if a.File != nil {
			input["file_path"] = *a.File
		}
		if a.Command != nil {
			input["command"] = *a.Command
		}
		raw, err := json.Marshal(input)
		if err != nil {
			raw = []byte("{}") // a map of strings can always be encoded
		}
		id := fmt.Sprintf("%s#%d", n.ID, i+1)
		s.ToolCalls = append(s.ToolCalls, records.ToolCall{ToolCallID: id, ToolName: records.Value(a.Tool), Input: raw})
		s.Observations = append(s.Observations, a.observation(id, n.Rejections, named))
	}
	return nil
}

func (a *Action) observation(id string, list []Rejection, named []bool) records.Observation {
	out := records.Observation{SourceCallID: id, Error: new(records.ErrorNoResult)}
	for i := range list {
		r := &list[i]
		what := records.Value(a.Command)
		if what == "" {
			what = records.Value(a.File)
		}
		if named[i] || r.Tool == nil || *r.Tool != records.Value(a.Tool) || what == "" ||
			!strings.Contains(records.Value(r.Evidence), what[:min(len(what), 40)]) {
			continue
		}
		named[i] = true
		out.Content = r.Evidence
		switch r.Kind {
		case UserInterrupt:
			out.Error = new(records.ErrorInterrupted)
		case ToolError, PermissionDenied:
			out.Error = new(records.ErrorTool)
		}
		break
	}
	if a.Ran != nil && !*a.Ran {
		out.Error = new(records.ErrorRejected)
	}
	return out
}

// abandon adds the steps of an abandoned node to a branch: to its parent's branch if the parent is also abandoned.
func (b *builder) abandon(n *Node, from int) {
	if n.Status != Abandoned {
		return
	}
	parent := records.Value(n.ParentID)
	at := b.branch[parent]
	if at == 0 {
		b.branches = append(b.branches, branch{From: b.last[parent]})
		at = len(b.branches)
	}
	b.branch[n.ID] = at
	for step := from; step <= len(b.r.Steps); step++ {
		b.branches[at-1].Steps = append(b.branches[at-1].Steps, step)
	}
}

// `finish` puts data for which a record has no member into its metadata.
func (b *builder) finish(d *Document) {
	b.r.Metrics.TotalSteps = len(b.r.Steps)
	chains := []Chain{}
	for _, c := range d.CorrectionChains {
		if _, here := b.last[c.FailureNodeID]; here {
			chains = append(chains, c)
		}
	}
	b.r.SetMeta(Name, map[string]any{"generator": d.Generator, "project": d.Project, "nodes": b.nodes,
		"correctionChains": chains})
	b.r.SetMeta("capture", map[string]any{"method": "import"})
	if len(b.branches) > 0 {
		b.r.SetMeta("branches", b.branches)
	}
}
