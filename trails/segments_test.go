package trails

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/vector"
)

// What a file was at the last look (old), is now (new), and what an edit call that ends now says it found and left.
func TestWhatAnEditReportsCutsTheChange(t *testing.T) {
	t.Parallel()
	const (
		old     = "one\ntwo\n"
		typed   = "one\ntwo\nperson\n"
		written = "one\ntwo\nperson\nagent\n"
		after   = "one\ntwo\nperson\nagent\nlater\n"
	)
	shell := window("S2", "shell", events.ToolRuns)
	early := window("S2", "early", events.ToolRuns)
	early.Closed = 4 // before the last look
	tests := map[string]struct {
		old, new      string
		before, after string // "-" is nothing said
		onDisk        string // what the file has now: new if empty
		others        []*Window
		change        func(sc *scene, edit *Window)
		ask           string // the line that is asked for in each segment
		want          string
	}{
		"nothing in between: the whole change is the call's":    {old: old, new: "one\ntwo\nagent\n", before: old, after: "one\ntwo\nagent\n", want: "old→new edit"},
		"what changed before it wrote is a person's":            {old: old, new: written, before: typed, after: written, want: "old→typed human, typed→new edit"},
		"what changed before it wrote is another call's":        {old: old, new: written, before: typed, after: written, others: []*Window{shell}, want: "old→typed shell, typed→new edit"},
		"a formatter that follows, nobody about, is the call's": {old: old, new: after, before: typed, after: written, want: "old→typed human, typed→written edit, written→new edit"},
		"what follows beside another writer is the other's":     {old: old, new: after, before: typed, after: written, others: []*Window{shell}, want: "old→typed shell, typed→written edit, written→new shell"},
		"a writer that ended before the last look is not about": {old: old, new: after, before: typed, after: written, others: []*Window{early}, want: "old→typed human, typed→written edit, written→new edit"},
		"the call changed nothing: all of it is the other's":    {old: old, new: typed, before: old, after: old, others: []*Window{shell}, want: "old→new shell"},
		"the call's share is taken back: nothing is left of it": {old: old, new: old + "x\n", before: old, after: old + "x\n", want: "old→new edit"},
		"a report without what it found cuts nothing":           {old: old, new: written, before: "-", after: written, want: "old→new edit"},
		"a report without what it left cuts nothing":            {old: old, new: written, before: typed, after: "-", want: "old→new edit"},
		"a report that is not text cuts nothing":                {old: old, new: written, before: typed + "\xff", after: written, want: "old→new edit"},
		"a result that is not text cuts nothing":                {old: old, new: written, before: typed, after: written + "\xff", want: "old→new edit"},
		"a report that lost a line that stayed is evidence of its text alone": {
			old: old, new: written, before: "two\n", after: "two\nagent\n", ask: "person", want: "old→new human",
		},
		"and of its text it is":                                {old: old, new: written, before: "two\n", after: "two\nagent\n", ask: "agent", want: "old→new edit"},
		"a filter stores other bytes: the report cuts nothing": {old: old, new: written, before: typed, after: written, onDisk: "filtered", want: "old→new edit"},
		"line ends alone are no filter":                        {old: old, new: written, before: typed, after: written, onDisk: strings.ReplaceAll(written, "\n", "\r\n"), want: "old→typed human, typed→new edit"},
		"a file that is gone again is no filter":               {old: old, new: written, before: typed, after: written, onDisk: "-", want: "old→typed human, typed→new edit"},
		"a report in line feeds of a file with carriage returns": {
			old: "one\r\ntwo\r\n", new: "one\r\ntwo\r\nagent\r\n", before: "one\ntwo\n", after: "one\ntwo\nagent\n", want: "old→new edit",
		},
		"a report with carriage returns of its own stays as it is": {
			old: "one\r\ntwo\r\n", new: "one\r\ntwo\r\nagent\r\n", before: "one\r\ntwo\n", after: "one\r\ntwo\r\nagent\r\n", want: "old→? human, ?→new edit",
		},
		"a new file takes its line ends from what became of it": {
			old: "", new: "one\r\n", before: "", after: "one\n", want: "old→new edit",
		},
		"the line ends of the first content count": {
			old: "one\n", new: "one\r\nagent\r\n", before: "one\n", after: "one\nagent\n", want: "old→new edit",
		},
		"a binary file is one change":          {old: old, new: "\x00", before: old, after: "\x00", want: "old→new edit"},
		"a file that was binary is one too":    {old: "\x00", new: old, before: typed, after: old, want: "old→new edit"},
		"a report that is binary cuts nothing": {old: old, new: written, before: "\x00", after: written, want: "old→new edit"},
		"a call that failed cuts nothing": {old: old, new: written, before: typed, after: written, want: "old→new edit",
			change: func(sc *scene, _ *Window) { sc.heard.closing[0].status = "failed" }},
		"a call that ran a command cuts nothing": {old: old, new: written, before: typed, after: written, want: "old→new edit",
			change: func(_ *scene, edit *Window) { edit.Call.Class = events.ToolRuns }},
		"a report of another path cuts nothing": {old: old, new: written, before: typed, after: written, want: "old→new edit",
			change: func(_ *scene, edit *Window) { edit.Says.Edits[0].Path = "b.txt" }},
		"a lost boundary before: what changed first may be anybody's": {old: old, new: written, before: typed, after: written, want: "old→typed unknown, typed→new edit",
			change: func(sc *scene, _ *Window) { sc.step.tree.state.Lost.At = 6 }},
		"an edit that told what it put in the place of what is taken back": {old: old, new: written, before: "-", after: "-", want: "old→typed human, typed→new edit",
			change: func(sc *scene, edit *Window) { exactly(sc, edit, "person\n", "person\nagent\n") }},
		"not where that stands in the file twice": {old: old, new: written, before: "-", after: "-", want: "old→new edit",
			change: func(sc *scene, edit *Window) { exactly(sc, edit, "", "\n") }},
		"nor where it is nothing": {old: old, new: written, before: "-", after: "-", want: "old→new edit",
			change: func(sc *scene, edit *Window) { exactly(sc, edit, "x\n", "") }},
		"nor where it may have done more": {old: old, new: written, before: "-", after: "-", want: "old→new edit",
			change: func(sc *scene, edit *Window) {
				exactly(sc, edit, "person\n", "person\nagent\n")
				edit.Says.Edits[0].Exact = false
			}},
		"nor where something wrote the file since the hook of its end began": {old: old, new: written, before: "-", after: "-", want: "old→new edit",
			change: func(sc *scene, edit *Window) {
				exactly(sc, edit, "person\n", "person\nagent\n")
				sc.step.tree.time = time.Now().Add(-time.Hour)
			}},
		"a boundary lost before the last look changes nothing": {old: old, new: written, before: typed, after: written, want: "old→typed human, typed→new edit",
			change: func(sc *scene, _ *Window) { sc.step.tree.state.Lost.At = 5 }},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sc := newScene(t)
			f := sc.change("a.txt", sc.text("old", tt.old), text{})
			sc.text("typed", typed)
			sc.text("written", written)
			f.new = sc.text("new", tt.new)
			switch tt.onDisk {
			case "":
				sc.work("a.txt", tt.new)
			case "-":
			default:
				sc.work("a.txt", tt.onDisk)
			}
			edit := window("S1", "edit", events.ToolEdits, "a.txt")
			d := declared{Path: "a.txt", Old: "two\n", New: "two\nagent\n"}
			if tt.before != "-" {
				d.Before = &tt.before
			}
			if tt.after != "-" {
				d.After = &tt.after
			}
			edit.Says.Edits = []declared{d}
			sc.step.tree.state.Windows = append([]*Window{edit}, tt.others...)
			sc.heard.closing = []ending{{window: edit, status: "done"}}
			if tt.change != nil {
				tt.change(sc, edit)
			}
			ask := tt.ask
			if ask == "" {
				ask = "agent"
			}
			if got := sc.told(sc.segments(f), ask); got != tt.want {
				t.Errorf("segments are %s, want %s", got, tt.want)
			}
		})
	}
}

