package show

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/agents/recorder"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/view"
)

// Limits for a step in the drawing of a whole conversation, in lines.
const (
	mostPromptLines = 30
	mostAnswerLines = 20
)

func between(first, last string) string {
	if first == "" || last == "" || first == last {
		return first + last
	}
	return first + " to " + last
}

// figures draws the tokens and the cost of a conversation.
func (d *showDrawer) figures(u *view.Usage) {
	if u == nil {
		return
	}
	text := fmt.Sprintf("%s in, %s out", numbers.Thousands(int(u.Input)), numbers.Thousands(int(u.Output)))
	if u.CacheRead+u.CacheWrite > 0 {
		text += fmt.Sprintf(", %s from and %s to the cache", numbers.Thousands(int(u.CacheRead)),
			numbers.Thousands(int(u.CacheWrite)))
	}
	d.field("tokens", cells.Dotted(text, CostOf(u)))
	if u.Redactions > 0 {
		d.field("redacted", numbers.Count(u.Redactions, "place"))
	}
}

// outcome draws how a conversation ended, as stated by a person or by the agent.
func (d *showDrawer) outcome(r *records.Record) {
	o := &r.Outcome
	text := ""
	if o.Success != nil {
		text = map[bool]string{true: "success", false: "failure"}[*o.Success]
	}
	reward := ""
	if o.Reward != nil {
		reward = "reward " + strconv.FormatFloat(float64(*o.Reward), 'g', -1, 64)
	}
	if text = cells.Dotted(text, reward); text != "" {
		d.field("outcome", cells.Dotted(text, cells.Safe(string(o.SignalConfidence))))
	}
	if said := recorder.Said(r); said != "" {
		d.field("in words", cells.Safe(said))
	}
}

// CostOf returns the cost of a conversation; empty if it is unknown. It names the source of the cost, unless it is the
// price table.
func CostOf(u *view.Usage) string {
	switch {
	case u.CostUSD == nil:
		return ""
	case u.CostBy == records.CostByClient:
		return numbers.Dollars(*u.CostUSD) + " as the client says"
	}
	return numbers.Dollars(*u.CostUSD)
}

// steps draws a conversation from its first step to its last.
func (d *showDrawer) steps(t *TraceView) {
	seen := map[string]*view.Call{}
	for i := range t.Turns {
		for k := range t.Turns[i].Calls {
			c := &t.Turns[i].Calls[k]
			seen[c.ToolCall] = c
		}
	}
	d.prompts = view.PromptNumbers(t.record)
	for i := range t.record.Steps {
		d.line("")
		d.step(t.Trace, &t.record.Steps[i], seen, false)
	}
}

func (s *stepView) draw(d *showDrawer) {
	d.step(s.Trace, s.Step, nil, true)
	d.changes(s.Hunks)
	for i := range s.Step.ToolCalls {
		call := &s.Step.ToolCalls[i]
		if !s.wrote(call.ToolCallID) {
			d.allDeclared(d.declares(call, s.Step.Result(call.ToolCallID)))
		}
	}
}

// `wrote` reports whether hooks saw a call, and the text of its changes, if it made any, is not lost.
func (s *stepView) wrote(call string) bool {
	own := func(h *view.Hunk) bool { return h.ToolCall == call }
	return slices.ContainsFunc(s.Hunks, func(h *view.Hunk) bool { return own(h) && h.HasText() }) ||
		slices.Contains(s.seen, call) && !slices.ContainsFunc(s.Hunks, own)
}

// step draws a step, in full or only its main points. The parameter `calls` holds the calls of the log.
func (d *showDrawer) step(trace events.TraceID, s *records.Step, calls map[string]*view.Call, full bool) {
	indent := ""
	if s.ParentStep != nil {
		indent = "  "
	}
	d.line(indent + d.stepHead(trace, s))
	indent += "  "
	room := max(d.width-cells.Width(indent), 20)
	limit := mostAnswerLines
	if s.Role == records.RoleUser {
		limit = mostPromptLines
	}
	if full {
		limit = 1 << 30
	}
	if full && records.Value(s.ReasoningContent) != "" {
		d.prose(indent+"│ ", records.Value(s.ReasoningContent), room-2, limit)
	}
	d.prose(indent, records.Value(s.Content), room, limit)
	for i := range s.ToolCalls {
		call := &s.ToolCalls[i]
		result := s.Result(call.ToolCallID)
		if full {
			d.callInFull(indent, call, result)
		} else {
			d.callLine(indent, room, call, calls[call.ToolCallID], result)
		}
	}
}

