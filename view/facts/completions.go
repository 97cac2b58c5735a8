package facts

import (
	"context"
	"slices"

	"github.com/git-trace/git-trace/agents/recorder"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view"
)

// Completions returns a function that lists the accepted completions of a conversation; none if the conversation has
// any other call or a prompt, because then it is not one of completions alone.
func Completions(repo *refs.Repo) func(context.Context, events.TraceID) ([]recorder.Completion, error) {
	return func(ctx context.Context, trace events.TraceID) ([]recorder.Completion, error) {
		known, err := view.Open(ctx, repo, view.Options{LogOnly: true})
		if err != nil {
			return nil, err
		}
		defer known.Close()
		told, err := known.Log().ByTrace(trace)
		if err != nil {
			return nil, err
		}
		var list []recorder.Completion
		for _, e := range told {
			switch e.Type {
			case events.PromptSubmitted:
				return nil, nil
			case events.WindowOpened:
				d := events.DataOf[events.WindowData](e)
				if d.Tool != events.ToolCompletion {
					return nil, nil
				}
				one := recorder.Completion{Call: e.ToolCall, Model: d.Model, At: e.Time}
				if len(d.Paths) > 0 {
					one.Path = events.RawPath(d.Paths[0])
				}
				list = append(list, one)
			default:
			}
		}
		slices.SortStableFunc(list, func(a, b recorder.Completion) int { return a.At.Compare(b.At) })
		return list, nil
	}
}
