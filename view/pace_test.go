package view

import (
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
)

// An agent works from a prompt to the end of its turn, and waits from there to the next prompt.
func TestWorkAndWait(t *testing.T) {
	t.Parallel()
	begin := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
	minute := func(n int) *time.Time {
		if n < 0 {
			return nil
		}
		at := begin.Add(time.Duration(n) * time.Minute)
		return &at
	}
	ended := func(prompt, at int) events.Event {
		raw, err := events.Encode(events.TurnData{Prompt: prompt})
		if err != nil {
			t.Fatal(err)
		}
		return events.Event{Type: events.TurnEnded, Time: *minute(at), Data: raw}
	}
	for name, tt := range map[string]struct {
		asked          []int // when; -1 where nothing tells it
		closed         []int // the last call of each
		turns          []events.Event
		worked, waited int
	}{
		"ends of turns":                          {[]int{0, 10}, []int{-1, -1}, []events.Event{ended(1, 4), ended(2, 11)}, 5, 6},
		"calls where no hook told the end":       {[]int{0, 10}, []int{3, 12}, nil, 5, 7},
		"a command that runs on":                 {[]int{0, 10}, []int{15, -1}, []events.Event{ended(1, 4), ended(2, 11)}, 11, 0},
		"a prompt while it works":                {[]int{0, 2}, []int{-1, -1}, []events.Event{ended(1, 4), ended(2, 4)}, 4, 0},
		"an end that is not known":               {[]int{0, 10}, []int{-1, -1}, []events.Event{ended(2, 11)}, 1, 0},
		"a prompt without a time":                {[]int{-1, 10}, []int{3, -1}, []events.Event{ended(2, 11)}, 1, 0},
		"an end before its prompt says nothing":  {[]int{5, 10}, []int{3, -1}, []events.Event{ended(2, 11)}, 1, 0},
		"a subagent's end is not the end":        {[]int{0, 10}, []int{-1, -1}, []events.Event{{Type: events.TurnEnded, Subagent: "s", Time: *minute(3)}}, 0, 0},
		"the last of several ends of one prompt": {[]int{0}, []int{2}, []events.Event{ended(1, 4), ended(1, 7)}, 7, 0},
	} {
		var turns []Turn
		places := map[int]int{}
		for i, at := range tt.asked {
			places[i+1] = i
			turns = append(turns, Turn{Index: i + 1, Time: minute(at), Calls: []Call{{Closed: minute(tt.closed[i])}}})
		}
		end(turns, tt.turns, places, nil, nil)
		if got, want := PaceOf(turns), (Pace{time.Duration(tt.worked) * time.Minute, time.Duration(tt.waited) * time.Minute}); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
