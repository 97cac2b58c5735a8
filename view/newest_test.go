package view

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records/search"
	"github.com/git-trace/git-trace/refs"
)

// sums are records of which nothing is here but what sums them up, in the order of their ids. It counts how many are
// read whole.
type sums struct {
	list []search.Digest
	read int
}

func (s *sums) Digests() ([]search.Digest, error) {
	s.read += len(s.list)
	return s.list, nil
}

func (s *sums) IDs() (ids []events.TraceID, err error) {
	for i := range s.list {
		ids = append(ids, s.list[i].Trace)
	}
	return ids, nil
}

func (s *sums) Some(ids []events.TraceID) (some []search.Digest, err error) {
	for i := range s.list {
		if slices.Contains(ids, s.list[i].Trace) {
			some = append(some, s.list[i])
		}
	}
	s.read += len(some)
	return some, nil
}

func (s *sums) Times() (times []search.Times, err error) {
	for i := range s.list {
		times = append(times, search.Times{Trace: s.list[i].Trace, Start: s.list[i].Start, End: s.list[i].End})
	}
	return times, nil
}

func (s *sums) Search(context.Context, search.Query) (search.Found, error) {
	return search.Found{}, nil
}
func (s *sums) Calls(string) ([]search.Call, error) { return nil, nil }
func (s *sums) Close()                              {}

// A list of the newest is the head of the list of all, whatever logs and records say of the times. It reads no record
// of the others.
func TestTheNewestAreTheFirstOfAll(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(21, 1))
	for round := range 12 {
		dir := t.TempDir()
		if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		repo, err := refs.Discover(dir)
		if err != nil {
			t.Fatal(err)
		}
		some := func() time.Time {
			return time.Date(2026, 11, 1+rng.IntN(20), rng.IntN(24), 0, 0, rng.IntN(2), time.UTC)
		}
		stamp := func() string {
			return [...]string{some().Format(time.RFC3339Nano), some().Format(time.RFC3339), "", "yesterday", "1970-01-01T00:00:00Z"}[rng.IntN(5)]
		}
		records := &sums{}
		var drafts []events.Draft
		for i := range 30 {
			session := fmt.Sprint("s", i)
			trace := events.NewTraceID("pi", session)
			if rng.IntN(4) > 0 {
				records.list = append(records.list, search.Digest{Trace: trace, Agent: "pi", Session: session, Start: stamp(), End: stamp()})
			}
			if alone := round%3 == 2 && rng.IntN(5) == 0; alone { // no log tells of it
				continue
			}
			for range 1 + rng.IntN(3) {
				data, err := events.Encode(events.PromptData{Index: 1, Chars: 1, Kind: "user"})
				if err != nil {
					t.Fatal(err)
				}
				drafts = append(drafts, events.Draft{Time: some(), Type: events.PromptSubmitted, Trace: trace, Agent: "pi",
					Session: session, Method: []events.Method{events.HookPrompt}, Data: data})
			}
		}
		slices.SortFunc(records.list, func(a, b search.Digest) int { return strings.Compare(string(a.Trace), string(b.Trace)) })
		if _, err := events.OpenLog(repo).Append(t.Context(), drafts); err != nil {
			t.Fatal(err)
		}
		choose := func(limit int) []Conversation {
			r, err := Open(t.Context(), repo, Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			r.open = func() (Records, error) { return records, nil }
			list, err := r.Choose(t.Context(), Choice{Limit: limit})
			if err != nil {
				t.Fatal(err)
			}
			return list
		}
		all := choose(-1)
		for _, n := range []int{0, 1, 7, 29, 500} {
			records.read = 0
			got, want := choose(n), all[:min(n, len(all))]
			if len(got) != len(want) || len(got) > 0 && !reflect.DeepEqual(got, want) {
				t.Errorf("round %d: the newest %d are not the first of all:\ngot  %v\nwant %v", round, n, ids(got), ids(want))
			}
			if round%3 < 2 && records.read > n {
				t.Errorf("round %d: %d records are read for the newest %d", round, records.read, n)
			}
		}
	}
}

func ids(list []Conversation) (out []string) {
	for i := range list {
		out = append(out, fmt.Sprintf("%.4s %s", list[i].Trace, list[i].Last.Format(time.RFC3339Nano)))
	}
	return out
}
