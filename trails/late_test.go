package trails

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/trails/spool"
)

// A boundary that is put aside while the end of a call is taken is taken within it, and the call ends all the same.
func TestACallEndsThoughAnotherBoundaryIsTakenMeanwhile(t *testing.T) {
	t.Parallel()
	y := newStory(t)
	ctx, at := t.Context(), time.Now()
	shell := func(kind events.BoundaryKind, session, call string) events.Boundary {
		at = at.Add(time.Second)
		return events.Boundary{Kind: kind, Agent: "claude-code", Session: session, Time: at,
			Tool: &events.ToolUse{CallID: call, Name: "Bash", Class: events.ToolRuns}}
	}
	for _, call := range []string{"t1", "t2"} {
		y.check(New(y.repo, y.log, nil).Handle(ctx, shell(events.ToolBefore, "S1", call)))
	}
	y.check(os.WriteFile(filepath.Join(y.repo.WorkTree, "a.txt"), []byte("one\n"), 0o600))
	other := shell(events.ToolBefore, "S2", "t3")
	aside := false
	settle := func(Window) End { // asked for the end of t2, when what had waited is taken already
		if !aside {
			aside = true
			y.check(New(y.repo, y.log, nil).Late(ctx, other))
		}
		return End{}
	}
	y.check(New(y.repo, y.log, settle).Handle(ctx, shell(events.ToolAfter, "S1", "t1")))
	found, err := loadState(y.repo)
	y.check(err)
	var open []string
	for _, w := range found.openWindows() {
		open = append(open, w.Call.ID)
	}
	if left, _ := filepath.Glob(filepath.Join(spool.Dir(y.repo), "*"+spool.LateSuffix)); !aside || len(left) > 0 {
		t.Fatalf("put aside: %v, left: %v", aside, left)
	}
	if !slices.Equal(open, []string{"t2", "t3"}) {
		t.Errorf("open are %v", open)
	}
}
