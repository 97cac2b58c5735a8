package dataset

import (
	"encoding/json"

	"github.com/git-trace/git-trace/agents/recorder"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/view"
)

// conversations writes the tables of conversations.
func (m *maker) conversations(list []view.Conversation, t writers) error {
	for i := range list {
		c := &list[i]
		stored, err := m.Known.Record(m.ctx, c.Trace)
		if err != nil {
			return err
		}
		record := stored.Record
		if err := m.row(t["conversations"], m.conversation(c, record)); err != nil {
			return err
		}
		if err := m.prompts(c, t); err != nil {
			return err
		}
		switch {
		case record == nil:
			continue
		case record.Blocked() && !m.Force:
			m.out.LeftOut = append(m.out.LeftOut, c.Trace)
			continue
		}
		if err := m.steps(c, record, t); err != nil {
			return err
		}
	}
	return nil
}

func (m *maker) conversation(c *view.Conversation, r *records.Record) *Conversation {
	row := &Conversation{
		Repo: m.Name, Month: month(c.Last), Agent: maybe(c.Agent), Trace: string(c.Trace), Session: maybe(c.Session),
		Models: append([]string{}, c.Models...), Sources: []string{}, Recorded: c.Usage != nil,
		Started: stampOf(c.First), Ended: stampOf(c.Last), Prompts: int64(c.Prompts), Calls: int64(c.Calls),
		LinesAdded: int64(c.Added), LinesRemoved: int64(c.Removed), Files: int64(c.Files),
	}
	if len(c.Models) == 1 {
		row.Model = maybe(c.Models[0])
	}
	for _, source := range c.Sources {
		row.Sources = append(row.Sources, string(source))
	}
	if u := c.Usage; u != nil {
		row.Steps, row.Redactions = new(int64(u.Steps)), new(int64(u.Redactions))
		row.InputTokens, row.OutputTokens = &u.Input, &u.Output
		row.CacheReadTokens, row.CacheWriteTokens = &u.CacheRead, &u.CacheWrite
		row.CostUSD, row.CostBy, row.PricesAsOf = u.CostUSD, maybe(u.CostBy), maybe(u.PricesAsOf)
	}
	if r == nil {
		return row
	}
	row.AgentVersion, row.DurationS = maybeOf(r.Agent.Version), real(r.Metrics.TotalDurationS)
	row.Context, row.Task = maybeOf(r.ExecutionContext), maybeOf(r.Task.Description)
	row.Branch, row.BaseCommit = maybeOf(r.Environment.VCS.Branch), maybeOf(r.Environment.VCS.BaseCommit)
	row.Success, row.TerminalState = r.Outcome.Success, maybeOf(r.Outcome.TerminalState)
	row.OutcomeSource, row.OutcomeSignal = maybe(r.Outcome.SignalSource), maybe(r.Outcome.SignalConfidence)
	row.OutcomeText, row.Reward = maybeOf(r.Outcome.Description), real(r.Outcome.Reward)
	row.ContentHash = maybeOf(r.ContentHash)
	return row
}

func (m *maker) prompts(c *view.Conversation, t writers) error {
	for n := 1; n <= c.Prompts; n++ {
		text, found, err := m.Known.Prompts().Get(c.Trace, n)
		if err != nil {
			return err
		}
		row := &Prompt{Repo: m.Name, Month: month(c.Last), Agent: maybe(c.Agent), Trace: string(c.Trace), Prompt: int64(n)}
		if found {
			row.Text = &text
		}
		if err := m.row(t["prompts"], row); err != nil {
			return err
		}
	}
	return nil
}

