package trails

import (
	"slices"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/trails/ledger"
)

func window(session, call string, class events.ToolClass, paths ...string) *Window {
	return &Window{
		Call: Call{Trace: events.NewTraceID("claude-code", session), Agent: "claude-code", Session: session, ID: call, Class: class},
		Says: sayings{Paths: paths},
	}
}

func (w *Window) saying(path, old, text string) *Window {
	w.Says.Edits = append(w.Says.Edits, declared{Path: path, Old: old, New: text})
	return w
}

func TestWhoWroteALine(t *testing.T) {
	t.Parallel()
	shell := window("S1", "c1", events.ToolRuns)
	otherShell := window("S2", "c2", events.ToolRuns)
	unknownTool := window("S2", "c3", events.ToolUnknown)
	edit := window("S1", "c4", events.ToolEdits, "a.txt").saying("a.txt", "old", "old\nmine")
	otherEdit := window("S2", "c5", events.ToolEdits, "a.txt").saying("a.txt", "x", "x\nhis")
	silentEdit := window("S2", "c6", events.ToolEdits, "a.txt")
	shortening := window("S1", "c9", events.ToolEdits, "a.txt").saying("a.txt", "gone", "")
	naming := window("S2", "c10", events.ToolUnknown)
	naming.Says.Names = []string{nameKey("a.txt")}
	waiting := window("S1", "c11", events.ToolUnknown)
	background := window("S1", "c7", events.ToolRuns)
	background.Run.Background = true
	tests := map[string]struct {
		windows []*Window
		open    []*Window // those that have not ended
		line    string
		want    string // tool calls, "human", with ! for a limitation
	}{
		"no window: a person":  {nil, nil, "x", "human"},
		"one shell: that call": {[]*Window{shell}, nil, "x", "c1"},
		"a tool that nobody knows has not written what it does not name": {[]*Window{unknownTool}, nil, "x", "unknown"},
		"a tool that nobody knows may have written what it names":        {[]*Window{naming}, nil, "x", "c10"},
		"two such tools: nobody's":                                       {[]*Window{unknownTool, waiting}, nil, "x", "unknown"},
		"such a tool beside a shell: both are candidates":                {[]*Window{unknownTool, shell}, nil, "x", "c1 c3 !"},
		"one edit: that call, whatever the line":                         {[]*Window{edit}, nil, "something else", "c4"},
		"an edit without an end owns what it declared":                   {[]*Window{edit}, []*Window{edit}, "  mine", "c4"},
		"an edit without an end owns nothing else":                       {[]*Window{edit}, []*Window{edit}, "something else", "human"},
		"an edit without an end owns not what it replaced":               {[]*Window{edit}, []*Window{edit}, "old", "human"},
		"a shell without an end owns all":                                {[]*Window{shell}, []*Window{shell}, "x", "c1"},
		"two edits: the one that declared the line":                      {[]*Window{edit, otherEdit}, nil, "his", "c5"},
		"two edits: a line that none declared is a person's":             {[]*Window{edit, otherEdit}, nil, "neither", "human"},
		"an edit and a shell: the edit's text is the edit's":             {[]*Window{edit, shell}, nil, "mine", "c4"},
		"an edit and a shell: the rest is the shell's":                   {[]*Window{edit, shell}, nil, "rest", "c1"},
		"two shells: both are candidates":                                {[]*Window{shell, otherShell}, nil, "x", "c1 c2 !"},
		"an edit that said nothing of its text may have written it":      {[]*Window{edit, silentEdit}, nil, "x", "c6"},
		"an edit that only takes away wrote nothing":                     {[]*Window{shortening, silentEdit}, nil, "x", "c6"},
		"two edits that only take away: a person":                        {[]*Window{shortening, otherEdit}, nil, "x", "human"},
		"a background call alone, with its limitation":                   {[]*Window{background}, nil, "x", "c7 !"},
		"a background call beside another: both are candidates":          {[]*Window{background, otherShell}, nil, "x", "c7 c2 !"},
		"a line that two edits declared has both as candidates":          {[]*Window{edit, window("S2", "c8", events.ToolEdits, "a.txt").saying("a.txt", "", "mine")}, nil, "mine", "c4 c8 !"},
		"white space does not hide a declared line":                      {[]*Window{edit, shell}, nil, "\t mi ne", "c4"},
		"an abandoned edit that said nothing owns its path as any other": {[]*Window{silentEdit}, []*Window{silentEdit}, "x", "c6"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			who := decideAmong(tt.windows, "a.txt", tt.open)([]byte(tt.line))
			got := ""
			switch {
			case who.kind == events.OwnerHuman:
				got = "human"
			case who.kind == events.OwnerUnknown:
				got = "unknown"
			case who.window != nil:
				got = who.window.Call.ID
			default:
				for _, c := range who.candidates {
					got += c.ToolCall + " "
				}
				got = got[:len(got)-1]
			}
			if slices.Contains(who.limits, events.LimitConcurrentWriters) || slices.Contains(who.limits, events.LimitBackgroundProcess) {
				got += " !"
			}
			if got != tt.want && got != swapped(tt.want) {
				t.Errorf("owner is %q, want %q", got, tt.want)
			}
		})
	}
}

