package web

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/declared"
	"github.com/git-trace/git-trace/view"
)

// turnBlock is a prompt with its steps.
type turnBlock struct {
	Number  int // of the prompt; 0 without one
	Step    int // the record's step with it
	Kind    string
	Time    *time.Time
	Text    string
	Known   bool // the text is here
	Steps   []*stepBlock
	Anchor  string
	Address string // where it is shown
	At      int    // steps before it
	Brief   bool   // the beginning of its text is shown

	Branches []*branch // what subagents did
	Parts    []partBlock
}

// partBlock is steps of a turn that are shown the same way: whole, or each as a line.
type partBlock struct {
	From, To    int
	Whole       bool
	Steps       []*stepBlock
	Page, Fetch string // the places of the whole texts: the page, and the address for a script
}

// wholeCalls returns the calls of the turn that are shown whole.
func (t *turnBlock) wholeCalls() (out []*callBlock) {
	for _, part := range t.Parts {
		if part.Whole {
			for _, s := range part.Steps {
				out = append(out, s.Calls...)
			}
		}
	}
	return out
}

// Wrote sums the lines that calls of the turn wrote.
func (t *turnBlock) Wrote() (out view.FileChange) {
	for _, s := range t.Steps {
		wrote := s.Wrote()
		out.Added += wrote.Added
		out.Removed += wrote.Removed
	}
	return out
}

// Calls counts the calls of the turn.
func (t *turnBlock) Calls() (n int) {
	for _, s := range t.Steps {
		n += len(s.Calls)
	}
	return n
}

// stepBlock is an answer of the model, with the calls in it.
type stepBlock struct {
	Number    int // of the record; 0 where only the log knows it
	Depth     int // of subagents
	Who       string
	Time      *time.Time
	Model     string
	Text      string
	Reasoning string
	Usage     records.TokenUsage
	Cost      float64 // 0 where it is not known
	Calls     []*callBlock

	parent int // the step whose call started the subagent
	task   bool
}

// Line describes the step on one line.
func (s *stepBlock) Line() string {
	var words []string
	if s.Who != "" {
		words = append(words, s.Who+":")
	}
	for i, c := range s.Calls {
		if i == mostLineCalls {
			words = append(words, "and "+numbers.Count(len(s.Calls)-i, "call"))
			break
		}
		words = append(words, strings.TrimSpace(c.Name+" "+cells.Cut(cells.Line(c.Argument), mostLineWord)))
	}
	if len(s.Calls) == 0 {
		words = append(words, cells.Cut(cells.Line(cmp.Or(s.Text, s.Reasoning)), mostLineText))
	}
	return strings.Join(words, " ")
}

// Bounds of the line of a step.
const (
	mostLineCalls = 2
	mostLineWord  = 32 // cells
	mostLineText  = 72
)

// Wrote sums the lines that the calls of the step wrote.
func (s *stepBlock) Wrote() (out view.FileChange) {
	for _, c := range s.Calls {
		added, removed := c.Lines()
		out.Added += added
		out.Removed += removed
	}
	return out
}

// Failed reports whether a call of the step failed.
func (s *stepBlock) Failed() bool { return slices.ContainsFunc(s.Calls, (*callBlock).Failed) }

// Anchor names the step on its page.
func (s *stepBlock) Anchor() string {
	if s.Number > 0 {
		return "s" + strconv.Itoa(s.Number)
	}
	if len(s.Calls) > 0 {
		return "c-" + s.Calls[0].ToolCall
	}
	return ""
}

// Words counts the words of the reasoning.
func (s *stepBlock) Words() int { return len(strings.Fields(s.Reasoning)) }

// callBlock is a call of a tool.
type callBlock struct {
	view.Call
	Name     string
	Argument string // the most informative part of its input
	Result   string
	Cut      int // bytes of the result that are not shown
	Error    string
	Took     time.Duration
	Hunks    []*view.Hunk
	Declared []*view.Declared // of a call that is shown whole
	Fate     fate

	given json.RawMessage  // the whole input; nil where only the log knows the call
	file  bool             // the argument names one
	input []records.Member // its members; nil until they are needed
}

