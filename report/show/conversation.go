package show

import (
	"errors"
	"fmt"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/report/answers"
	"github.com/git-trace/git-trace/view"
	"github.com/git-trace/git-trace/view/lookup"
)

// TraceView is a conversation.
type TraceView struct {
	answers.Talk
	record *records.Record
	known  *lookup.Conversations
	far    bool // it comes from another clone's log
}

// promptView is a single prompt, with its answers and calls.
type promptView struct{ *view.WholeTurn }

// callView is a single tool call.
type callView struct{ *view.WholeCall }

// hunkView is a single patch.
type hunkView struct{ *view.Hunk }

func (v *Viewer) trace(id events.TraceID) (*TraceView, error) {
	known, found, err := v.known.Conversation(id)
	if err != nil || !found {
		return nil, errors.Join(err, missing(found, "conversation "+string(id)))
	}
	list := []view.Conversation{known}
	if err := v.known.Complete(v.ctx, list); err != nil {
		return nil, err
	}
	t := &TraceView{known: v.known, Talk: answers.Talk{Conversation: list[0], Subagents: []string{}}}
	writer, err := events.OpenLog(v.Repo).Writer()
	if err != nil {
		return nil, err
	}
	t.far = t.Writer != "" && t.Writer != writer
	stored, err := v.record(id)
	if err != nil {
		return nil, err
	}
	t.record, t.Record, t.Own = stored.Record, stored.Raw, stored.Own
	talk, err := v.known.Talk(id, t.record)
	if err != nil {
		return nil, err
	}
	t.Turns, t.Subagents = talk.Turns, talk.Subagents
	return t, nil
}

// Count adds the costs of the answers, and the waste.
func (t *TraceView) Count() {
	t.Costs, t.Waste = t.known.AnswerCosts(t.record), t.known.Waste(t.record)
}

func (v *Viewer) prompt(id events.TraceID, n int) (*promptView, error) {
	if _, err := v.record(id); err != nil {
		return nil, err // the error tells how to mend a damaged record
	}
	turn, of, err := v.known.WholeTurn(v.ctx, id, n)
	if err != nil {
		return nil, err
	}
	if turn == nil {
		return nil, &noPromptError{id, n, of}
	}
	return &promptView{turn}, nil
}

// noPromptError is the error for a prompt that a conversation does not have.
type noPromptError struct {
	trace events.TraceID
	n, of int
}

func (e *noPromptError) Error() string {
	return fmt.Sprintf("conversation %.8s has no prompt %d", e.trace, e.n)
}

// toolCall finds a call in the log, or else in a record.
func (v *Viewer) toolCall(id string) (Drawable, error) {
	call, err := v.known.Call(v.ctx, id)
	if err != nil || call == nil {
		return nil, errors.Join(err, missing(call != nil || err != nil, "tool call "+id))
	}
	return callView{call}, nil
}

func (v *Viewer) hunk(id events.PatchID) (Drawable, error) {
	hunk, err := v.known.Hunk(id)
	if err != nil {
		return nil, err
	}
	return hunkView{hunk}, nil
}

// `missing` returns the error for an object that the index has and the log does not; nil if `ok` is true.
func missing(ok bool, what string) error {
	if ok {
		return nil
	}
	return exit.Fail(exit.Unchecked, errors.New(what+" is no longer in the log"),
		"git trace rebuild makes the cache again")
}
