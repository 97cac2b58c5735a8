package trails

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/ledger"
	"github.com/git-trace/git-trace/trails/process"
	"github.com/git-trace/git-trace/trails/spool"
	"github.com/git-trace/git-trace/trails/vector"
)

// The process that the hooks of a conversation come from is its agent if it says so, or is met twice.
func TestWhichProcessIsTheAgents(t *testing.T) {
	t.Parallel()
	self, parent := process.Of(os.Getpid()), process.Of(os.Getppid())
	if !self.Known() || !parent.Known() {
		t.Skip("this system does not tell which processes live")
	}
	gone := process.Ended(noProcess)
	for name, tt := range map[string]struct {
		was   process.ID // of the hooks before
		heard int
		b     events.Boundary
		host  process.ID
		sure  bool
		times int
	}{
		"it says so":                             {process.ID{}, 0, events.Boundary{Process: self.PID}, self, true, 1},
		"its hook was started by it, or another": {process.ID{}, 0, events.Boundary{Parent: self.PID}, self, false, 1},
		"it is met again":                        {self, 1, events.Boundary{Parent: self.PID}, self, true, 2},
		"more often":                             {self, 2, events.Boundary{Parent: self.PID}, self, true, 2},
		"another one":                            {parent, 2, events.Boundary{Parent: self.PID}, self, false, 1},
		"what it says counts before the parent":  {process.ID{}, 0, events.Boundary{Process: self.PID, Parent: parent.PID}, self, true, 1},
		"nothing is told":                        {self, 2, events.Boundary{}, process.ID{}, false, 2},
		"it has ended":                           {process.ID{}, 0, events.Boundary{Process: noProcess}, gone, true, 1},
		"it has ended, and was known":            {process.ID{PID: noProcess, Start: 7}, 1, events.Boundary{Parent: noProcess}, process.ID{PID: noProcess, Start: 7}, true, 2},
		"its number is another's by now":         {process.ID{PID: self.PID, Start: 1}, 1, events.Boundary{Process: self.PID, Moment: 2}, process.ID{PID: self.PID, Start: 1}, true, 2},
		"it began before the boundary":           {process.ID{}, 0, events.Boundary{Process: self.PID, Moment: self.Start}, self, true, 1},
	} {
		mine := &Window{Call: Call{Session: "S", Agent: "a"}, Run: running{Host: tt.host}}
		others := []*Window{
			{Call: Call{Session: "T", Agent: "a"}, Run: running{Host: tt.host}}, {Call: Call{Session: "S", Agent: "b"}, Run: running{Host: tt.host}}, {Call: Call{Session: "S", Agent: "a"}, Run: running{Host: parent}},
			{Call: Call{Session: "S", Agent: "a"}, Run: running{Host: tt.host}, Closed: 2},
		}
		s := stepAmong(nil, &state{Windows: append(slices.Clone(others), mine)})
		sess := &sessionState{Session: "S", Agent: "a", From: source{Host: tt.was, Heard: tt.heard}}
		s.hears().hearHost(sess, tt.b)
		if s.heard.host != tt.host || s.heard.sure != tt.sure || sess.From.Heard != tt.times {
			t.Errorf("%s: %v, sure %v, heard %d times", name, s.heard.host, s.heard.sure, sess.From.Heard)
		}
		if want := tt.sure && tt.host != (process.ID{}); mine.Run.Sure != want {
			t.Errorf("%s: the open call's is known: %v", name, mine.Run.Sure)
		}
		for i, w := range others {
			if w.Run.Sure && w.Run.Host != parent {
				t.Errorf("%s: another call's is known: %d", name, i)
			}
		}
	}
}