// mostResult bounds the shown part of a result or of an input, in bytes.
const mostResult = 8 << 10

// Lines sums the changes of the call. If no hook saw the call, they come from commits.
func (c *callBlock) Lines() (added, removed int) {
	for _, f := range c.Files {
		added += f.Added
		removed += f.Removed
	}
	if c.unseen() {
		for _, held := range c.Commits {
			added += held.Lines
		}
	}
	return added, removed
}

// Changed returns the change of a call that is shown whole. For a call that no hook saw, it is the declared text.
func (c *callBlock) Changed() (out view.FileChange) {
	if c.Declared == nil {
		out.Added, out.Removed = c.Lines()
	}
	for _, d := range c.Declared {
		out.Added += d.Added
		out.Removed += d.Removed
	}
	return out
}

// mostDrawn bounds the input that is drawn line by line, in bytes. A larger one is shown as a text.
const mostDrawn = 64 << 10

// Drawn returns the part of the declared change that is drawn line by line.
func (c *callBlock) Drawn() []*view.Declared {
	if len(c.given) > mostDrawn {
		return nil
	}
	return c.Declared
}

// unseen reports whether a record has the call, and no hook saw it.
func (c *callBlock) unseen() bool { return c.given != nil && c.Class == "" }

// edits reports whether the call wrote to files, or says so.
func (c *callBlock) edits() bool {
	return len(c.Patches) > 0 || c.Class == string(events.ToolEdits) || c.unseen() && len(declared.Of(c.given).Edits) > 0
}

// runs reports whether the call ran a command. Beside a file, "command" is the work of an editor.
func (c *callBlock) runs() bool {
	return c.Class == string(events.ToolRuns) || c.unseen() && !c.file && view.IsCommand(c.given)
}

// declare reads the changes that a call of a record declares, if no hook saw them.
func (c *callBlock) declare() {
	if c.unseen() && !c.Failed() {
		c.Declared = view.Declares(c.given, func(path string) string { return path })
	}
}

// Input returns the input of the call, member by member. In a long conversation few calls need it.
func (c *callBlock) Input() []records.Member {
	if c.input == nil {
		c.input = records.Members(c.given)
	}
	return c.input
}

// Failed reports whether the call failed.
func (c *callBlock) Failed() bool {
	return c.Error != "" || c.Status == "failed" || c.Status == "rejected"
}

// blocksOf puts a conversation in order: the record's blocks, then the blocks that only the log has.
func blocksOf(t *talkAnswer) []*turnBlock {
	calls := map[string]*view.Call{}
	for i := range t.Turns {
		for k := range t.Turns[i].Calls {
			c := &t.Turns[i].Calls[k]
			calls[c.ToolCall] = c
		}
	}
	used := map[int]bool{}
	drawn := map[string]bool{}
	var out []*turnBlock
	if t.Record != nil {
		out = recorded(t, calls, used, drawn)
	}
	for i := range t.Turns {
		turn := &t.Turns[i]
		var steps []*stepBlock
		for k := range turn.Calls {
			c := &turn.Calls[k]
			if drawn[c.ToolCall] {
				continue
			}
			block := &callBlock{Call: *c, Name: c.Tool, Argument: strings.Join(c.Paths, ", "),
				Took: view.Between(c.Opened, c.Closed)}
			steps = append(steps, &stepBlock{Who: c.Subagent, Depth: min(len(c.Subagent), 1), Time: c.Opened, Model: c.Model,
				Calls: []*callBlock{block}})
		}
		if used[i] || len(steps) == 0 && (turn.Text == nil && t.Record != nil || turn.Index == 0) {
			if used[i] && len(steps) > 0 {
				at := slices.IndexFunc(out, func(b *turnBlock) bool { return b.Number == turn.Index })
				if at >= 0 {
					out[at].Steps = append(out[at].Steps, steps...)
				}
			}
			continue
		}
		out = append(out, &turnBlock{Number: turn.Index, Kind: turn.Kind, Time: turn.Time, Text: records.Value(turn.Text),
			Known: turn.Text != nil, Steps: steps})
	}
	return out
}

