package trail

import (
	"fmt"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// What makes lines those of one trail.
func TestKeysOfTrails(t *testing.T) {
	t.Parallel()
	call := events.AnchorOwner{Trace: "t", Subagent: "s", ToolCall: "c", Prompt: 3}
	if a, b := KeyOf(&events.AnchorOwner{Patch: "p", Trace: "t"}, "x"), KeyOf(&events.AnchorOwner{Patch: "p"}, "y"); a != b || a != "p" {
		t.Errorf("a patch is %q and %q", a, b)
	}
	if key := KeyOf(&events.AnchorOwner{Kind: events.OwnerHuman, ToolCall: "c"}, "x"); key != "" {
		t.Errorf("without a conversation the key is %q", key)
	}
	seen := map[Key]string{KeyOf(&call, "x"): "the call"}
	for what, change := range map[string]func(*events.AnchorOwner){
		"conversation": func(o *events.AnchorOwner) { o.Trace = "u" }, "sub-agent": func(o *events.AnchorOwner) { o.Subagent = "" },
		"call": func(o *events.AnchorOwner) { o.ToolCall = "d" }, "prompt": func(o *events.AnchorOwner) { o.Prompt = 4 },
	} {
		other := call
		change(&other)
		if had, twice := seen[KeyOf(&other, "x")]; twice {
			t.Errorf("another %s has the key of %s", what, had)
		}
		seen[KeyOf(&other, "x")] = "another " + what
	}
	if KeyOf(&call, "y") == KeyOf(&call, "x") {
		t.Error("two files of a call have one key")
	}
}

// The figures of what is left stay within the lines that a patch has, and a word says what they say.
func TestFiguresAndTheirWord(t *testing.T) {
	t.Parallel()
	loss := func(n int) []Loss { return []Loss{{Lines: n}} }
	step := []Step{{Kind: Anchored}}
	tests := map[string]struct {
		now   Now
		steps []Step
		want  State
	}{
		"all of it":                            {Now{Alive: 2}, step, Alive},
		"all of it, a part elsewhere":          {Now{Alive: 2, Moved: 1}, step, Moved},
		"some, a part elsewhere":               {Now{Alive: 2, Moved: 1, Lost: loss(1)}, step, Changed},
		"some, the rest dropped":               {Now{Alive: 2, Dropped: 1}, step, Changed},
		"some, the rest reverted":              {Now{Alive: 2, Reverted: loss(1)}, step, Changed},
		"none, and others stand there":         {Now{Changed: loss(1), Reverted: loss(5)}, step, Changed},
		"more reverted than lost":              {Now{Reverted: loss(2), Lost: loss(1)}, step, Reverted},
		"as much reverted as lost":             {Now{Reverted: loss(2), Lost: loss(2)}, step, Reverted},
		"more lost than reverted":              {Now{Reverted: loss(1), Lost: loss(2)}, step, Lost},
		"lost":                                 {Now{Lost: loss(1)}, step, Lost},
		"nothing is known, and never anchored": {Now{}, nil, Dropped},
		"nothing is known of what was":         {Now{}, step, Unsettled},
	}
	for name, tt := range tests {
		if got := tt.now.state(&Trail{Steps: tt.steps}); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
	owner := func(n int) *Loss { return &Loss{Lines: n} }
	id := func(n byte) refs.OID {
		oid, err := refs.ParseOID(strings.Repeat(string(n), 40))
		if err != nil {
			t.Fatal(err)
		}
		return oid
	}
	for name, tt := range map[string]struct {
		lines, alive, moved int
		changed             map[refs.OID]*Loss
		noEvent             bool
		want                string // LINES ALIVE/MOVED, then what was changed
	}{
		"as it is":                       {5, 3, 1, map[refs.OID]*Loss{id('a'): owner(2)}, false, "5 3/1 2"},
		"copied":                         {2, 4, 4, nil, false, "2 2/2"},
		"copied lines of which none has": {2, 4, 1, nil, true, "4 4/1"},
		"more stand there than were":     {4, 1, 0, map[refs.OID]*Loss{id('a'): owner(2), id('b'): owner(5)}, false, "4 1/0 3"},
		"the larger first":               {9, 1, 0, map[refs.OID]*Loss{id('a'): owner(2), id('b'): owner(5)}, false, "9 1/0 5 2"},
		"nothing is left for others":     {2, 2, 0, map[refs.OID]*Loss{id('a'): owner(2)}, false, "2 2/0"},
	} {
		tr := &Trail{Lines: tt.lines, Created: &Created{}}
		if tt.noEvent {
			tr.Created = nil
		}
		l := looker{tr: tr, now: &Now{Alive: tt.alive, Moved: tt.moved}, changed: tt.changed}
		for c, loss := range tt.changed {
			loss.Commit = c
		}
		l.tidy()
		got := fmt.Sprintf("%d %d/%d", tr.Lines, l.now.Alive, l.now.Moved)
		for _, c := range l.now.Changed {
			got += fmt.Sprintf(" %d", c.Lines)
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

// What a patch kept of older owners is not counted as its own, and what cannot be read says nothing.
func TestWhatTheEventOfAPatchSays(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ data, want string }{
		"its own lines alone": {`{"patch":"p","path":"a","new_start":3,"new_count":5,"old_count":2,"kept":[{"start":3,"count":1},{"start":5,"count":2}]}`, "a +2 -2 at 3+5"},
		"more kept than new":  {`{"patch":"p","path":"a","new_start":1,"new_count":1,"kept":[{"start":1,"count":2}]}`, "a +0 -0 at 1+1"},
		"no numbers at all":   {`{"patch":"p","path":"a","new_count":-3,"old_count":-1}`, "a +0 -0 at 0+-3"},
		"no event of a patch": {`[]`, " +0 -0 at nowhere"},
	} {
		var tr Trail
		tr.created(&events.Event{Data: []byte(tt.data)})
		place := "nowhere"
		if tr.Created != nil {
			place = fmt.Sprintf("%d+%d", tr.Created.Start, tr.Created.Count)
		}
		if got := fmt.Sprintf("%s +%d -%d at %s", tr.Path, tr.Lines, tr.Removed, place); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}