// An agent that calls a hook goes on, and with it its calls, unless it begins anew.
func TestWhichCallsLiveWithTheirConversation(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		w    Window
		was  events.Limit
		kind events.BoundaryKind
		want events.Limit
	}{
		"a call of which nothing was known":       {Window{Call: Call{Trace: "T"}}, events.LimitProcessUnknown, events.ToolBefore, ""},
		"another conversation's":                  {Window{Call: Call{Trace: "U"}}, events.LimitProcessUnknown, events.ToolBefore, events.LimitProcessUnknown},
		"one whose agent is gone":                 {Window{Call: Call{Trace: "T"}}, events.LimitProcessGone, events.ToolBefore, events.LimitProcessGone},
		"one in the background":                   {Window{Call: Call{Trace: "T"}, Run: running{Background: true}}, events.LimitProcessUnknown, events.ToolBefore, events.LimitProcessUnknown},
		"a session begins: it may have ended":     {Window{Call: Call{Trace: "T"}}, events.LimitProcessUnknown, events.SessionStart, events.LimitProcessUnknown},
		"a person asks for something: it may too": {Window{Call: Call{Trace: "T"}}, events.LimitProcessUnknown, events.PromptSubmit, events.LimitProcessUnknown},
		"its turn ends":                           {Window{Call: Call{Trace: "T"}}, events.LimitProcessUnknown, events.TurnEnd, ""},
	} {
		s := stepAmong(nil, &state{Windows: []*Window{&tt.w}})
		s.seen.bounds = map[*Window]*bound{&tt.w: {doubt: tt.was}}
		s.seen.live("T", events.Boundary{Kind: tt.kind})
		if got := s.seen.bounds[&tt.w].doubt; got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// A call that left something runs may have written until it was found over. Nothing is asked of one that is over.
func TestWhatIsAskedOfACallThatLeftSomethingRunning(t *testing.T) {
	t.Parallel()
	self := process.Of(os.Getpid())
	if !self.Known() {
		t.Skip("this system does not tell which processes live")
	}
	runs := []process.Process{{ID: self}}
	over, open := &Window{Call: Call{Trace: "T"}, Run: running{Left: runs}, Closed: 3}, &Window{Call: Call{Trace: "T"}, Run: running{Left: runs, Host: self, Sure: true}}
	s := stepAmong(nil, &state{Windows: []*Window{over, open, {Closed: 3}}, Sessions: map[events.TraceID]*sessionState{"T": {}}})
	s.seen.askProcesses(time.Now())
	if b := s.seen.bounds[over]; b == nil || !b.over || len(b.rest.left) > 0 {
		t.Errorf("one that is over: %+v", b)
	}
	if b := s.seen.bounds[open]; b == nil || b.over || b.doubt != "" || len(b.rest.left) == 0 {
		t.Errorf("one whose process lives: %+v", b)
	}
	if len(s.seen.bounds) != 2 {
		t.Errorf("%d were asked for", len(s.seen.bounds))
	}
	s.tree.state.Sessions["T"].Idle = true
	s.seen.bounds = nil
	s.seen.askProcesses(time.Now())
	if b := s.seen.bounds[open]; b.doubt != events.LimitBackgroundProcess {
		t.Errorf("one whose agent waits for the person: %+v", b)
	}
}

// The window that an end closes. Without a beginning one is made up.
func TestTheWindowThatAnEndCloses(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "a.txt")
	edit := func(change func(*events.ToolUse)) *events.ToolUse {
		tool := &events.ToolUse{CallID: "c", Class: events.ToolEdits, Paths: []string{file}}
		if change != nil {
			change(tool)
		}
		return tool
	}
	run := &events.ToolUse{CallID: "c", Class: events.ToolRuns}
	told := edit(func(tool *events.ToolUse) { tool.Edits = []events.DeclaredEdit{{Path: file, New: "x"}} })
	const begun, lost = "begun", "made up"
	for name, tt := range map[string]struct {
		windows []*Window
		befores bool // the agent tells when calls begin
		b       events.Boundary
		want    string // the window, and what is known of it
	}{
		"it was open":                       {[]*Window{{Call: Call{ID: "c"}}}, true, events.Boundary{Tool: run}, "begun done"},
		"it was in doubt":                   {[]*Window{{Call: Call{ID: "c"}, Doubt: true}}, true, events.Boundary{Tool: run}, "begun done"},
		"it was found over":                 {[]*Window{{Call: Call{ID: "c"}, Closed: 4}}, true, events.Boundary{Tool: run}, "begun done"},
		"it was found refused":              {[]*Window{{Call: Call{ID: "c"}, Closed: 4, Rejected: true}}, true, events.Boundary{Tool: run}, "made up done lost"},
		"it goes on":                        {[]*Window{{Call: Call{ID: "c"}}}, true, events.Boundary{Tool: &events.ToolUse{CallID: "c", Background: true, TaskID: "t"}}, "begun background task t"},
		"it ended in the background":        {[]*Window{{Call: Call{ID: "c"}, Closed: 4, Run: running{Background: true}, Rejected: true}}, true, events.Boundary{Tool: run}, "begun done rejected"},
		"it failed":                         {[]*Window{{Call: Call{ID: "c"}}}, true, events.Boundary{Kind: events.ToolFailed, Tool: run}, "begun failed"},
		"it was refused":                    {[]*Window{{Call: Call{ID: "c"}}}, true, events.Boundary{Tool: &events.ToolUse{CallID: "c", Rejected: true}}, "begun rejected rejected"},
		"it tells its path":                 {[]*Window{{Call: Call{ID: "c", Class: events.ToolEdits}, Says: sayings{Paths: []string{"link"}}}}, true, events.Boundary{Tool: edit(nil)}, "begun done a.txt"},
		"it tells none":                     {[]*Window{{Call: Call{ID: "c", Class: events.ToolEdits}, Says: sayings{Paths: []string{"link"}}}}, true, events.Boundary{Tool: run}, "begun done link"},
		"another call is open":              {[]*Window{{Call: Call{ID: "d", Trace: "T"}}}, true, events.Boundary{Tool: run}, "made up done"},
		"it began under another session":    {[]*Window{{Call: Call{ID: "c", Trace: "U"}}}, true, events.Boundary{Tool: run}, "begun done"},
		"both sessions have one":            {[]*Window{{Call: Call{ID: "c", Trace: "U"}}, {Call: Call{ID: "c"}, Run: running{TaskID: "own"}}}, true, events.Boundary{Tool: &events.ToolUse{CallID: "c", TaskID: "own"}}, "begun done task own"},
		"another agent's":                   {[]*Window{{Call: Call{ID: "c", Trace: "U", Agent: "other"}}}, true, events.Boundary{Tool: run}, "made up done lost"},
		"another session's that is over":    {[]*Window{{Call: Call{ID: "c", Trace: "U"}, Closed: 4}}, true, events.Boundary{Tool: run}, "made up done lost"},
		"its beginning was lost":            {nil, true, events.Boundary{Tool: run}, "made up done lost"},
		"its agent tells no beginnings":     {nil, false, events.Boundary{Tool: run}, "made up done"},
		"an edit that says what it wrote":   {nil, false, events.Boundary{Tool: told}, "made up done doubt a.txt"},
		"an edit that does not":             {nil, false, events.Boundary{Tool: edit(nil)}, "made up done a.txt"},
		"an edit of a file of no work tree": {nil, false, events.Boundary{Tool: &events.ToolUse{CallID: "c", Class: events.ToolEdits, Paths: []string{"/elsewhere/a"}}}, "none"},
	} {
		s := stepAmong(nil, &state{Windows: tt.windows, Sessions: map[events.TraceID]*sessionState{"T": {Befores: tt.befores}}})
		s.tree.repo.WorkTree, s.tree.interval = dir, 9
		known := map[*Window]bool{}
		for _, w := range tt.windows {
			known[w] = true
			if w.Call.Trace == "" {
				w.Call.Trace = "T"
			}
		}
		if tt.b.Kind == "" {
			tt.b.Kind = events.ToolAfter
		}
		end := s.hears().endOf("T", tt.b)
		got := "none"
		if w := end.window; w != nil {
			got = lost
			if known[w] {
				got = begun
			}
			got += " " + end.status
			for word, is := range map[string]bool{"doubt": w.Doubt, "rejected": w.Rejected, "lost": s.tree.state.Lost.At == 9} {
				if is {
					got += " " + word
				}
			}
			if w.Run.TaskID != "" {
				got += " task " + w.Run.TaskID
			}
			got = strings.TrimSpace(got + " " + strings.Join(w.Says.Paths, " "))
			if made := slices.Contains(w.Limits, events.LimitMissingBefore); w.Closed != 0 || made == known[w] || !slices.Contains(s.tree.state.Windows, w) ||
				w.Run.Background != (end.status == "background") {
				t.Errorf("%s: %+v", name, w)
			}
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

func TestTheModelThatAnEndTells(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		was, tells, want string
	}{
		"the beginning told it": {"m", "n", "m"}, "the end does": {"", "n", "n"}, "neither does": {"", "", ""},
	} {
		w := &Window{Call: Call{Trace: "T", ID: "c", Model: tt.was}, Limits: []events.Limit{events.LimitModelUnknown}}
		s := stepAmong(nil, &state{Windows: []*Window{w}})
		s.hears().endOf("T", events.Boundary{Kind: events.ToolAfter, Model: tt.tells, Tool: &events.ToolUse{CallID: "c"}})
		if unknown := len(w.Limits) > 0; w.Call.Model != tt.want || unknown == (tt.was == "" && tt.tells != "") {
			t.Errorf("%s: %q, unknown %v", name, w.Call.Model, unknown)
		}
	}
}

// The patches of a content that is remembered, which tell how old it is.
func TestThePatchesOfARememberedContent(t *testing.T) {
	t.Parallel()
	var b vector.Builder
	for _, patch := range []events.PatchID{"p1", "", "p2", "", "p1"} {
		b.Add(vector.Owner{Kind: events.OwnerHuman, Patch: patch}, 1)
	}
	r := &Recall{patches: map[*byte][]events.PatchID{}}
	one, none := &ledger.Record{Raw: vector.Encode(b.Vector())}, &ledger.Record{}
	for range 2 { // the second time from memory
		if got := r.patchesOf(one); !slices.Equal(got, []events.PatchID{"p1", "p2"}) {
			t.Errorf("patches %v", got)
		}
	}
	if got := r.patchesOf(none); got != nil {
		t.Errorf("of no owners: %v", got)
	}
	if got := r.patchesOf(&ledger.Record{Raw: []byte("?")}); len(got) != 0 {
		t.Errorf("of what cannot be read: %v", got)
	}
}

// A note of a work tree that is another one's is not filled in.
func TestANoteIsFilledInWhereItLies(t *testing.T) {
	t.Parallel()
	here, there := newStory(t), newStory(t)
	for name, tt := range map[string]struct {
		announced *refs.Repo
		left      int // notes in the other work tree that this boundary did not take
	}{"this work tree's": {here.repo, 0}, "another work tree's": {there.repo, 1}, "none": {nil, 0}} {
		e := here.engine()
		if tt.announced != nil {
			e.Announced = spool.Announce(tt.announced, time.Now())
		}
		end := e.Announced.Begin(e.repo, events.Boundary{Kind: events.TurnEnd, Agent: "claude-code", Session: "S", Time: time.Now()})
		notes := func(repo *refs.Repo) (full []string) {
			all, _ := filepath.Glob(filepath.Join(globSafe(spool.Dir(repo)), "*"))
			for _, one := range all {
				if info, err := os.Stat(one); err == nil && info.Size() > 0 {
					full = append(full, one)
				}
			}
			return full
		}
		if n := len(notes(here.repo)); n != 1 {
			t.Errorf("%s: %d notes say here what is under way", name, n)
		}
		if n := len(notes(there.repo)); n != 0 {
			t.Errorf("%s: %d notes say it elsewhere", name, n)
		}
		end()
		if n := len(notes(here.repo)); n != 0 {
			t.Errorf("%s: %d notes are left", name, n)
		}
		if left, _ := filepath.Glob(filepath.Join(globSafe(spool.Dir(there.repo)), "*")); len(left) != tt.left {
			t.Errorf("%s: left elsewhere: %v", name, left)
		}
		e.Announced.End()
	}
}

// A boundary that could not even be put aside leaves a note without content.
func TestABoundaryThatWasMissedLeavesItsName(t *testing.T) {
	t.Parallel()
	y := newStory(t)
	spool.LeaveMissed(y.repo)
	left, _ := filepath.Glob(filepath.Join(globSafe(spool.Dir(y.repo)), "*"+spool.BegunSuffix))
	if len(left) != 1 {
		t.Fatalf("left are %v", left)
	}
	if info, err := os.Stat(left[0]); err != nil || info.Size() != 0 {
		t.Errorf("the note: %v, %v", info, err)
	}
}
