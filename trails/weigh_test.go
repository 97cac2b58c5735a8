package trails

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/process"
	"github.com/git-trace/git-trace/trails/rename"
)

// What speaks against a call having written a path: the first of these that is known.
func TestWhyACallMayNotHaveWrittenAPath(t *testing.T) {
	t.Parallel()
	now := time.Now()
	within, left := map[string]bool{"f": true}, []process.Process{{}}
	sized := map[string]int64{"f": 10}
	for name, tt := range map[string]struct {
		window Window
		bound  *bound
		ends   string // how it ends at this boundary
		want   events.Limit
	}{
		"nothing":                                   {want: ""},
		"nothing is known of its processes":         {window: Window{}, bound: &bound{}, want: ""},
		"it is in doubt for a reason":               {window: Window{Doubt: true, Why: events.LimitBoundaryLate}, want: events.LimitBoundaryLate},
		"it is in doubt":                            {window: Window{Doubt: true}, want: events.LimitMissingAfter},
		"a reason without a doubt is none":          {window: Window{Why: events.LimitBoundaryLate}, want: ""},
		"it may never have begun":                   {bound: &bound{unbegun: true, within: within}, want: events.LimitMissingAfter},
		"it did, for it reports back":               {bound: &bound{unbegun: true}, ends: "done", want: ""},
		"it changed while the call ran":             {bound: &bound{within: within, doubt: events.LimitProcessGone, ended: now}, want: ""},
		"what it left running has ended":            {window: Window{Run: running{Left: left}}, bound: &bound{over: true, ended: now}, want: events.LimitProcessGone},
		"it reports back, and leaves it so":         {window: Window{Run: running{Left: left}}, bound: &bound{over: true}, ends: "done", want: ""},
		"it had left nothing running":               {bound: &bound{over: true}, want: ""},
		"some of it has ended, the rest wrote less": {window: Window{Run: running{Left: left}}, bound: &bound{partly: true, wrote: 9}, want: events.LimitProcessGone},
		"some of it has ended, the rest wrote it":   {window: Window{Run: running{Left: left}}, bound: &bound{partly: true, wrote: 10}, want: ""},
		"the agent wrote down that it was over":     {bound: &bound{ended: now, doubt: events.LimitProcessUnknown}, want: events.LimitMissingAfter},
		"its agent's process is gone":               {bound: &bound{doubt: events.LimitProcessGone}, want: events.LimitProcessGone},
		"and yet it reports back":                   {bound: &bound{doubt: events.LimitProcessGone}, ends: "failed", want: ""},
		"it is found over, which is no report":      {bound: &bound{doubt: events.LimitProcessGone}, ends: "abandoned", want: events.LimitProcessGone},
		"it was refused, which is none either":      {bound: &bound{doubt: events.LimitProcessGone}, ends: "rejected", want: events.LimitProcessGone},
		"nobody knows whether it got consent":       {bound: &bound{consent: consentUnknown}, want: events.LimitConsentUnknown},
		"it reports back, so it did":                {bound: &bound{consent: consentUnknown}, ends: "done", want: ""},
		"it waits for consent":                      {bound: &bound{consent: consentAwaited}, want: events.LimitMissingAfter},
		"it waited, and reports back":               {bound: &bound{consent: consentAwaited}, ends: "done", want: ""},
		"it got consent":                            {bound: &bound{consent: consentGiven}, want: ""},
	} {
		w := &tt.window
		other := &Window{Call: Call{ID: "other"}}
		s := stepAmong(nil, &state{Windows: []*Window{w, other}})
		s.seen.bounds, s.seen.sizes = map[*Window]*bound{w: tt.bound}, sized
		s.heard.closing = []ending{{window: other, status: "done"}}
		if tt.ends != "" {
			s.heard.closing = append(s.heard.closing, ending{window: w, status: tt.ends})
		}
		if got := s.judges().doubts(w, "f"); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// A change that needs more bytes than something wrote is not its own, where both are known.
func TestWhatWroteTooLittleForAChange(t *testing.T) {
	t.Parallel()
	w := &Window{Call: Call{Class: events.ToolRuns}}
	s := stepAmong(nil, &state{Windows: []*Window{w}})
	s.seen.sizes = map[string]int64{"f": 10}
	for _, tt := range []struct {
		bound *bound
		path  string
		want  bool
	}{
		{nil, "f", false}, {&bound{silent: true, wrote: 9}, "f", true}, {&bound{silent: true, wrote: 10}, "f", false},
		{&bound{silent: true, wrote: 11}, "f", false}, {&bound{wrote: 9}, "f", false}, {&bound{silent: true}, "not measured", false},
	} {
		s.seen.bounds = map[*Window]*bound{w: tt.bound}
		if got := s.judges().silent(w, tt.path); got != tt.want {
			t.Errorf("%+v, %s: silent %v", tt.bound, tt.path, got)
		}
	}
}

func TestWhichOfSeveralCallsWroteEnough(t *testing.T) {
	t.Parallel()
	little, enough, unknown := &bound{apart: true, wrote: 9}, &bound{apart: true, wrote: 10}, &bound{wrote: 9}
	for name, tt := range map[string]struct {
		path    string
		classes []events.ToolClass
		bounds  []*bound
		want    string
	}{
		"one of two did":                    {"f", []events.ToolClass{"run", "run"}, []*bound{little, enough}, "1"},
		"both did":                          {"f", []events.ToolClass{"run", "run"}, []*bound{enough, enough}, "0 1"},
		"of one it is not known":            {"f", []events.ToolClass{"run", "run"}, []*bound{little, unknown}, "1"},
		"of one nothing is known":           {"f", []events.ToolClass{"run", "run"}, []*bound{little, nil}, "1"},
		"neither did":                       {"f", []events.ToolClass{"run", "run"}, []*bound{little, little}, ""},
		"neither did, and one runs nothing": {"f", []events.ToolClass{"run", "unknown"}, []*bound{little, little}, "0 1"},
		"the change was not measured":       {"g", []events.ToolClass{"run", "run"}, []*bound{little, little}, "0 1"},
	} {
		var able []*Window
		s := stepAmong(nil, &state{})
		s.seen.sizes, s.seen.bounds = map[string]int64{"f": 10}, map[*Window]*bound{}
		for i, class := range tt.classes {
			w := &Window{Call: Call{ID: fmt.Sprint(i), Class: class}}
			able, s.seen.bounds[w] = append(able, w), tt.bounds[i]
		}
		var got []string
		for _, w := range s.judges().wroteEnough(able, tt.path) {
			got = append(got, w.Call.ID)
		}
		if strings.Join(got, " ") != tt.want || len(able) != len(tt.classes) {
			t.Errorf("%s: %v, want %s", name, got, tt.want)
		}
	}
}

// Calls are told apart by what their processes wrote if a command is at work, or several calls are open.
func TestWhetherACommandIsAtWork(t *testing.T) {
	t.Parallel()
	run, edit, unknown := Window{Call: Call{Class: events.ToolRuns}}, Window{Call: Call{Class: events.ToolEdits}}, Window{Call: Call{Class: events.ToolUnknown}}
	with := func(w Window, change func(*Window)) Window { change(&w); return w }
	rejected := with(run, func(w *Window) { w.Rejected = true })
	background := with(run, func(w *Window) { w.Run.Background = true })
	leaving := with(run, func(w *Window) { w.Run.Left = []process.Process{{}} })
	closed := with(run, func(w *Window) { w.Closed = 3 })
	for name, tt := range map[string]struct {
		windows []Window
		ends    int // which of them ends here, from 1
		want    bool
	}{
		"none": {nil, 0, false}, "a command": {[]Window{run}, 0, true}, "one that ends": {[]Window{run}, 1, false},
		"an edit": {[]Window{edit}, 0, false}, "two edits": {[]Window{edit, edit}, 0, false},
		"a tool that nobody knows": {[]Window{unknown}, 0, false}, "two of them": {[]Window{unknown, unknown}, 0, true},
		"one that ends, and an edit": {[]Window{run, edit}, 1, false}, "one that ends, and another": {[]Window{run, run}, 1, true},
		"a refused one": {[]Window{rejected}, 0, false}, "a refused one and another that ends": {[]Window{rejected, run}, 2, false},
		"one in the background": {[]Window{background}, 0, false}, "one that left something": {[]Window{leaving}, 0, false},
		"one that is over": {[]Window{closed}, 0, false}, "two in the background": {[]Window{background, background}, 0, true},
	} {
		s := stepAmong(nil, &state{})
		for i := range tt.windows {
			s.tree.state.Windows = append(s.tree.state.Windows, &tt.windows[i])
		}
		if tt.ends > 0 {
			s.heard.closing = []ending{{window: &tt.windows[tt.ends-1], status: "done"}}
		}
		if got := s.judges().shellAtWork(); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Some agents tell what a sub-agent does under the id of whoever started it, which may be a sub-agent itself.
// What a boundary tells of its conversation, and the model that calls have which tell none.
// The prompt that a call answers: one that this work tree did not see is counted when its first call comes.
// Which calls a dialog is about.
// A file that git passed over turns up: its lines are those of the calls that said they wrote them.
func TestWhoseAreTheLinesOfAFileThatTurnsUp(t *testing.T) {
	t.Parallel()
	wordy := strings.Repeat("w", rename.WordyLine)
	prints := func(lines ...string) string {
		var list []events.Fingerprint
		for _, l := range lines {
			list = append(list, events.FingerprintOf([]byte(l)))
		}
		slices.SortFunc(list, func(a, b events.Fingerprint) int { return slices.Compare(a[:], b[:]) })
		return events.EncodeFingerprints(list)
	}
	content := refs.SHA1.Hash(refs.BlobObject, []byte("x"))
	first := &Window{Call: Call{ID: "c1", Class: events.ToolEdits}, Says: sayings{Hidden: []saying{{Path: "f", Lines: prints(wordy, "short", "both of them wrote it")}}}}
	second := &Window{Call: Call{ID: "c2", Class: events.ToolEdits}, Says: sayings{Hidden: []saying{{Path: "f", Lines: prints("both of them wrote it", "}"), After: content, Whole: true}}}}
	elsewhere := &Window{Call: Call{ID: "c3", Class: events.ToolEdits}, Says: sayings{Hidden: []saying{{Path: "g", Lines: prints(wordy)}}}}
	damaged := &Window{Call: Call{ID: "c4", Class: events.ToolEdits}, Says: sayings{Hidden: []saying{{Path: "f", Lines: "?"}}}}
	for name, tt := range map[string]struct {
		windows []*Window
		now     refs.OID
		line    string
		want    string
	}{
		"a line that a call wrote":                    {[]*Window{first}, refs.OID{}, wordy, "c1"},
		"a line of its form":                          {[]*Window{first}, refs.OID{}, " " + wordy, "c1"},
		"a line that may be anybody's":                {[]*Window{first}, refs.OID{}, "short", "nobody"},
		"a line that nobody spoke of":                 {[]*Window{first}, refs.OID{}, "another long enough line", "nobody"},
		"the last that wrote it counts":               {[]*Window{first, second}, refs.OID{}, "both of them wrote it", "c2"},
		"the very content that was told":              {[]*Window{first, second}, content, "}", "c2"},
		"a blank line of that":                        {[]*Window{first, second}, content, "", "c2"},
		"another content: a brace says nothing":       {[]*Window{first, second}, refs.OID{}, "}", "nobody"},
		"what was told last is older than a part":     {[]*Window{second, first}, content, "short", "nobody"},
		"of another file":                             {[]*Window{elsewhere, first}, refs.OID{}, wordy, "c1"},
		"what cannot be read says nothing":            {[]*Window{damaged, first}, refs.OID{}, wordy, "c1"},
		"git passed over it, and no call spoke":       {[]*Window{elsewhere}, refs.OID{}, wordy, "nobody"},
		"a shorter line that is not told in whole":    {[]*Window{first}, content, wordy[1:], "nobody"},
		"the same in a content that is told of whole": {[]*Window{second}, content, "both of them wrote it", "c2"},
	} {
		s := stepAmong(nil, &state{Windows: tt.windows})
		s.tree.passed = map[string]bool{"f": name == "git passed over it, and no call spoke"}
		by, ok := s.tree.turnedUp("f", tt.now)
		if !ok {
			t.Errorf("%s: it did not turn up", name)
			continue
		}
		who := by([]byte(tt.line))
		got := "nobody"
		if who.window != nil {
			got = who.window.Call.ID
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
	if _, ok := stepAmong(nil, &state{Windows: []*Window{elsewhere}}).tree.turnedUp("f", content); ok {
		t.Error("a file that nobody passed over turned up")
	}
}

// What a call says of a file that git passes over.
func TestWhatIsKeptOfACallThatWroteWhatGitPassesOver(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	hash := func(s string) refs.OID { return refs.SHA1.Hash(refs.BlobObject, []byte(s)) }
	earlier := &Window{Says: sayings{Hidden: []saying{{Path: "f", After: hash("one\n"), Whole: true}}}}
	part := &Window{Says: sayings{Hidden: []saying{{Path: "f", After: hash("one\n")}}}}
	for name, tt := range map[string]struct {
		before *Window
		edits  []declared
		lines  int
		after  string
		whole  bool
	}{
		"a part of it":                        {nil, []declared{{Path: "f", Old: "a\n", New: "a\nb\nc\n"}}, 2, "", false},
		"a new file":                          {nil, []declared{{Path: "f", Before: text(""), After: text("one\ntwo\n")}}, 2, "one\ntwo\n", true},
		"a file of which nothing was told":    {nil, []declared{{Path: "f", Before: text("one\n"), After: text("one\ntwo\n")}}, 1, "one\ntwo\n", false},
		"the one that was told of whole":      {earlier, []declared{{Path: "f", Before: text("one\n"), After: text("one\ntwo\n")}}, 1, "one\ntwo\n", true},
		"the one that was told of in part":    {part, []declared{{Path: "f", Before: text("one\n"), After: text("one\ntwo\n")}}, 1, "one\ntwo\n", false},
		"another one than was told":           {earlier, []declared{{Path: "f", Before: text("two\n"), After: text("one\ntwo\n")}}, 1, "one\ntwo\n", false},
		"several edits: what it was at first": {nil, []declared{{Path: "f", Before: text(""), After: text("one\n")}, {Path: "f", Before: text("one\n"), After: text("two\n")}}, 2, "two\n", true},
		"blank lines say nothing":             {nil, []declared{{Path: "f", New: "a\n\n  \n"}}, 1, "", false},
		"what it found is not told":           {nil, []declared{{Path: "f", After: text("one\n")}}, 1, "one\n", false},
	} {
		w := &Window{Says: sayings{Edits: tt.edits}}
		s := stepAmong(nil, &state{Windows: []*Window{w}})
		s.tree.repo.Format = refs.SHA1
		if tt.before != nil {
			s.tree.state.Windows = []*Window{tt.before, w}
		}
		said, fits := s.looks.sayingOf(w, "f")
		prints, err := events.DecodeFingerprints(said.Lines)
		var after refs.OID
		if tt.after != "" {
			after = hash(tt.after)
		}
		if !fits || err != nil || said.Path != "f" || len(prints) != tt.lines || said.After != after || said.Whole != tt.whole {
			t.Errorf("%s: %+v of %d lines, %v", name, said, len(prints), err)
		}
	}
	many := func(n int) *Window {
		var b strings.Builder
		for i := range n {
			fmt.Fprintln(&b, "line", i)
		}
		return &Window{Says: sayings{Edits: []declared{{Path: "f", New: b.String()}}}}
	}
	for n, want := range map[int]bool{maxSayingLines: true, maxSayingLines + 1: false} {
		if _, fits := stepAmong(nil, &state{}).looks.sayingOf(many(n), "f"); fits != want {
			t.Errorf("%d lines fit: %v", n, fits)
		}
	}
}

// The state keeps the texts and the sayings of the last calls, up to a bound.
func TestHowMuchTheStateKeepsOfWhatCallsSaid(t *testing.T) {
	t.Parallel()
	half := strings.Repeat("x", maxTexts/2)
	texts := func(w Window, n int) *Window {
		for range n {
			w.Says.Edits = append(w.Says.Edits, declared{New: half})
		}
		return &w
	}
	s := &state{LastFull: 5, Windows: []*Window{
		texts(Window{Closed: 7}, 1), texts(Window{Closed: 8}, 1), texts(Window{}, 3), texts(Window{Closed: 9}, 1), texts(Window{Closed: 5}, 0),
	}}
	s.Windows[4].Says.Edits = []declared{{}}
	s.boundTexts()
	var kept []int
	for _, w := range s.Windows {
		kept = append(kept, len(w.Says.Edits))
	}
	if !slices.Equal(kept, []int{0, 1, 3, 1, 0}) {
		t.Errorf("texts that are kept: %v", kept)
	}
	said := func(n int) *Window { return &Window{Says: sayings{Hidden: make([]saying, n)}} }
	s = &state{Windows: []*Window{said(1), said(1), said(maxSayings - 1)}}
	s.boundSayings()
	if len(s.Windows[0].Says.Hidden) != 0 || len(s.Windows[1].Says.Hidden) != 1 || len(s.Windows[2].Says.Hidden) != maxSayings-1 {
		t.Error("the sayings of the oldest call are kept, or of others lost")
	}
	s = &state{Windows: []*Window{{Says: sayings{Hidden: []saying{{Path: "f", Lines: "1"}, {Path: "g"}}}}, {Says: sayings{Hidden: []saying{{Path: "f", Lines: "2"}}}}}}
	if last, found := s.said("f"); !found || last.Lines != "2" {
		t.Errorf("the last that was said is %+v, %v", last, found)
	}
	if _, found := s.said("h"); found {
		t.Error("nobody said anything of h")
	}
	if s.heardOf("f"); len(s.Windows[0].Says.Hidden) != 1 || len(s.Windows[1].Says.Hidden) != 0 || s.Windows[0].Says.Hidden[0].Path != "g" {
		t.Errorf("of f is left: %+v", s.Windows)
	}
}

// The window that a boundary without an id ends.
func TestWhichUnnamedCallEnds(t *testing.T) {
	t.Parallel()
	call := func(id, print, tool, sub string, paths ...string) *Window {
		return &Window{Call: Call{Trace: "T", ID: id, Print: print, Tool: tool, Subagent: sub}, Says: sayings{Paths: paths}}
	}
	for name, tt := range map[string]struct {
		windows []*Window
		sub     string
		want    string
	}{
		"the oldest of the same input":              {[]*Window{call("1", "p", "Bash", ""), call("2", "p", "Bash", "")}, "", "1"},
		"another input is none, with other paths":   {[]*Window{call("1", "q", "Bash", "", "x")}, "", ""},
		"another input of the same paths":           {[]*Window{call("1", "q", "Bash", ""), call("2", "q", "Bash", "")}, "", "1"},
		"the same input before the same paths":      {[]*Window{call("1", "q", "Bash", ""), call("2", "p", "Bash", "")}, "", "2"},
		"of a sub-agent that the end does not name": {[]*Window{call("1", "p", "Bash", "s"), call("2", "p", "Bash", "r")}, "", "1"},
		"rather than another input":                 {[]*Window{call("1", "q", "Bash", ""), call("2", "p", "Bash", "s")}, "", "2"},
		"not of another sub-agent":                  {[]*Window{call("1", "p", "Bash", "s")}, "r", ""},
		"nor of the main agent":                     {[]*Window{call("1", "p", "Bash", "")}, "r", ""},
		"its own before a sub-agent's":              {[]*Window{call("1", "p", "Bash", "s"), call("2", "p", "Bash", "")}, "", "2"},
		"another tool":                              {[]*Window{call("1", "p", "Edit", "")}, "", ""},
		"one that had an id":                        {[]*Window{call("1", "", "Bash", "")}, "", ""},
		"another conversation":                      {[]*Window{{Call: Call{Trace: "U", ID: "1", Print: "p", Tool: "Bash"}}}, "", ""},
		"one that is over":                          {[]*Window{{Call: Call{Trace: "T", ID: "1", Print: "p", Tool: "Bash"}, Closed: 2}}, "", ""},
	} {
		s := stepAmong(nil, &state{Windows: tt.windows})
		got := ""
		if w := s.hears().openUnnamed("T", &events.Boundary{Subagent: tt.sub, Tool: &events.ToolUse{Name: "Bash", Fingerprint: "p"}}); w != nil {
			got = w.Call.ID
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestABareRepositoryHasNoOlderNames(t *testing.T) {
	t.Parallel()
	if name, err := NewOlderNames(&refs.Repo{GitDir: t.TempDir()}).Of(t.Context(), "a"); name != "" || err != nil {
		t.Errorf("%q, %v", name, err)
	}
}
