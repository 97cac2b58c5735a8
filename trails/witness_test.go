package trails

import (
	"os"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/process"
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
		w := &Window{CallID: "c", Host: tt.host, Sure: tt.sure, Closed: tt.closed}
		s := &step{Engine: New(&refs.Repo{WorkTree: t.TempDir()}, nil, nil), state: &state{Windows: []*Window{w}}}
		s.askProcesses(time.Now())
		over := len(s.doubtGone()) == 1
		if got := s.doubts(w, "f"); got != tt.doubts || over != tt.over || w.Doubt != tt.over {
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
		w := &Window{CallID: "c", Class: events.ToolRuns, Host: lives, Sure: true, Asked: tt.asked, Begun: time.Now().Add(-time.Hour)}
		settle := func(Window) End { return tt.end }
		s := &step{Engine: New(&refs.Repo{WorkTree: t.TempDir()}, nil, settle), state: &state{Windows: []*Window{w}}}
		s.askProcesses(time.Now())
		s.endTold(w)
		s.proc.bounds[w].within = map[string]bool{"f": true}
		if got := s.doubts(w, "f"); got != tt.doubts {
			t.Errorf("%s: %q, want %q", name, got, tt.doubts)
		}
	}
}