// stepHead returns the first line of a step: its id, speaker, prompt, time, model and tokens.
func (d *showDrawer) stepHead(trace events.TraceID, s *records.Step) string {
	who, name := "user", ""
	switch {
	case s.Role == records.RoleSystem:
		who = "system"
	case s.Role == records.RoleAgent && records.Value(s.AgentRole) != "" && records.Value(s.AgentRole) != "main":
		who = records.Value(s.AgentRole)
	case s.Role == records.RoleAgent:
		who = "agent"
	case s.ParentStep != nil:
		who = strings.TrimSuffix("task of "+records.Value(s.AgentRole), " of ")
	}
	id := d.pen.Paint(traceColor(trace), d.safe(d.short(trace))+":"+strconv.Itoa(s.StepIndex))
	if n := d.prompts[s.StepIndex]; n > 0 {
		name = "  " + d.conversation(trace, n)
	}
	facts := []string{clock(records.Value(s.Timestamp)), view.ModelName(records.Value(s.Model))}
	if n := s.TokenUsage.OutputTokens; n > 0 {
		facts = append(facts, numbers.Thousands(int(n))+" tokens out")
	}
	if s.CallType != nil && *s.CallType == records.CallWarmup {
		facts = append(facts, "warm-up")
	}
	return id + "  " + d.pen.Paint(cells.Bold, d.safe(who)) + name + "  " + d.pen.Paint(cells.Faint,
		d.safe(cells.Dotted(facts...)))
}

// clock returns a time in the user's time zone, to the second. It returns any other text unchanged.
func clock(stamp string) string {
	at, err := time.Parse(time.RFC3339Nano, stamp)
	if err != nil {
		return stamp
	}
	return at.Local().Format(time.DateTime)
}

// prose draws text. It keeps the text's lines, and breaks long ones at blanks.
func (d *showDrawer) prose(indent, text string, room, limit int) {
	text = strings.Trim(text, "\n")
	if strings.TrimSpace(text) == "" {
		return
	}
	left := limit
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		safe := d.content(strings.TrimRight(line, "\r"))
		pieces := []string{safe}
		if cells.Width(safe) > room {
			lead := safe[:len(safe)-len(strings.TrimLeft(safe, " "))]
			if cells.Width(lead) > room/2 {
				lead = ""
			}
			pieces = cells.Wrap(safe, room-cells.Width(lead), 1<<30)
			for k := range pieces {
				pieces[k] = lead + pieces[k]
			}
		}
		for _, piece := range pieces {
			if left--; left < 0 {
				d.line(indent + d.pen.Paint(cells.Faint, fmt.Sprintf("… %s more", numbers.Count(len(lines)-i, "line"))))
				return
			}
			d.line(indent + piece)
		}
	}
}

// callLine draws a call and its changes on one line, and its error, if any, on another.
func (d *showDrawer) callLine(
	indent string, room int, call *records.ToolCall, seen *view.Call, result *records.Observation,
) {
	name := cells.Safe(call.ToolName)
	argument, path := view.MainArgument(call.Input)
	cut := d.cut
	if path {
		argument, cut = d.inside(argument), d.cutLeft // the end of a path says more
	}
	changed := d.changed(call, seen, result)
	if changed != "" {
		changed = "  " + changed
	}
	d.line(indent + d.pen.Paint(cells.Bold, name) + "  " + cut(cells.Safe(cells.Line(argument)),
		max(room-cells.Width(name)-2-cells.Width(changed), 10)) + d.pen.Paint(cells.Faint, changed))
	if result != nil && records.Value(result.Error) != "" {
		text := cells.Line(records.Value(result.Error) + ": " + records.Value(result.OutputSummary))
		d.line(indent + "  " + d.pen.Paint(cells.Faint, d.cut(cells.Safe(text), room-2)))
	}
}

// callInFull draws a call with its input and its result.
func (d *showDrawer) callInFull(indent string, call *records.ToolCall, result *records.Observation) {
	room := max(d.width-cells.Width(indent)-2, 20)
	d.line("")
	d.line(indent + d.pen.Paint(cells.Bold, d.safe(call.ToolName)) + "  " + d.pen.Paint(cells.Faint,
		d.safe(call.ToolCallID)))
	members := records.Members(call.Input)
	if len(d.declares(call, result)) > 0 {
		members = besideTexts(call.Input)
	}
	for _, m := range members {
		text := d.inside(m.Text)
		if strings.Contains(text, "\n") || cells.Width(text)+len(m.Name)+2 > room {
			d.line(indent + d.safe(m.Name) + ":")
			d.prose(indent+"  ", text, room, 1<<30)
		} else {
			d.line(indent + d.safe(m.Name) + ": " + d.content(text))
		}
	}
	if result == nil {
		return
	}
	head := "→"
	if records.Value(result.Error) != "" {
		head += " " + d.safe(records.Value(result.Error))
	}
	d.line(indent + d.pen.Paint(cells.Faint, head))
	d.prose(indent+"  ", records.Value(result.Content), room, 1<<30)
}
