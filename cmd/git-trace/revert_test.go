package main

import (
	"reflect"
	"testing"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/upkeep/restore/backward"
)

// A diff takes the blank line behind an agent's function for the one before it, which a person wrote.
func TestARevertCountsLinesOfItsWorkAlone(t *testing.T) {
	t.Parallel()
	of := func(trace events.TraceID, prompt, lines int) lostLines {
		return lostLines{blame.OwnerJSON{Contributor: events.OwnerAI, Trace: &trace}, &prompt, lines}
	}
	person := lostLines{OwnerJSON: blame.OwnerJSON{Contributor: events.OwnerHuman}, Lines: 1}
	for name, tt := range map[string]struct {
		work       backward.Work
		lost, want []lostLines
	}{
		"a prompt":           {backward.Work{Trace: "a", Prompt: 1}, []lostLines{of("a", 1, 9), of("a", 2, 1), person}, []lostLines{of("a", 1, 11)}},
		"a conversation":     {backward.Work{Trace: "a"}, []lostLines{of("b", 1, 1), of("a", 1, 9), of("a", 2, 3)}, []lostLines{of("a", 1, 10), of("a", 2, 3)}},
		"agents of a commit": {backward.Work{}, []lostLines{of("a", 1, 9), of("b", 1, 2), person}, []lostLines{of("a", 1, 10), of("b", 1, 2)}},
		"nothing of it":      {backward.Work{Trace: "a"}, []lostLines{person}, []lostLines{person}},
		"nothing":            {backward.Work{Trace: "a"}, []lostLines{}, []lostLines{}},
	} {
		taken := taking{work: tt.work}
		if got := taken.ofWork(tt.lost); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %+v are lost, want %+v", name, got, tt.want)
		}
	}
}
