package trail

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Everything that a trail has is in the document, under its own name; what it has not is null, empty or left out.
func TestTrailsForPrograms(t *testing.T) {
	t.Parallel()
	id := func(digit string) refs.OID {
		oid, err := refs.ParseOID(strings.Repeat(digit, 40))
		if err != nil {
			t.Fatal(err)
		}
		return oid
	}
	at := time.Date(2026, 11, 2, 10, 0, 0, 0, time.UTC)
	there := "there"
	full := &Trail{
		Patch: "p", Path: "a\xff", Lines: 9, Removed: 8,
		Owner: events.AnchorOwner{Kind: events.OwnerAI, Trace: "t", Agent: "pi", Session: "s", Subagent: "u", Model: "m", Tool: "Edit",
			ToolCall: "c", Prompt: 7, Candidates: []events.CandidateData{{Session: "x"}}},
		Created: &Created{at, "w", 3, 4, []events.Limit{events.LimitPathNotNamed}},
		Steps: []Step{
			{Kind: Anchored, Time: at, Commit: id("1"), Runs: []Run{{"a", 1, 2}, {"b", 5, 1}}, Tier: "exact_blob", Confidence: "high"},
			{Kind: Carried, Time: at, Commit: id("2"), From: id("1"), By: "amend", Tier: "rewritten", Confidence: "low"},
		},
		Now: Now{
			State: Changed, Ref: "refs/heads/x", Alive: 6, Moved: 5,
			Places:  []Place{{Run{"b\xfe", 1, 5}, id("2"), true}, {Run{"a", 9, 1}, refs.OID{}, false}},
			Changed: []Loss{{1, id("3"), "A", &events.AnchorOwner{Kind: events.OwnerMixed, Trace: "o", ToolCall: "d"}}},
			Lost:    []Loss{{2, refs.OID{}, "", nil}}, Reverted: []Loss{{3, id("4"), "B", nil}},
			Dropped: 4, Stash: "stash@{0}", Worktree: &there,
		},
	}
	tests := map[string]struct {
		list []*Trail
		want string
	}{
		"none": {nil, `{"schema":"git-trace.track/1","trails":[]}`},
		"an empty one": {[]*Trail{{}}, `{"schema":"git-trace.track/1","trails":[{"patch":"","owner":"","path":"","lines":0,"removed":0,"created":null,` +
			`"steps":[],"now":{"state":"","ref":null,"alive":0,"moved":0,"places":[],"changed":[],"reverted":[],"lost":[],"never_committed":0}}]}`},
		"a full one": {[]*Trail{full}, `{"schema":"git-trace.track/1","trails":[{"patch":"p","owner":"ai","trace":"t","agent":"pi","session":"s",` +
			`"subagent":"u","model":"m","tool":"Edit","tool_call":"c","prompt":7,"candidates":[CANDIDATE],"path":"a\ufffd","path_base64":"Yf8=",` +
			`"lines":9,"removed":8,"created":{"time":"2026-11-02T10:00:00Z","worktree":"w","start":3,"count":4,"limits":["path_not_named"]},` +
			`"steps":[{"kind":"anchored","time":"2026-11-02T10:00:00Z","commit":"ONE","lines":3,"runs":[{"path":"a","start":1,"count":2},` +
			`{"path":"b","start":5,"count":1}],"evidence":"exact_blob","confidence":"high"},{"kind":"carried","time":"2026-11-02T10:00:00Z",` +
			`"commit":"TWO","from":"ONE","by":"amend","lines":0,"runs":[],"evidence":"rewritten","confidence":"low"}],` +
			`"now":{"state":"changed","ref":"refs/heads/x","alive":6,"moved":5,"places":[{"path":"b\ufffd","path_base64":"Yv4=","start":1,` +
			`"count":5,"commit":"TWO","moved":true},{"path":"a","start":9,"count":1}],"changed":[{"lines":1,"commit":"THREE","author":"A",` +
			`"owner":"mixed","trace":"o","tool_call":"d"}],"reverted":[{"lines":3,"commit":"FOUR","author":"B"}],"lost":[{"lines":2,` +
			`"commit":null}],"never_committed":4,"stash":"stash@{0}","worktree":"there"}}]}`},
	}
	for name, tt := range tests {
		raw, err := json.Marshal(JSON(tt.list))
		if err != nil {
			t.Fatal(err)
		}
		candidate, err := json.Marshal(full.Owner.Candidates[0])
		if err != nil {
			t.Fatal(err)
		}
		want := strings.NewReplacer("ONE", id("1").String(), "TWO", id("2").String(), "THREE", id("3").String(), "FOUR", id("4").String(),
			"CANDIDATE", string(candidate)).Replace(tt.want)
		if string(raw) != want {
			t.Errorf("%s is\n%s\nwant\n%s", name, raw, want)
		}
	}
}
