package view

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/records/search"
)

// Query describes a search.
type Query struct {
	Text   string
	Agents []string // only conversations of these agents; empty for all
	Limit  int      // number of conversations; 0 for all
	In     search.In
	Count  bool // count the conversations that contain all words, for each place
	Facets Facets
}

// Found is the answer to a query.
type Found struct {
	Total   int               // conversations that contain all words
	In      map[search.In]int // number of matches in each place; nil unless requested
	Results []Result
}

// Result is a conversation that contains all words of a query.
type Result struct {
	Conversation
	Hits []search.Hit // the steps and prompts that match best, the best first; with facets, the calls
}

// Search finds conversations by their prompts, answers and calls. First come conversations without a matching record,
// which are found by their prompts, the latest first: most of them still run. Then come conversations that are found by
// their record, the best match first.
//
// With facets, only conversations with a matching call are found. The text may then be empty: the latest conversation
// comes first.
func (r *Reader) Search(ctx context.Context, q Query) (Found, error) {
	if !q.Facets.Given() {
		return r.searchWords(ctx, q)
	}
	limit := q.Limit
	q.Limit, q.Count = 0, false
	var out Found
	var err error
	if q.Text == "" {
		out.Results, err = r.byAgents(q.Agents)
	} else {
		out, err = r.searchWords(ctx, q)
	}
	if err != nil {
		return out, err
	}
	out.Results, err = r.faceted(ctx, out.Results, &q.Facets)
	if out.Total = len(out.Results); limit > 0 && out.Total > limit {
		out.Results = out.Results[:limit]
	}
	return out, err
}

// byAgents lists the conversations of agents, the latest first.
func (r *Reader) byAgents(agents []string) ([]Result, error) {
	list, err := r.Conversations()
	if err != nil {
		return nil, err
	}
	var out []Result
	for i := range list {
		if len(agents) == 0 || slices.Contains(agents, list[i].Agent) {
			out = append(out, Result{Conversation: list[i]})
		}
	}
	return out, nil
}

func (r *Reader) searchWords(ctx context.Context, q Query) (Found, error) {
	if err := r.openStored(); err != nil {
		return Found{}, err
	}
	var typed []typedHit
	var failed error
	var looking sync.WaitGroup
	prompts := q.In == search.Everywhere || q.In == search.Prompts
	if prompts || q.Count { // in parallel: they share nothing
		looking.Go(fault.In(func() { typed, failed = r.searchTyped(q.Text) }))
	}
	stored, err := r.searchStored(ctx, q)
	looking.Wait()
	if err := cmp.Or(failed, err); err != nil {
		return Found{}, err
	}
	out := Found{Total: stored.Total, In: stored.In}
	if q.Count && out.In == nil {
		out.In = map[search.In]int{}
	}
	known := map[events.TraceID]bool{}
	for _, s := range stored.Results {
		known[s.Trace] = true
	}
	for _, t := range typed {
		c, found, err := r.Conversation(t.trace)
		if err != nil {
			return out, err
		}
		if !found || known[t.trace] || len(q.Agents) > 0 && !slices.Contains(q.Agents, c.Agent) {
			continue
		}
		if q.Count {
			out.In[search.Prompts]++
		}
		if prompts {
			out.Total++
			out.Results = append(out.Results, Result{Conversation: c, Hits: t.hits()})
		}
	}
	slices.SortFunc(out.Results, func(a, b Result) int {
		return cmp.Or(b.Last.Compare(a.Last),
			cmp.Compare(a.Trace, b.Trace))
	})
	for _, s := range stored.Results {
		c, found, err := r.Conversation(s.Trace)
		if err != nil {
			return out, err
		}
		if found {
			out.Results = append(out.Results, Result{Conversation: c, Hits: s.Hits})
		}
	}
	if q.Limit > 0 && len(out.Results) > q.Limit {
		out.Results = out.Results[:q.Limit]
	}
	return out, nil
}

// searchStored searches the records.
func (r *Reader) searchStored(ctx context.Context, q Query) (search.Found, error) {
	if r.stored == nil {
		return search.Found{}, nil
	}
	query := search.Query{Text: q.Text, Limit: q.Limit, In: q.In, Count: q.Count}
	if len(q.Agents) > 0 {
		query.Want = func(d *search.Digest) bool {
			c, found, err := r.Conversation(d.Trace)
			return err == nil && found && slices.Contains(q.Agents, c.Agent)
		}
	}
	return cached(r.stored.Search(ctx, query))
}
