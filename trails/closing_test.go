package trails

import (
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
)

// Which open windows a boundary of their conversation ends, and how. M is a call of the main conversation, A of
// sub-agent "a"; what a transcript says of a call is asked where it may tell.
func TestWhichWindowsABoundaryEnds(t *testing.T) {
	t.Parallel()
	const trace, session = events.TraceID("T"), "S"
	main := func() *Window {
		return &Window{Call: Call{Trace: trace, Session: session, ID: "M", Class: events.ToolRuns}}
	}
	sub := func() *Window {
		return &Window{Call: Call{Trace: trace, Session: session, ID: "A", Subagent: "a", Class: events.ToolRuns}}
	}
	other := func() *Window { return &Window{Call: Call{Trace: "other", ID: "O", Class: events.ToolRuns}} }
	background := func() *Window {
		w := main()
		w.Call.ID, w.Run.Background, w.Run.TaskID = "B", true, "task"
		return w
	}
	call := func(id string) *events.ToolUse { return &events.ToolUse{Name: "shell", CallID: id} }
	tests := map[string]struct {
		boundary events.Boundary
		windows  []*Window
		says     map[string]Outcome
		want     string
	}{
		"its own end":                   {events.Boundary{Kind: events.ToolAfter, Tool: call("M")}, []*Window{main(), other()}, nil, "M done"},
		"its own failure":               {events.Boundary{Kind: events.ToolFailed, Tool: call("M")}, []*Window{main()}, nil, "M failed"},
		"an end that leaves it running": {events.Boundary{Kind: events.ToolAfter, Tool: &events.ToolUse{CallID: "M", Background: true, TaskID: "x"}}, []*Window{main()}, nil, "M background"},
		"its own beginning, once more":  {events.Boundary{Kind: events.ToolBefore, Tool: call("M")}, []*Window{main()}, map[string]Outcome{"M": OutcomeRan}, ""},

		"another call begins: nothing is known":             {events.Boundary{Kind: events.ToolBefore, Tool: call("N")}, []*Window{main()}, nil, ""},
		"another call begins: the transcript says it ran":   {events.Boundary{Kind: events.ToolBefore, Tool: call("N")}, []*Window{main()}, map[string]Outcome{"M": OutcomeRan}, "M abandoned"},
		"another call begins: it was refused":               {events.Boundary{Kind: events.ToolBefore, Tool: call("N")}, []*Window{main()}, map[string]Outcome{"M": OutcomeRejected}, "M rejected"},
		"a sub-agent's call says nothing of the main one's": {events.Boundary{Kind: events.ToolBefore, Subagent: "a", Tool: call("N")}, []*Window{main()}, map[string]Outcome{"M": OutcomeRan}, ""},
		"nor the other way round":                           {events.Boundary{Kind: events.ToolBefore, Tool: call("N")}, []*Window{sub()}, map[string]Outcome{"A": OutcomeRan}, ""},

		"a session starts: all of it is over":      {events.Boundary{Kind: events.SessionStart}, []*Window{main(), sub(), other()}, nil, "M abandoned, A abandoned"},
		"a session ends: all of it is over":        {events.Boundary{Kind: events.SessionEnd}, []*Window{main(), sub(), background(), other()}, nil, "M abandoned, A abandoned, B done"},
		"a prompt: the main calls are over":        {events.Boundary{Kind: events.PromptSubmit, Prompt: &events.Prompt{Text: "x"}}, []*Window{main(), sub()}, nil, "M abandoned"},
		"a turn ends: the main calls are over":     {events.Boundary{Kind: events.TurnEnd}, []*Window{main(), sub(), background()}, nil, "M abandoned"},
		"a sub-agent ends: its calls are over":     {events.Boundary{Kind: events.SubagentEnd, Subagent: "a"}, []*Window{main(), sub()}, nil, "A abandoned"},
		"another sub-agent ends":                   {events.Boundary{Kind: events.SubagentEnd, Subagent: "b"}, []*Window{main(), sub()}, nil, ""},
		"a sub-agent starts":                       {events.Boundary{Kind: events.SubagentStart, Subagent: "b"}, []*Window{main(), sub()}, map[string]Outcome{"M": OutcomeRan}, ""},
		"a refused call is refused, whatever ends": {events.Boundary{Kind: events.TurnEnd}, []*Window{main()}, map[string]Outcome{"M": OutcomeRejected}, "M rejected"},

		"a turn ends, the background call runs on":  {events.Boundary{Kind: events.TurnEnd, Running: []string{"task"}}, []*Window{background()}, nil, ""},
		"a turn ends, the background call does not": {events.Boundary{Kind: events.TurnEnd, Running: []string{}}, []*Window{background()}, nil, "B done"},
		"a turn ends, others run on":                {events.Boundary{Kind: events.TurnEnd, Running: []string{"x"}}, []*Window{background()}, nil, "B done"},
		"a prompt, and who runs is not told":        {events.Boundary{Kind: events.PromptSubmit, Running: []string{}}, []*Window{background()}, nil, ""},
		"the transcript says that it has ended":     {events.Boundary{Kind: events.ToolBefore, Tool: call("N")}, []*Window{background()}, map[string]Outcome{"B": OutcomeRan}, "B done"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := stepAmong(func(w Window) End { return End{Outcome: tt.says[w.Call.ID]} },
				&state{Windows: tt.windows, Sessions: map[events.TraceID]*sessionState{}})
			s.tree.interval = 7
			var got []string
			for _, end := range s.hears().endWindows(trace, tt.boundary) {
				got = append(got, end.window.Call.ID+" "+end.status)
				if missing := slices.Contains(end.limits, events.LimitMissingAfter); missing != (end.status == "abandoned") {
					t.Errorf("%s: says that its end is missing: %v", end.window.Call.ID, missing)
				}
				if end.window.Rejected != (end.status == "rejected") {
					t.Errorf("%s: never ran: %v", end.window.Call.ID, end.window.Rejected)
				}
			}
			if strings.Join(got, ", ") != tt.want {
				t.Errorf("ends %v, want %s", got, tt.want)
			}
		})
	}
}
