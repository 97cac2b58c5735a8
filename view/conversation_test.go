package view

import (
	"reflect"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/records/search"
)

func at(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}
	}
	return t
}

func TestSourcesAreUnited(t *testing.T) {
	t.Parallel()
	cost := 0.5
	morning, noon, night := "2026-11-02T09:00:00Z", "2026-11-02T12:00:00Z", "2026-11-02T21:00:00Z"
	for name, test := range map[string]struct {
		logged index.Trace
		record *search.Digest
		want   Conversation
	}{
		"hooks alone": {
			logged: index.Trace{Agent: "pi", Session: "s", Writer: "w", Hooked: 9, First: at(morning), Last: at(noon), Prompts: 2, Calls: 3, Added: 4, Removed: 1},
			want: Conversation{
				Agent: "pi", Session: "s", Writer: "w", Sources: []Source{Hooks}, First: at(morning), Last: at(noon), Prompts: 2, Calls: 3, Added: 4, Removed: 1,
			},
		},
		"a record alone, which tells no time": {
			record: &search.Digest{Agent: "pi", Session: "s", Prompts: 2, Calls: 7, Start: "yesterday", End: "1970-01-01T00:00:00Z"},
			want:   Conversation{Agent: "pi", Session: "s", Sources: []Source{Record}, Prompts: 2, Calls: 7, Usage: &Usage{}},
		},
		"the record has calls that no hook is asked about, and began before the log": {
			logged: index.Trace{Hooked: 5, First: at(noon), Last: at(noon), Prompts: 1, Calls: 1},
			record: &search.Digest{Prompts: 3, Calls: 8, HeldPrompts: 1, LastPrompt: 1, Start: morning, End: night, Cost: &cost},
			want: Conversation{
				Sources: []Source{Hooks, Record}, First: at(morning), Last: at(night), Prompts: 3, Calls: 8, Usage: &Usage{CostUSD: &cost},
			},
		},
		"the log has a prompt that the record does not have yet": {
			logged: index.Trace{Hooked: 5, First: at(morning), Last: at(night), Prompts: 4, Calls: 9},
			record: &search.Digest{Prompts: 3, Calls: 7, HeldPrompts: 0},
			want:   Conversation{Sources: []Source{Hooks, Record}, First: at(morning), Last: at(night), Prompts: 4, Calls: 9, Usage: &Usage{}},
		},
		"backfill told the log": {
			logged: index.Trace{First: at(morning), Last: at(noon), Prompts: 2},
			record: &search.Digest{Name: "Shop", Prompts: 2, Calls: 5, HeldPrompts: 2, LastPrompt: 2, Start: morning, End: noon},
			want: Conversation{
				Title: "Shop", Sources: []Source{Backfill, Record}, First: at(morning), Last: at(noon), Prompts: 2, Calls: 5, Usage: &Usage{},
			},
		},
		"one model under two names, and sums below those of the steps": {
			logged: index.Trace{Hooked: 1, First: at(noon), Last: at(noon), Models: []string{"claude-opus-4-5", "small"}},
			record: &search.Digest{Input: 10, Output: 5, Models: []search.ModelUse{
				{Model: "anthropic/claude-opus-4-5", Steps: 2, Input: 8, Output: 6}, {Model: "openai/new", Steps: 1, Input: 4},
			}},
			want: Conversation{
				Sources: []Source{Hooks, Record}, First: at(noon), Last: at(noon), Models: []string{"anthropic/claude-opus-4-5", "small", "openai/new"},
				Usage: &Usage{Input: 12, Output: 6, Models: []search.ModelUse{
					{Model: "anthropic/claude-opus-4-5", Steps: 2, Input: 8, Output: 6}, {Model: "openai/new", Steps: 1, Input: 4},
				}},
			},
		},
	} {
		r := &Reader{records: map[events.TraceID]search.Digest{}}
		test.logged.ID, test.want.Trace = "t", "t"
		if test.record != nil {
			r.records["t"] = *test.record
		}
		got, err := r.unite(&test.logged)
		if err != nil {
			t.Fatal(err)
		}
		if test.want.Models == nil {
			test.want.Models = []string{}
		}
		test.want.Commits, test.want.Lost, test.want.Absent = []CommitLines{}, []CommitLines{}, []CommitLines{}
		test.want.Elsewhere = []index.Elsewhere{}
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s:\ngot  %+v\nwant %+v", name, got, test.want)
		}
	}
}