// recorded puts the steps of a record below the prompts that they followed. It notes which turns and calls it has.
func recorded(t *talkAnswer, calls map[string]*view.Call, used map[int]bool, drawn map[string]bool) []*turnBlock {
	var out []*turnBlock
	depths := map[int]int{}
	for i := range t.Record.Steps {
		s := &t.Record.Steps[i]
		if s.ParentStep != nil {
			depths[s.StepIndex] = depths[*s.ParentStep] + 1
		}
		if s.Asks() {
			block := &turnBlock{Step: s.StepIndex, Kind: "user", Time: timeOf(s.Timestamp),
				Text: records.Value(s.Content), Known: true}
			at := 0
			for at < len(t.Turns) && (used[at] || t.Turns[at].Text == nil || *t.Turns[at].Text != block.Text) {
				at++
			}
			if at < len(t.Turns) {
				used[at], block.Number, block.Kind = true, t.Turns[at].Index, t.Turns[at].Kind
			}
			out = append(out, block)
			continue
		}
		step := stepOf(s, calls, drawn)
		step.Depth = min(depths[s.StepIndex], 3)
		if s.ParentStep != nil {
			step.parent, step.task = *s.ParentStep, s.Role == records.RoleUser
		}
		if step.Text == "" && step.Reasoning == "" && len(step.Calls) == 0 {
			continue
		}
		if len(out) == 0 {
			out = append(out, &turnBlock{Kind: "start"})
		}
		last := out[len(out)-1]
		last.Steps = append(last.Steps, step)
	}
	return out
}

// stepOf returns a step of a record with the log's data about its calls.
func stepOf(s *records.Step, calls map[string]*view.Call, drawn map[string]bool) *stepBlock {
	out := &stepBlock{Number: s.StepIndex, Time: timeOf(s.Timestamp),
		Model: records.Value(s.Model), Text: records.Value(s.Content),
		Reasoning: records.Value(s.ReasoningContent), Usage: s.TokenUsage}
	switch role := records.Value(s.AgentRole); {
	case s.Role == records.RoleSystem:
		out.Who = "system"
	case s.Role == records.RoleUser:
		out.Who = strings.TrimSuffix("task of "+role, " of ")
	case role != "" && role != "main":
		out.Who = role
	}
	for i := range s.ToolCalls {
		call := &s.ToolCalls[i]
		block := &callBlock{Name: call.ToolName, given: call.Input}
		block.Argument, block.file = view.MainArgument(call.Input)
		if known := calls[call.ToolCallID]; known != nil {
			block.Call = *known
			block.Took = view.Between(known.Opened, known.Closed)
		} else {
			block.ToolCall = call.ToolCallID
		}
		drawn[call.ToolCallID] = true
		if call.DurationMS != nil {
			block.Took = time.Duration(*call.DurationMS) * time.Millisecond
		}
		if result := s.Result(call.ToolCallID); result != nil {
			block.Result, block.Error = records.Value(result.Content), records.Value(result.Error)
			if block.Result == "" {
				block.Result = records.Value(result.OutputSummary)
			}
			if n := len(block.Result); n > mostResult {
				block.Result, block.Cut = strings.ToValidUTF8(block.Result[:mostResult], ""), n-mostResult
			}
		}
		out.Calls = append(out.Calls, block)
	}
	return out
}

func timeOf(stamp *string) *time.Time {
	at, err := time.Parse(time.RFC3339Nano, records.Value(stamp))
	if err != nil {
		return nil
	}
	return &at
}
