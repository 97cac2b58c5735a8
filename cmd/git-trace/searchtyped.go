package main

import (
	"cmp"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/records/search"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails"
)

// typedHit is a conversation that is found by prompts which are in no record: it goes on, or none is kept of it.
type typedHit struct {
	trace    events.TraceID
	indexes  []int
	snippets []string // "" for a prompt without a word that is looked for
	first    string
}

// searchTyped looks for words in the prompts that are in no record.
func searchTyped(repo *refs.Repo, text string) ([]typedHit, error) {
	matcher, err := search.NewMatcher(text)
	if err != nil {
		return nil, err
	}
	prompts := trails.NewPrompts(repo)
	traces, err := prompts.Traces()
	if err != nil || len(traces) == 0 {
		return nil, err
	}
	var mutex sync.Mutex
	var hits []typedHit
	var failed error
	list := slices.Collect(maps.Keys(traces))
	var workers sync.WaitGroup
	for part := range slices.Chunk(list, len(list)/runtime.GOMAXPROCS(0)+1) {
		workers.Go(func() {
			for _, trace := range part {
				hit, found, err := searchPrompts(prompts, trace, matcher)
				mutex.Lock()
				if err != nil {
					failed = err
				}
				if found {
					hits = append(hits, hit)
				}
				mutex.Unlock()
			}
		})
	}
	workers.Wait()
	return hits, failed
}

func searchPrompts(prompts *trails.Prompts, trace events.TraceID, matcher *search.Matcher) (typedHit, bool, error) {
	kept, err := prompts.List(trace)
	if err != nil || len(kept) == 0 {
		return typedHit{}, false, err
	}
	hit := typedHit{trace: trace, indexes: slices.Sorted(maps.Keys(kept))}
	texts := make([]string, len(hit.indexes))
	for i, n := range hit.indexes {
		texts[i] = kept[n]
	}
	var found bool
	const titleLength = 300
	hit.first = strings.ToValidUTF8(texts[0][:min(len(texts[0]), titleLength)], "")
	hit.snippets, found = matcher.Find(texts)
	return hit, found, nil
}

// withTyped puts the conversations that are found by prompts without a record before the others, the latest first: they are
// the ones that go on. One that is found by its record too is told once.
func withTyped(reader *index.Index, found search.Found, hits []typedHit, want func(*search.Digest) bool, limit int) (search.Found, error) {
	known := map[events.TraceID]bool{}
	for _, r := range found.Results {
		known[r.Trace] = true
	}
	var typed []search.Result
	for _, h := range hits {
		sum, ok, err := reader.Trace(h.trace)
		if err != nil {
			return found, err
		}
		d := search.Digest{
			Trace: h.trace, Agent: sum.Agent, Session: sum.Session, Title: h.first, Start: sum.First.Format(time.RFC3339Nano), End: sum.Last.Format(time.RFC3339Nano),
		}
		if !ok || known[h.trace] || want != nil && !want(&d) {
			continue
		}
		r := search.Result{Digest: d}
		const most = 3
		for i, s := range h.snippets {
			if s != "" && len(r.Hits) < most {
				r.Hits = append(r.Hits, search.Hit{PromptIndex: h.indexes[i], Prompt: true, Text: s})
			}
		}
		typed = append(typed, r)
	}
	slices.SortFunc(typed, func(a, b search.Result) int { return cmp.Or(cmp.Compare(b.End, a.End), cmp.Compare(a.Trace, b.Trace)) })
	found.Total += len(typed)
	found.Results = append(typed, found.Results...)
	if limit > 0 && len(found.Results) > limit {
		found.Results = found.Results[:limit]
	}
	return found, nil
}