// exactly has an edit put one text in the place of another, in a file that was written before the hook of its end
// began.
func exactly(sc *scene, edit *Window, old, latest string) {
	edit.Says.Edits[0].Old, edit.Says.Edits[0].New, edit.Says.Edits[0].Exact = old, latest, true
	sc.step.tree.time = time.Now().Add(time.Hour)
}

// told writes segments as FROM→TO WHO, WHO being the owner of one line.
func (sc *scene) told(segments []segment, line string) string {
	name := func(oid refs.OID) string {
		if n := sc.names[oid]; n != "" {
			return n
		}
		return "?"
	}
	var out []string
	for _, s := range segments {
		out = append(out, fmt.Sprintf("%s→%s %s", name(s.from.OID), name(s.to.OID), nameOf(s.decide([]byte(line)))))
	}
	return strings.Join(out, ", ")
}

// The change of a path may be older than the last look at the path: an edit call that ended looked at its own path
// alone.
func TestAChangeBeforeTheLastLookAtAPathIsNotTheLastEdits(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		early  bool
		change func(w *Window)
		want   string
	}{
		"a change since the look is the call's that goes on":          {false, func(*Window) {}, "human"},
		"one before it is not that of the edit that was looked at":    {true, func(*Window) {}, "human"},
		"but that of a command that ended since all was looked at":    {true, func(w *Window) { w.Call.Class = events.ToolRuns }, "call"},
		"and that of an edit which goes on":                           {true, func(w *Window) { w.Closed = 0 }, "call"},
		"an edit of the directory has not looked at the path":         {true, func(w *Window) { w.Says.Paths = []string{"dir"} }, "call"},
		"what ended before everything was looked at wrote none of it": {true, func(w *Window) { w.Call.Class, w.Closed = events.ToolRuns, 5 }, "human"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sc := newScene(t)
			f := sc.change("dir/a.txt", sc.text("old", "one\n"), sc.text("new", "one\ntwo\n"))
			f.early = tt.early
			w := window("S1", "call", events.ToolEdits, "dir/a.txt")
			w.Closed = 7
			tt.change(w)
			sc.step.tree.state.Windows = []*Window{w}
			sc.step.tree.state.Scoped = map[string]int64{"dir/a.txt": 7}
			if got := sc.told(sc.segments(f), "two"); got != "old→new "+tt.want {
				t.Errorf("segments are %s, want %s", got, tt.want)
			}
		})
	}
}

