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
	texts    []string
	snippets []string // "" for a prompt without a word that is looked for
	first    string
}

// searchTyped looks for words in the prompts that are in no record. They are redacted before anything of them is shown, and a word
// that is not in what is left is not found.
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
	if failed != nil || len(hits) == 0 {
		return nil, failed
	}
	shown := newPrompts(repo)
	defer shown.Close()
	out := hits[:0]
	for _, hit := range hits {
		for i, text := range hit.texts {
			if hit.texts[i], err = shown.Redacted(text); err != nil {
				return nil, err
			}
		}
		if hit.match(matcher) {
			out = append(out, hit)
		}
	}
	return out, nil
}

func searchPrompts(prompts *trails.Prompts, trace events.TraceID, matcher *search.Matcher) (typedHit, bool, error) {
	kept, err := prompts.List(trace)
	if err != nil || len(kept) == 0 {
		return typedHit{}, false, err
	}
	hit := typedHit{trace: trace, indexes: slices.Sorted(maps.Keys(kept))}
	for _, n := range hit.indexes {
		hit.texts = append(hit.texts, kept[n])
	}
	return hit, hit.match(matcher), nil
}

// match looks for the words in the texts.
func (h *typedHit) match(matcher *search.Matcher) (found bool) {
	const titleLength = 300
	h.first = strings.ToValidUTF8(h.texts[0][:min(len(h.texts[0]), titleLength)], "")
	h.snippets, found = matcher.Find(h.texts)
	return found
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
