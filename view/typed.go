package view

import (
	"maps"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/records/search"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/ledger"
)

// Typed counts the prompts whose text is kept as it was typed, until a record has them.
type Typed struct {
	Count  int        `json:"count"`
	Oldest *time.Time `json:"oldest"` // nil for none
}

// TypedPrompts counts the prompts that no record has yet.
func TypedPrompts(repo *refs.Repo) (Typed, error) {
	n, oldest, err := ledger.NewPrompts(repo).Kept()
	if err != nil || n == 0 {
		return Typed{}, err
	}
	return Typed{n, &oldest}, nil
}

// typedHit is a conversation that is found by prompts outside of a record: it still continues, or has no record.
type typedHit struct {
	trace    events.TraceID
	indexes  []int
	texts    []string
	snippets []string // "" for a prompt without a searched word
}

// mostTyped is the number of prompts of a conversation that are shown.
const mostTyped = 3

// hits returns the prompts that contain a word.
func (h *typedHit) hits() []search.Hit {
	var out []search.Hit
	for i, s := range h.snippets {
		if s != "" && len(out) < mostTyped {
			out = append(out, search.Hit{PromptIndex: h.indexes[i], Prompt: true, Text: s})
		}
	}
	return out
}

// searchTyped looks for words in the prompts that are in no record. It redacts them first. So it does not find a word
// that redaction removes.
func (r *Reader) searchTyped(text string) ([]typedHit, error) {
	matcher, err := search.NewMatcher(text)
	if err != nil {
		return nil, err
	}
	if r.prompts == nil {
		return nil, nil
	}
	prompts := r.prompts.typed
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
		workers.Go(fault.In(func() {
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
		}))
	}
	workers.Wait()
	if failed != nil || len(hits) == 0 {
		return nil, failed
	}
	out := hits[:0]
	for _, hit := range hits {
		for i, text := range hit.texts {
			if hit.texts[i], err = r.prompts.Redacted(text); err != nil {
				return nil, err
			}
		}
		if hit.match(matcher) {
			out = append(out, hit)
		}
	}
	return out, nil
}

func searchPrompts(prompts *ledger.Prompts, trace events.TraceID, matcher *search.Matcher) (typedHit, bool, error) {
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

// `match` looks for the words in the texts.
func (h *typedHit) match(matcher *search.Matcher) (found bool) {
	h.snippets, found = matcher.Find(h.texts)
	return found
}
