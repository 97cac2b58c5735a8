package trails

import (
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/trails/process"
)

func TestTheSessionThatABoundaryBelongsTo(t *testing.T) {
	t.Parallel()
	const agent = "claude-code"
	known := func(sessions ...*sessionState) map[events.TraceID]*sessionState {
		out := map[events.TraceID]*sessionState{}
		for _, s := range sessions {
			out[events.NewTraceID(s.Agent, s.Session)] = s
		}
		return out
	}
	main := &sessionState{Agent: agent, Session: "main", Subagents: []string{"x", "sub"}}
	for name, tt := range map[string]struct {
		sessions map[events.TraceID]*sessionState
		b        events.Boundary
		want     string
	}{
		"of a session":                             {known(main), events.Boundary{Session: "main"}, "main"},
		"of a sub-agent, under the session's id":   {known(main), events.Boundary{Session: "main", Subagent: "sub"}, "main"},
		"of a sub-agent, under another one's id":   {known(main), events.Boundary{Session: "sub", Subagent: "below"}, "main"},
		"under an id that nobody knows":            {known(main), events.Boundary{Session: "who", Subagent: "below"}, "who"},
		"under the id of another agent's":          {known(&sessionState{Agent: "other", Session: "main", Subagents: []string{"sub"}}), events.Boundary{Session: "sub", Subagent: "below"}, "sub"},
		"of no sub-agent, though one has that id":  {known(main), events.Boundary{Session: "sub"}, "sub"},
		"of a session that is also a sub-agent's":  {known(main, &sessionState{Agent: agent, Session: "sub"}), events.Boundary{Session: "sub", Subagent: "below"}, "sub"},
		"of a sub-agent that has the session's id": {known(main), events.Boundary{Session: "main", Subagent: "main"}, "main"},
	} {
		tt.b.Agent = agent
		if got := stepAmong(nil, &state{Sessions: tt.sessions}).hears().sessionOf(tt.b); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

func TestWhatAConversationIsKnownBy(t *testing.T) {
	t.Parallel()
	tool := &events.ToolUse{CallID: "c", Class: events.ToolRuns}
	for name, tt := range map[string]struct {
		was           *sessionState
		b             events.Boundary
		model, stated string
		adopted       bool
	}{
		"it is new":                              {nil, events.Boundary{Kind: events.SessionStart, Model: "m"}, "m", "m", true},
		"it is new, and a call":                  {nil, events.Boundary{Kind: events.ToolBefore, Tool: tool, Model: "m"}, "m", "", true},
		"it begins again with no model":          {&sessionState{Model: "m", Stated: "m"}, events.Boundary{Kind: events.SessionStart}, "m", "", false},
		"a prompt with a model":                  {&sessionState{Model: "m", Stated: "m"}, events.Boundary{Kind: events.PromptSubmit, Model: "n"}, "n", "n", false},
		"a prompt with none":                     {&sessionState{Model: "m", Stated: "m"}, events.Boundary{Kind: events.PromptSubmit}, "m", "m", false},
		"a call with a model":                    {&sessionState{Model: "m", Stated: "m"}, events.Boundary{Kind: events.ToolBefore, Tool: tool, Model: "n"}, "n", "m", false},
		"a sub-agent with a model":               {&sessionState{Model: "m", Stated: "m"}, events.Boundary{Kind: events.SubagentStart, Subagent: "a", Model: "n"}, "m", "m", false},
		"it goes on after its end":               {&sessionState{Ended: true}, events.Boundary{Kind: events.PromptSubmit}, "", "", false},
		"a sub-agent's session begins, no model": {&sessionState{Stated: "m"}, events.Boundary{Kind: events.SessionStart, Subagent: "a"}, "", "m", false},
	} {
		s := stepAmong(nil, &state{Sessions: map[events.TraceID]*sessionState{}})
		if tt.was != nil {
			s.tree.state.Sessions["T"] = tt.was
		}
		tt.b.Agent, tt.b.Session = "a", "S"
		sess, adopted := s.hears().adopt("T", tt.b)
		if sess != s.tree.state.Sessions["T"] || adopted != tt.adopted || sess.Model != tt.model || sess.Stated != tt.stated || sess.Ended || sess.Last != s.tree.time {
			t.Errorf("%s: %+v, adopted %v", name, sess, adopted)
		}
		if tt.was == nil && (sess.Agent != "a" || sess.Session != "S") {
			t.Errorf("%s: it is called %s, %s", name, sess.Agent, sess.Session)
		}
	}
	for name, tt := range map[string]struct {
		b      events.Boundary
		stated string
		model  string
		limits int
	}{
		"the call tells":                        {events.Boundary{Model: "n"}, "m", "n", 1},
		"it does not: the session's":            {events.Boundary{}, "m", "m", 0},
		"a sub-agent's is not known":            {events.Boundary{Subagent: "a"}, "m", "", 1},
		"nobody told any":                       {events.Boundary{}, "", "", 1},
		"it may be a sub-agent's, nobody knows": {events.Boundary{Limits: []events.Limit{events.LimitSubagentUnknown, events.LimitModelUnknown}}, "m", "", 2},
	} {
		s := stepAmong(nil, &state{})
		tt.b.Tool = tool
		if tt.b.Limits == nil {
			tt.b.Limits = []events.Limit{events.LimitModelUnknown}
		}
		w := s.hears().newWindow(&sessionState{Stated: tt.stated}, "T", tt.b)
		if w.Call.Model != tt.model || len(w.Limits) != tt.limits {
			t.Errorf("%s: model %q, limits %v", name, w.Call.Model, w.Limits)
		}
	}
}

func TestThePromptThatACallAnswers(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		prompts int
		last    string
		prompt  *events.Prompt
		want    int
		heard   string // the last one's id, afterwards
		told    int    // prompts that are written down
	}{
		"no prompt is named":                   {2, "b", nil, 2, "b", 0},
		"one without an id":                    {2, "b", &events.Prompt{}, 2, "b", 0},
		"the last one":                         {2, "b", &events.Prompt{ID: "b"}, 2, "b", 0},
		"another one":                          {2, "b", &events.Prompt{ID: "c"}, 3, "c", 1},
		"the last one, which had no name then": {2, "", &events.Prompt{ID: "c"}, 2, "c", 0},
		"the first, which nobody saw":          {0, "", &events.Prompt{ID: "c"}, 1, "c", 1},
	} {
		s := stepAmong(nil, &state{})
		sess := &sessionState{Prompts: tt.prompts, LastPrompt: tt.last}
		got := s.hears().promptIndex(sess, events.Boundary{Prompt: tt.prompt, Tool: &events.ToolUse{CallID: "c"}})
		if err := s.out().number(); err != nil {
			t.Fatal(err)
		}
		if got != tt.want || sess.LastPrompt != tt.heard || sess.Prompts != tt.want || len(s.out().page.drafts) != tt.told {
			t.Errorf("%s: %d, last %q, %d told", name, got, sess.LastPrompt, len(s.out().page.drafts))
		}
	}
}

func TestWhichCallsConsentIsAskedFor(t *testing.T) {
	t.Parallel()
	open := func() []*Window {
		return []*Window{
			{Call: Call{Trace: "T", ID: "a", Tool: "Bash"}}, {Call: Call{Trace: "T", ID: "b", Tool: "Bash", Subagent: "s"}}, {Call: Call{Trace: "T", ID: "c", Tool: "Edit"}},
			{Call: Call{Trace: "U", ID: "a", Tool: "Bash"}}, {Call: Call{Trace: "T", ID: "d", Tool: "Bash"}, Run: running{Background: true}},
			{Call: Call{Trace: "T", ID: "e", Tool: "Bash"}, Run: running{Left: []process.Process{{}}}}, {Call: Call{Trace: "T", ID: "f", Tool: "Bash"}, Closed: 3},
		}
	}
	for name, tt := range map[string]struct {
		b    events.Boundary
		want string
	}{
		"no tool is named: any":      {events.Boundary{}, "a b c"},
		"a call is named":            {events.Boundary{Tool: &events.ToolUse{CallID: "b"}}, "b"},
		"a tool is named":            {events.Boundary{Tool: &events.ToolUse{Name: "Bash"}}, "a"},
		"a sub-agent's tool":         {events.Boundary{Subagent: "s", Tool: &events.ToolUse{Name: "Bash"}}, "b"},
		"a tool of which none is on": {events.Boundary{Tool: &events.ToolUse{Name: "Write"}}, ""},
	} {
		s := stepAmong(nil, &state{Windows: open()})
		tt.b.Time = minute(5)
		var got []string
		for _, w := range s.tree.state.asked("T", tt.b) {
			got = append(got, w.Call.ID)
			if !w.Asked.Equal(minute(5)) {
				t.Errorf("%s: %s was asked for at %v", name, w.Call.ID, w.Asked)
			}
		}
		asked := 0
		for _, w := range s.tree.state.Windows {
			if !w.Asked.IsZero() {
				asked++
			}
		}
		if strings.Join(got, " ") != tt.want || asked != len(got) {
			t.Errorf("%s: %v, of %d noted; want %s", name, got, asked, tt.want)
		}
	}
}
