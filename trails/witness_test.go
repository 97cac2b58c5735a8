package trails

import (
	"os"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/trails/process"
	"github.com/git-trace/git-trace/trails/snapshot"
)

func TestACallWhoseAgentIsGoneIsInDoubt(t *testing.T) {
	t.Parallel()
	lives, gone := process.Of(os.Getpid()), process.Ended(noProcess)
	if !lives.Known() {
		t.Skip("this system does not tell which processes live")
	}
	for name, tt := range map[string]struct {
		host   process.ID
		sure   bool
		closed int64
		doubts events.Limit
		over   bool
	}{
		"its process lives":           {lives, true, 0, "", false},
		"its process is gone":         {gone, true, 0, events.LimitProcessGone, true},
		"nothing is known of one":     {process.ID{}, false, 0, events.LimitProcessUnknown, false},
		"it may be another's process": {gone, false, 0, events.LimitProcessUnknown, false},
		"it has ended before that":    {gone, true, 3, "", false},
	} {
		w := &Window{Call: Call{ID: "c"}, Run: running{Host: tt.host, Sure: tt.sure}, Closed: tt.closed}
		s := stepAmong(nil, &state{Windows: []*Window{w}})
		s.seen.askProcesses(time.Now())
		over := len(s.seen.doubtGone()) == 1
		if got := s.judges().doubts(w, "f"); got != tt.doubts || over != tt.over || w.Doubt != tt.over {
			t.Errorf("%s: %q, over %v, marked %v, want %q, %v", name, got, over, w.Doubt, tt.doubts, tt.over)
		}
	}
}

// An agent wrote down that a call was over. Where a dialog was open, it may have been refused.
func TestWhatChangedBeforeACallWasOverIsItsOwnOnlyIfItBegan(t *testing.T) {
	t.Parallel()
	lives := process.Of(os.Getpid())
	for name, tt := range map[string]struct {
		asked  time.Time
		end    End
		doubts events.Limit
	}{
		"it ran, and nobody was asked":            {time.Time{}, End{Outcome: OutcomeRan, At: time.Now()}, ""},
		"it ran, once there was consent":          {time.Now(), End{Outcome: OutcomeRan, At: time.Now()}, ""},
		"interrupted, and nobody was asked":       {time.Time{}, End{Outcome: OutcomeRan, At: time.Now(), Unbegun: true}, ""},
		"interrupted or refused, nobody can tell": {time.Now(), End{Outcome: OutcomeRan, At: time.Now(), Unbegun: true}, events.LimitMissingAfter},
	} {
		w := &Window{Call: Call{ID: "c", Class: events.ToolRuns}, Run: running{Host: lives, Sure: true, Begun: time.Now().Add(-time.Hour)}, Asked: tt.asked}
		settle := func(Window) End { return tt.end }
		s := stepAmong(settle, &state{Windows: []*Window{w}})
		s.seen.askProcesses(time.Now())
		s.seen.endTold(w)
		s.seen.bounds[w].within = map[string]bool{"f": true}
		if got := s.judges().doubts(w, "f"); got != tt.doubts {
			t.Errorf("%s: %q, want %q", name, got, tt.doubts)
		}
	}
}

// An agent's own record of when a call ended counts where the clock went on evenly since the call began.
func TestWhenACallHadEndedByItsAgentsRecord(t *testing.T) {
	t.Parallel()
	if process.Awake() == 0 {
		t.Skip("this system does not tell for how long it has been awake")
	}
	now := time.Now()
	told := End{Outcome: OutcomeRan, At: now.Add(-time.Minute)}
	finished := told
	finished.Finished = true
	for name, tt := range map[string]struct {
		end    End
		awake  time.Duration // since the call began, which was an hour ago
		limits []events.Limit
		want   time.Time
	}{
		"the clock went on evenly":      {told, time.Hour, nil, told.At.Add(-snapshot.Slack)},
		"and the command was over then": {finished, time.Hour, nil, told.At.Add(time.Millisecond)},
		"a little off":                  {told, time.Hour - 800*time.Millisecond, nil, told.At.Add(-snapshot.Slack)},
		"the system slept":              {told, 30 * time.Minute, nil, time.Time{}},
		"somebody set the clock back":   {told, time.Hour + 2*time.Second, nil, time.Time{}},
		"its beginning was put aside":   {told, time.Hour, []events.Limit{events.LimitBoundaryLate}, time.Time{}},
		"the end was before it began":   {End{Outcome: OutcomeRan, At: now.Add(-2 * time.Hour)}, time.Hour, nil, time.Time{}},
		"no moment is told":             {End{Outcome: OutcomeRan}, time.Hour, nil, time.Time{}},
		"it may go on":                  {End{At: told.At}, time.Hour, nil, time.Time{}},
	} {
		w := &Window{
			Call: Call{ID: "c", Class: events.ToolRuns}, Run: running{Begun: now.Add(-time.Hour), Awake: process.Awake() - int64(tt.awake),
				Host: process.Of(os.Getpid()), Sure: true}, Limits: tt.limits,
		}
		s := stepAmong(func(Window) End { return tt.end }, &state{Windows: []*Window{w}})
		s.tree.time = now
		s.seen.askProcesses(now)
		for range 2 { // it is asked once, and known from then on
			if got := s.seen.endTold(w); got != tt.end {
				t.Errorf("%s: told %+v", name, got)
			}
		}
		if got := s.seen.toldEnd(w); !got.Equal(tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}