// git writes a file, then a tool changes it before anybody looked: what git put there has the owners it had.
func TestWhatGitPutThereBeforeAnEditKeepsItsOwners(t *testing.T) {
	t.Parallel()
	other := vector.Owner{Kind: events.OwnerHuman}
	tests := map[string]struct {
		restored, known bool
		want            string
	}{
		"git was at work, and the content is known": {true, true, "[{0 2 equal}]"},
		"git was not at work":                       {false, true, "[{0 2 equal}]"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sc := newScene(t)
			found := sc.text("found", "two\nthree\n")
			f := sc.change("a.txt", sc.text("old", "one\n"), sc.text("new", "two\nthree\nagent\n"))
			sc.work("a.txt", "two\nthree\nagent\n")
			if tt.known {
				sc.knows("a.txt", found, other)
			}
			sc.step.tree.asks.Whole.Restored = tt.restored
			before, after := "two\nthree\n", "two\nthree\nagent\n"
			edit := window("S1", "edit", events.ToolEdits, "a.txt")
			edit.Says.Edits = []declared{{Path: "a.txt", Before: &before, After: &after}}
			sc.step.tree.state.Windows = []*Window{edit}
			sc.heard.closing = []ending{{window: edit, status: "done"}}
			segments := sc.segments(f)
			if got := sc.told(segments, "agent"); got != "old→found human, found→new edit" {
				t.Fatalf("segments are %s", got)
			}
			got := "["
			for _, o := range segments[0].origins {
				if o.Owner != other {
					t.Errorf("origin is owned by %v", o.Owner)
				}
				got += fmt.Sprintf("{%d %d %s}", o.Start, o.Count, map[bool]string{true: "equal", false: "other"}[o.Why == vector.Equal])
			}
			if got += "]"; got != tt.want {
				t.Errorf("origins are %s, want %s", got, tt.want)
			}
		})
	}
}