func TestACallThatMayWriteAnywhereSaysWhatItIsAbout(t *testing.T) {
	t.Parallel()
	naming := window("S1", "c1", events.ToolRuns)
	naming.Says.Names = []string{nameKey("dir/a.txt")}
	for name, tt := range map[string]struct {
		window *Window
		path   string
		named  bool
	}{
		"a shell that names the file":       {naming, "dir/a.txt", true},
		"a shell that names another":        {naming, "a.txt", false},
		"a shell that names none":           {window("S1", "c1", events.ToolRuns), "a.txt", false},
		"a tool that nobody knows":          {window("S1", "c1", events.ToolUnknown), "a.txt", false},
		"an edit tool, in what it declares": {window("S1", "c1", events.ToolEdits, "a.txt"), "a.txt", true},
	} {
		who := decideAmong([]*Window{tt.window}, tt.path, nil)([]byte("x"))
		if slices.Contains(who.limits, events.LimitPathNotNamed) == tt.named {
			t.Errorf("%s: limits are %v", name, who.limits)
		}
	}
}

// swapped is a list of two candidates in the other order: they are sorted by trace, not by time.
func swapped(want string) string {
	var a, b string
	for i := range want {
		if want[i] == ' ' {
			a, b = want[:i], want[i+1:]
			break
		}
	}
	if len(b) > 2 && b[len(b)-2:] == " !" {
		return b[:len(b)-2] + " " + a + " !"
	}
	return want
}

func TestWhichWindowsMayHaveWrittenAPath(t *testing.T) {
	t.Parallel()
	open := window("S", "open", events.ToolRuns)
	open.Opened = 3
	closedBefore := window("S", "before", events.ToolRuns)
	closedBefore.Closed = 5
	closedSince := window("S", "since", events.ToolRuns)
	closedSince.Closed = 7
	rejected := window("S", "rejected", events.ToolRuns)
	rejected.Rejected = true
	elsewhere := window("S", "elsewhere", events.ToolEdits, "b.txt")
	here := window("S", "here", events.ToolEdits, "a.txt")
	below := window("S", "below", events.ToolEdits, "dir")
	all := []*Window{open, closedBefore, closedSince, rejected, elsewhere, here, below}
	names := func(ws []*Window) string {
		out := ""
		for _, w := range ws {
			out += w.Call.ID + " "
		}
		return out
	}
	if got := names(writers(all, "a.txt", 5)); got != "open since here " {
		t.Errorf("writers of a.txt are %q", got)
	}
	if got := names(writers(all, "dir/x", 5)); got != "open since below " {
		t.Errorf("writers of dir/x are %q", got)
	}
}

func TestActorsHaveKeysOfTheirOwn(t *testing.T) {
	t.Parallel()
	shell := window("S1", "c1", events.ToolRuns)
	limited := byWindow(shell, "f")
	limited.limits = []events.Limit{events.LimitBackgroundProcess}
	keys := map[ledger.OwnerKey]string{}
	for name, a := range map[string]actor{
		"person": person, "call": byWindow(shell, "f"), "limited": limited, "other call": byWindow(window("S1", "c2", events.ToolRuns), "f"),
		"other session": byWindow(window("S2", "c1", events.ToolRuns), "f"),
		"both":          byCandidates([]*Window{shell, window("S2", "c1", events.ToolRuns)}),
	} {
		if other, taken := keys[a.key()]; taken {
			t.Errorf("%s and %s have one key", name, other)
		}
		keys[a.key()] = name
		if len(a.key()) != len(ledger.Person) {
			t.Errorf("key of %s is %q", name, a.key())
		}
	}
	if person.key() != ledger.Person {
		t.Errorf("a person's key is %q", person.key())
	}
}
