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
	Number  int // number of the prompt; 0 if there is none
	Step    int // the record's step with the prompt
	Kind    string
	Time    *time.Time
	Text    string
	Known   bool // the text of the prompt is here
	Steps   []*stepBlock
	Anchor  string
	Address string // address of the page that shows it
	At      int    // number of steps before it
	Brief   bool   // only the beginning of its text is shown

	Branches []*branch // the work of subagents
	Parts    []partBlock
}

// partBlock is a series of steps of a turn that are shown in the same way: whole, or one line each.
type partBlock struct {
	From, To    int
	Whole       bool
	Steps       []*stepBlock
	Page, Fetch string // addresses of the whole texts: of the page, and for the script
}

// wholeCalls returns the turn's calls that are shown whole.
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

// Wrote sums up the lines that the turn's calls wrote.
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

// stepBlock is an answer of the model with its calls.
type stepBlock struct {
	Number    int // number of the step in the record; 0 if only the log knows the step
	Depth     int // depth of subagents
	Who       string
	Time      *time.Time
	Model     string
	Text      string
	Reasoning string
	Usage     records.TokenUsage
	Cost      float64 // 0 if unknown
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

// Limits for the line of a step.
const (
	mostLineCalls = 2
	mostLineWord  = 32 // cells
	mostLineText  = 72
)

// Wrote sums up the lines that the step's calls wrote.
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

// Anchor returns the step's name in addresses of its page.
func (s *stepBlock) Anchor() string {
	if s.Number > 0 {
		return "s" + strconv.Itoa(s.Number)
	}
	if len(s.Calls) > 0 {
		return "c-" + s.Calls[0].ToolCall
	}
	return ""
}

// Words returns the number of words of the reasoning.
func (s *stepBlock) Words() int { return len(strings.Fields(s.Reasoning)) }

// callBlock is a call of a tool.
type callBlock struct {
	view.Call
	Name     string
	Argument string // the most informative argument of its input
	Result   string
	Cut      int // number of bytes of the result that are not shown
	Error    string
	Took     time.Duration
	Hunks    []*view.Hunk
	Declared []*view.Declared // declared changes, if the call is shown whole
	Fate     fate

	given json.RawMessage  // the whole input; nil if only the log knows the call
	file  bool             // Argument is the name of a file
	input []records.Member // members of given; nil until they are needed
}

// mostResult limits the shown part of a result or an input, in bytes.
const mostResult = 8 << 10

// Lines sums up the changed lines of the call. If no hook saw the call, it counts lines in commits.
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

// Changed returns the change of a call that is shown whole. If no hook saw the call, it is the declared change.
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

// mostDrawn is the size in bytes up to which an input is drawn line by line. A larger input is shown as one text.
const mostDrawn = 64 << 10

// Drawn returns the part of the declared change that is drawn line by line.
func (c *callBlock) Drawn() []*view.Declared {
	if len(c.given) > mostDrawn {
		return nil
	}
	return c.Declared
}

// `unseen` reports whether a record has the call, but no hook saw it.
func (c *callBlock) unseen() bool { return c.given != nil && c.Class == "" }

// edits reports whether the call wrote files, or declares that it did.
func (c *callBlock) edits() bool {
	return len(c.Patches) > 0 || c.Class == string(events.ToolEdits) || c.unseen() && len(declared.Of(c.given).Edits) > 0
}

// `runs` reports whether the call ran a command. In the input of an editor, beside a file, "command" means an action of
// the editor.
func (c *callBlock) runs() bool {
	return c.Class == string(events.ToolRuns) || c.unseen() && !c.file && view.IsCommand(c.given)
}

// declare reads the declared changes of a recorded call, if no hook saw the call.
func (c *callBlock) declare() {
	if c.unseen() && !c.Failed() {
		c.Declared = view.Declares(c.given, func(path string) string { return path })
	}
}

// Input returns the members of the call's input. They are parsed on demand: in a long conversation few calls need them.
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

// blocksOf returns the turns of a conversation in order: the turns of the record, then those that only the log has.
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

// `recorded` groups the steps of a record below the prompts before them. It notes the turns and calls that the record
// has.
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

// stepOf returns a step of a record, with the log's facts about its calls.
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
