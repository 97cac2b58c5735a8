package trails

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// What the state forgets when it is saved: what no later boundary can need, and the oldest of too much.
func TestWhatTheStateForgets(t *testing.T) {
	t.Parallel()
	s := &state{LastFull: 5, Sessions: map[events.TraceID]*sessionState{}, Scoped: map[string]int64{"old": 4, "full": 5, "new": 6}}
	for name, w := range map[string]*Window{
		"open": {}, "closed before": {Closed: 4}, "closed at the look": {Closed: 5}, "closed since": {Closed: 6},
		"spoke of what git passes over": {Closed: 4, Says: sayings{Hidden: []saying{{}}}}, "hooks may be at work on it": {Closed: 4, Tail: true},
	} {
		w.Call.ID = name
		s.Windows = append(s.Windows, w)
	}
	for i := range maxSessions + 2 { // the second and the fourth have been silent longest
		at := minute(1).Add(time.Duration(i) * time.Hour)
		if i == 1 || i == 3 {
			at = minute(0)
		}
		s.Sessions[events.TraceID(fmt.Sprint(i))] = &sessionState{Last: at}
	}
	for i := range maxAnchored + 3 {
		s.Anchored = append(s.Anchored, numbered(t, i+1))
	}
	s.forget()
	var left []string
	for _, w := range s.Windows {
		left = append(left, w.Call.ID)
	}
	slices.Sort(left)
	if want := []string{"closed since", "hooks may be at work on it", "open", "spoke of what git passes over"}; !slices.Equal(left, want) {
		t.Errorf("windows %v, want %v", left, want)
	}
	if got := slices.Sorted(maps.Keys(s.Scoped)); !slices.Equal(got, []string{"new"}) {
		t.Errorf("paths %v", got)
	}
	if len(s.Sessions) != maxSessions || s.Sessions["1"] != nil || s.Sessions["3"] != nil {
		t.Errorf("%d conversations; of the longest silent %v, %v", len(s.Sessions), s.Sessions["1"], s.Sessions["3"])
	}
	if len(s.Anchored) != maxAnchored || s.Anchored[0] != numbered(t, 4) {
		t.Errorf("%d commits, from %s on", len(s.Anchored), s.Anchored[0])
	}
	for path, want := range map[string]int64{"new": 6, "other": 5} {
		if got := s.seen(path); got != want {
			t.Errorf("%s was seen in %d, want %d", path, got, want)
		}
	}
}

func TestWhatABoundaryThatIsPutAsideKeepsOfItsTexts(t *testing.T) {
	t.Parallel()
	whole := strings.Repeat("x", maxDeclared/2)
	for name, tt := range map[string]struct {
		edits []events.DeclaredEdit
		kept  bool
	}{
		"as much as may be":           {[]events.DeclaredEdit{{Old: whole, New: whole}}, true},
		"a byte more":                 {[]events.DeclaredEdit{{Old: whole, New: whole + "x"}}, false},
		"whole contents":              {[]events.DeclaredEdit{{Before: &whole, After: &whole}}, true},
		"whole contents and a byte":   {[]events.DeclaredEdit{{Before: &whole, After: &whole, Old: "x"}}, false},
		"in several edits":            {[]events.DeclaredEdit{{Old: whole}, {New: whole}}, true},
		"in several edits, and more":  {[]events.DeclaredEdit{{Old: whole}, {New: whole}, {New: "x"}}, false},
		"nothing that would be texts": {nil, false},
	} {
		tool := &events.ToolUse{CallID: "c", Edits: tt.edits}
		got := withFewTexts(events.Boundary{Session: "S", Tool: tool})
		if kept := len(got.Tool.Edits) > 0; kept != tt.kept || got.Tool.CallID != "c" || got.Session != "S" {
			t.Errorf("%s: kept %v, %+v", name, kept, got.Tool.CallID)
		}
		if len(tool.Edits) != len(tt.edits) {
			t.Errorf("%s: the boundary at hand lost them too", name)
		}
		w := &Window{}
		w.declare(&refs.Repo{WorkTree: "/w"}, &events.ToolUse{Edits: tt.edits})
		if len(w.Says.Edits) > 0 {
			t.Errorf("%s: edits of no path are kept", name)
		}
	}
	if got := withFewTexts(events.Boundary{Session: "S"}); got.Tool != nil {
		t.Error("a boundary of no tool got one")
	}
}
