package main

import (
	"slices"
	"time"

	"github.com/git-trace/git-trace/agents/recorder"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/view"
)

// spokenPrompt is a prompt as a record has it.
type spokenPrompt struct {
	text string
	at   *time.Time // nil where the record does not tell
}

// conversationSteps are the prompts of a record by their numbers, and the prompt that each step followed.
type conversationSteps struct {
	record  *records.Record
	prompts map[int]spokenPrompt
	follows []int // by step; 0 before the first prompt
}

// spoken numbers the prompts of a record as the log does. Where the log knows none of them they are counted.
func spoken(record *records.Record) *conversationSteps {
	s := &conversationSteps{record: record, prompts: map[int]spokenPrompt{}, follows: make([]int, len(record.Steps))}
	number := map[int]int{} // by step
	for prompt, step := range recorder.PromptSteps(record) {
		number[step-1] = prompt
	}
	counted := len(number) == 0
	now := 0
	for i := range record.Steps {
		step := &record.Steps[i]
		if counted && step.Role == records.RoleUser && step.ParentStep == nil {
			number[i] = len(s.prompts) + 1
		}
		if n := number[i]; n > 0 {
			now = n
			s.prompts[n] = spokenPrompt{text: value(step.Content), at: timeOf(value(step.Timestamp))}
		}
		s.follows[i] = now
	}
	return s
}

func timeOf(stamp string) *time.Time {
	at, err := time.Parse(time.RFC3339Nano, stamp)
	if err != nil {
		return nil
	}
	at = at.UTC()
	return &at
}

// join adds the calls that only the record has, and says of the others in which step they were made.
func (s *conversationSteps) join(calls []callView, held []view.Anchored) []callView {
	for i := range s.record.Steps {
		step := &s.record.Steps[i]
		for k := range step.ToolCalls {
			call := &step.ToolCalls[k]
			at := slices.IndexFunc(calls, func(c callView) bool { return c.ToolCall == call.ToolCallID })
			if at >= 0 {
				calls[at].Step = i + 1
				continue
			}
			c := callView{
				ToolCall: call.ToolCallID, Tool: call.ToolName, Prompt: s.follows[i], Step: i + 1, Model: value(step.Model), Status: "done",
				Opened: timeOf(value(step.Timestamp)), Paths: []string{}, Files: []fileChange{}, Patches: []events.PatchID{}, Limits: []events.Limit{},
			}
			if result := resultOf(step, call.ToolCallID); result != nil && value(result.Error) != "" {
				c.Status = "failed"
			}
			if text, path := mainArgument(call.Input); path {
				c.Paths = append(c.Paths, text)
			}
			c.holds(held)
			calls = append(calls, c)
		}
	}
	return calls
}
