package trails

import (
	"slices"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
)

// Which of the open windows a call without an id ends: tool, fingerprint, sub-agent and paths are told, F is the print
// of the call that ends.
func TestWhichCallAnEndWithoutAnIdEnds(t *testing.T) {
	t.Parallel()
	trace := events.NewTraceID("agent", "S")
	open := func(id, print string, change ...func(*Window)) *Window {
		w := &Window{Call: Call{Trace: trace, ID: id, Print: print, Tool: "shell"}}
		for _, c := range change {
			c(w)
		}
		return w
	}
	sub := func(w *Window) { w.Call.Subagent = "sub" }
	tests := map[string]struct {
		windows  []*Window
		subagent string
		want     string
	}{
		"the one of the same input":                            {[]*Window{open("1", "other"), open("2", "F")}, "", "2"},
		"the oldest of several":                                {[]*Window{open("1", "F"), open("2", "F")}, "", "1"},
		"not one that has ended":                               {[]*Window{open("1", "F", func(w *Window) { w.Closed = 3 }), open("2", "F")}, "", "2"},
		"not one of another conversation":                      {[]*Window{open("1", "F", func(w *Window) { w.Call.Trace = "other" })}, "", ""},
		"not one of another tool":                              {[]*Window{open("1", "F", func(w *Window) { w.Call.Tool = "write" })}, "", ""},
		"not one that has an id of its own":                    {[]*Window{open("1", "")}, "", ""},
		"the sub-agent's own":                                  {[]*Window{open("1", "F"), open("2", "F", sub)}, "sub", "2"},
		"a sub-agent ends no call of the conversation":         {[]*Window{open("1", "F")}, "sub", ""},
		"a call of a sub-agent, if the end does not say so":    {[]*Window{open("1", "F", sub)}, "", "1"},
		"the oldest of the sub-agents'":                        {[]*Window{open("1", "F", sub), open("2", "F", sub)}, "", "1"},
		"its own before a sub-agent's":                         {[]*Window{open("1", "F", sub), open("2", "F")}, "", "2"},
		"of another input, if the paths are the same":          {[]*Window{open("1", "other")}, "", "1"},
		"the oldest of another input":                          {[]*Window{open("1", "x"), open("2", "y")}, "", "1"},
		"of another input, but of other paths":                 {[]*Window{open("1", "other", func(w *Window) { w.Says.Paths = []string{"a"} })}, "", ""},
		"a sub-agent's of the same input before another input": {[]*Window{open("1", "other"), open("2", "F", sub)}, "", "2"},
		"a sub-agent's of another input is not the main one's": {[]*Window{open("1", "other", sub)}, "", ""},
		"none": {nil, "", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := stepAmong(nil, &state{Windows: tt.windows})
			b := &events.Boundary{Kind: events.ToolAfter, Subagent: tt.subagent, Tool: &events.ToolUse{Name: "shell", Fingerprint: "F"}}
			got := ""
			if w := s.hears().openUnnamed(trace, b); w != nil {
				got = w.Call.ID
			}
			if got != tt.want {
				t.Errorf("ends %q, want %q", got, tt.want)
			}
		})
	}
}

func TestACallWithoutAnIdGetsOne(t *testing.T) {
	t.Parallel()
	trace := events.NewTraceID("agent", "S")
	tests := map[string]struct {
		kind            events.BoundaryKind
		tool            *events.ToolUse
		wantID, wantSub string
		unnamed         int
	}{
		"at its beginning, numbered":                     {events.ToolBefore, &events.ToolUse{Name: "shell", Fingerprint: "F"}, "paired-F-5", "", 5},
		"at its end, that of its beginning":              {events.ToolAfter, &events.ToolUse{Name: "shell", Fingerprint: "F"}, "open", "sub", 4},
		"at its failure as well":                         {events.ToolFailed, &events.ToolUse{Name: "shell", Fingerprint: "F"}, "open", "sub", 4},
		"at its end, without a beginning, a new one":     {events.ToolAfter, &events.ToolUse{Name: "write", Fingerprint: "F"}, "paired-F-5", "", 5},
		"the agent's own stays":                          {events.ToolAfter, &events.ToolUse{Name: "shell", CallID: "own", Fingerprint: "F"}, "own", "", 4},
		"without a fingerprint there is nothing to pair": {events.ToolAfter, &events.ToolUse{Name: "shell"}, "", "", 4},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			open := &Window{Call: Call{Trace: trace, ID: "open", Print: "F", Tool: "shell", Subagent: "sub"}}
			s := stepAmong(nil, &state{Windows: []*Window{open}})
			given := *tt.tool
			b := events.Boundary{Kind: tt.kind, Tool: tt.tool}
			sess := &sessionState{Unnamed: 4}
			s.hears().pair(sess, trace, &b)
			if b.Tool.CallID != tt.wantID || b.Subagent != tt.wantSub || sess.Unnamed != tt.unnamed {
				t.Errorf("call %q of %q, %d unnamed; want %q of %q, %d", b.Tool.CallID, b.Subagent, sess.Unnamed, tt.wantID, tt.wantSub, tt.unnamed)
			}
			if given.CallID == "" && tt.wantID != "" && (s.heard.env.ToolCall != tt.wantID || s.heard.env.Subagent != tt.wantSub) {
				t.Errorf("events say call %q of %q", s.heard.env.ToolCall, s.heard.env.Subagent)
			}
			if tt.tool.CallID != given.CallID {
				t.Error("the boundary of the other work trees was changed")
			}
		})
	}
	s := stepAmong(nil, &state{})
	s.hears().pair(&sessionState{}, trace, &events.Boundary{Kind: events.PromptSubmit}) // of no tool
	if s.heard.env.ToolCall != "" {
		t.Error("a prompt is a call")
	}
}

// The model that an end names is that of the answer before the call, if it is of any.
func TestTheEndOfACallTellsTheModelOfItsAnswer(t *testing.T) {
	t.Parallel()
	trace := events.NewTraceID("agent", "S")
	begun := time.Date(2026, 11, 2, 10, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		known    string
		answered time.Time
		want     string
	}{
		"of an answer just before the call": {"", begun.Add(-time.Second), "big"},
		"of one of an earlier turn":         {"", begun.Add(-time.Minute), ""},
		"that does not tell the moment":     {"", time.Time{}, "big"},
		"that was known when it began":      {"small", begun.Add(-time.Second), "small"},
	} {
		w := &Window{Call: Call{Trace: trace, ID: "c", Model: tt.known}, Run: running{Begun: begun}, Limits: []events.Limit{events.LimitModelUnknown}}
		s := stepAmong(nil, &state{Interval: 1, Windows: []*Window{w}})
		end := s.hears().endOf(trace, events.Boundary{
			Kind: events.ToolAfter, Model: "big", Answered: tt.answered, Time: begun.Add(time.Hour), Tool: &events.ToolUse{CallID: "c"},
		})
		if end.window != w || w.Call.Model != tt.want || slices.Contains(w.Limits, events.LimitModelUnknown) != (tt.want != "big") {
			t.Errorf("%s: model %q, limits %v", name, w.Call.Model, w.Limits)
		}
	}
}
