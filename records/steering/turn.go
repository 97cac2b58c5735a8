package steering

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/treetrace"
)

// turn is a prompt with the agent's work up to the next prompt. It becomes a node of the document.
type turn struct {
	conv   *conversation
	number int    // number of the node, from 1
	name   string // the prompt's name in commands; "" if it has none
	step   int    // the step of the prompt; 0 for the turn before the first one
	text   string
	at     *string
	source []string // ids of the session file's entries

	model   *string
	calls   []*call
	changes []*change
	answers int
	answer  string // the last answer of the main conversation
	last    int    // the last step

	raw, nudges, reruns int
	kind, kindBy        string
	byLines             bool // the turn is a correction only because it removed lines
	abandoned           bool
	branch              int   // 0 for the main line
	from                int   // the step at which an abandoned branch begins
	previous            *turn // the previous turn in the conversation that the person saw
	parent              *turn
	rejections          []treetrace.Rejection
	rolledBack          bool          // a command undid earlier turns
	stopped             bool          // the turn ended with an interruption or a declined call
	taken               map[*turn]int // numbers of removed lines, by the turn that wrote them
	constraints         []constraint
}

// conversation is a record that is divided into turns.
type conversation struct {
	*Conversation
	id string

	gitBranch string
	before    *turn // the turn before its first prompt
	turns     []*turn
	all       []*call
	branches
	places places
	origin *turn // the turn of another conversation that this conversation continues

	lastCommitted int
}

// meta reads a member of the record's metadata; a member in another form is ignored.
func (c *conversation) meta(name string, to any) { _ = json.Unmarshal(c.Record.Metadata[name], to) }

// newConversation divides a record into turns.
func newConversation(c *Conversation, roots []string) *conversation {
	out := &conversation{Conversation: c, id: c.Record.SessionID,
		gitBranch: records.Value(c.Record.Environment.VCS.Branch)}
	out.branches.read(c.Record)
	out.places.read(c.Record, roots)
	var about metadata
	about.read(c.Record)
	d := divider{conversation: out, about: &about, of: map[int]*turn{}}
	for i := range c.Record.Steps {
		d.step(&c.Record.Steps[i])
	}
	out.link()
	return out
}

type divider struct {
	*conversation
	about *metadata
	of    map[int]*turn // turns by step
	now   *turn

	rolled bool // turns were undone since the last prompt
}

func (d *divider) step(s *records.Step) {
	kind := records.CallMain
	if s.CallType != nil {
		kind = *s.CallType
	}
	defer func() {
		_, rolled := d.about.rolledBack[s.StepIndex]
		d.rolled = d.rolled || rolled
	}()
	switch {
	case kind == records.CallWarmup, s.Role == records.RoleSystem:
	case s.Role == records.RoleUser && kind == records.CallMain && strings.TrimSpace(records.Value(s.Content)) != "" &&
		!d.task(s.StepIndex):
		d.now = &turn{
			conv: d.conversation, step: s.StepIndex, text: records.Value(s.Content), at: s.Timestamp, raw: 1, last: s.StepIndex,
			branch: d.branchOf[s.StepIndex], source: d.about.ids[s.StepIndex], taken: map[*turn]int{},
		}
		d.now.abandoned, d.now.rolledBack, d.rolled = d.now.branch > 0, d.rolled, false
		d.turns = append(d.turns, d.now)
		d.of[s.StepIndex] = d.now
		d.interrupted(d.now, s.StepIndex)
	case s.Role == records.RoleAgent:
		d.answered(s, kind)
	}
}

func (d *divider) task(step int) bool { return d.Known != nil && d.Known.Tasks[step] }

func (d *divider) answered(s *records.Step, kind records.CallType) {
	t := d.now
	if s.ParentStep != nil && d.of[*s.ParentStep] != nil {
		t = d.of[*s.ParentStep]
	}
	if t == nil {
		if d.before == nil {
			d.before = &turn{conv: d.conversation, taken: map[*turn]int{}}
		}
		t = d.before
	}
	d.of[s.StepIndex] = t
	t.last = max(t.last, s.StepIndex)
	if t.model == nil {
		t.model = modelName(s.Model)
	}
	if kind == records.CallMain {
		t.answers++
		t.answer = cmp.Or(records.Value(s.Content), t.answer)
	}
	for i := range s.ToolCalls {
		c := newCall(s, &s.ToolCalls[i])
		c.declined = c.declined || d.Known != nil && d.Known.Rejected[c.id]
		c.file = d.places.relative(c.path)
		t.calls = append(t.calls, c)
		d.all = append(d.all, c)
	}
	t.rejectCalls(s)
	if reason := d.about.stops[s.StepIndex]; refusal(reason) {
		t.reject(treetrace.ModelRefusal, treetrace.FromStop, 0.95, nil, s.Timestamp, "")
	}
	d.interrupted(t, s.StepIndex)
}

func refusal(reason string) bool {
	switch strings.ToLower(reason) {
	case "refusal", "content_filter", "safety", "prohibited_content", "blocklist":
		return true
	}
	return false
}

// `interrupted` records an interruption after a step. If a call of this step was declined or stopped, both are one
// rejection.
func (d *divider) interrupted(t *turn, step int) {
	at, known := d.about.interrupted[step]
	if !known {
		return
	}
	t.stopped = t.begun()
	for i := range t.rejections {
		r := &t.rejections[i]
		id := records.Value(r.ToolUseID)
		same := slices.ContainsFunc(t.calls, func(c *call) bool { return c.step == step && c.id == id })
		if same && (r.Kind == treetrace.UserDeclinedTool || r.Kind == treetrace.UserInterrupt) {
			r.Evidence = new(cut(records.Value(r.Evidence)+"; the person interrupted the agent", maxEvidence))
			return
		}
	}
	t.reject(treetrace.UserInterrupt, treetrace.FromText, 1, nil, at, "the person interrupted the agent")
}

// begun reports whether the agent had already answered or called a tool. If the person stopped a prompt earlier, it had
// a typing error or continues in the next prompt: nothing was rejected.
func (t *turn) begun() bool { return len(t.calls) > 0 || t.answer != "" }

// link finds, for each turn, the previous turn that the person saw.
func (c *conversation) link() {
	newest := map[int]*turn{}
	for _, t := range c.turns {
		if t.previous = newest[t.branch]; t.previous == nil && t.branch > 0 {
			t.from = c.list[t.branch-1].From
			for _, other := range c.turns {
				if other.step <= t.from && other != t {
					t.previous = other
				}
			}
		}
		newest[t.branch] = t
	}
}