func (m *maker) steps(c *view.Conversation, r *records.Record, t writers) error {
	prompt := promptOf(r)
	for i := range r.Steps {
		s := &r.Steps[i]
		row := &Step{
			Repo: m.Name, Month: month(c.Last), Agent: maybe(c.Agent), Trace: string(c.Trace), Step: int64(s.StepIndex),
			Prompt: number(prompt[i]), Role: string(s.Role), CallType: maybeOf(s.CallType), AgentRole: maybeOf(s.AgentRole),
			ParentStep: numberOf(s.ParentStep), Model: maybeOf(s.Model), At: spoken(s.Timestamp), Content: s.Content,
			Reasoning: s.ReasoningContent, Calls: int64(len(s.ToolCalls)),
			InputTokens: s.TokenUsage.InputTokens, OutputTokens: s.TokenUsage.OutputTokens,
			CacheReadTokens: s.TokenUsage.CacheReadTokens, CacheWriteTokens: s.TokenUsage.CacheWriteTokens,
		}
		if err := m.row(t["steps"], row); err != nil {
			return err
		}
		for n := range s.ToolCalls {
			if err := m.row(t["calls"], m.call(c, s, n, prompt[i])); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *maker) call(c *view.Conversation, s *records.Step, n, prompt int) *Call {
	call := &s.ToolCalls[n]
	row := &Call{
		Repo: m.Name, Month: month(c.Last), Agent: maybe(c.Agent), Trace: string(c.Trace), Step: int64(s.StepIndex),
		Prompt: number(prompt), Number: int64(n + 1), ToolCall: call.ToolCallID, Tool: call.ToolName, Input: call.Input,
		DurationMS: call.DurationMS,
	}
	if !json.Valid(row.Input) {
		row.Input = nil
	}
	if result := s.Result(call.ToolCallID); result != nil {
		row.Output, row.Error = result.Content, maybeOf(result.Error)
	}
	return row
}

// promptOf returns, for each step, the number in the log of the last prompt up to that step; 0 if the record does not
// have the log's numbers.
func promptOf(r *records.Record) []int {
	at := map[int]int{}
	for prompt, step := range recorder.PromptSteps(r) {
		at[step] = prompt
	}
	out := make([]int, len(r.Steps))
	now := 0
	for i := range r.Steps {
		if n, begins := at[r.Steps[i].StepIndex]; begins {
			now = n
		}
		out[i] = now
	}
	return out
}

// patches writes the patches that hooks saw.
func (m *maker) patches(t writers) error {
	own, err := m.Known.Log().OwnWriter()
	if err != nil {
		return err
	}
	for e, err := range events.OpenLog(m.Repo).Walk(m.ctx, events.Range{}) {
		if err != nil {
			return err
		}
		var p events.PatchData
		if e.Type != events.PatchRecorded || e.Writer != own || json.Unmarshal(e.Data, &p) != nil {
			continue
		}
		if err := m.row(t["patches"], m.patch(&e, &p)); err != nil {
			return err
		}
	}
	return nil
}

func (m *maker) patch(e *events.Event, p *events.PatchData) *Patch {
	kept := 0
	for _, run := range p.Kept {
		kept += run.Count
	}
	return &Patch{
		Repo: m.Name, Month: month(e.Time), Agent: maybe(e.Agent), Patch: string(p.Patch), Trace: maybe(e.Trace),
		ToolCall: maybe(e.ToolCall), Prompt: number(p.Prompt), Model: maybe(p.Model), Tool: maybe(p.Tool),
		Owner: string(p.Owner), At: stampOf(e.Time), Path: decodedPath(p.Path), OldPath: decodedOld(p.OldPath),
		OldStart: int64(p.OldStart), OldCount: int64(p.OldCount), NewStart: int64(p.NewStart), NewCount: int64(p.NewCount),
		Kept: int64(kept), Candidates: int64(len(p.Candidates)),
	}
}

// decodedPath returns a path of the log in git's form.
func decodedPath(path string) string {
	if decoded, err := events.DecodePath(path); err == nil {
		return decoded
	}
	return path
}

func decodedOld(path string) *string {
	if path == "" {
		return nil
	}
	return new(decodedPath(path))
}
