package index

import (
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
)

func TestTheOwnLogComesLastWhereTheLastIsBelieved(t *testing.T) {
	t.Parallel()
	for recorded, want := range map[string]string{
		"": "", "a1": "a1", "a1 a2 b1 b2": "b1 b2 a1 a2", "a1 b1 a2": "b1 a1 a2", "a1 b1 c1": "c1 b1 a1",
	} {
		var list []events.Event
		for _, name := range strings.Fields(recorded) {
			list = append(list, events.Event{Writer: name[:1], Session: name})
		}
		var got []string
		for _, e := range OwnLast(list) {
			got = append(got, e.Session)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s is ordered %v, want %s", recorded, got, want)
		}
		if len(list) > 1 && list[0].Session != strings.Fields(recorded)[0] {
			t.Error("the list that was given is changed")
		}
	}
}
