package view

import (
	"context"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/blame/trail"
	"github.com/git-trace/git-trace/correlate/unseen"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/records/prices"
	"github.com/git-trace/git-trace/records/search"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/refs"
)

// Options selects the sources of a reader, and its progress display.
type Options struct {
	Own     bool // leaves out the logs of other clones, for results that go into this clone's log
	LogOnly bool // leaves out the records: owners have the names that the log gives them
	// Indexing gets the number of bytes read from the logs, and of all bytes; may be nil.
	Indexing func(done, total int64)
	// Show begins the display of a task; may be nil. The result `end` removes it from the screen.
	Show func(work string) (at Progress, end func())
}

// show begins the display of a task.
func (o *Options) show(work string) (at Progress, end func()) {
	if o.Show == nil {
		return func(int, int) {}, func() {}
	}
	return o.Show(work)
}

// Open opens the logs of a repository. Records, and the search for commits that no hook reported, are opened on demand.
// The context limits the whole use of the reader. The caller closes it.
func Open(ctx context.Context, repo *refs.Repo, o Options) (*Reader, error) {
	open := index.OpenShowing
	if o.Own {
		open = index.OpenOwn
	}
	log, err := open(repo, o.Indexing)
	if err != nil {
		return nil, err
	}
	r := &Reader{ctx: ctx, repo: repo, log: log, objects: repo.Objects(), prompts: newPrompts(ctx, repo),
		logOnly: o.LogOnly, opened: o.LogOnly}
	r.progress, _ = o.show("searching commits that no hook reported")
	r.open = func() (Records, error) { return openRecords(ctx, repo, &o) }
	if !o.LogOnly {
		r.prices = func() *prices.Table { return prices.InUse(ctx, repo) }
	}
	return r, nil
}

// Close ends all processes, and keeps the findings.
func (r *Reader) Close() {
	if r.search != nil {
		r.search.Close()
	}
	_ = r.objects.Close()
	if r.stored != nil {
		r.stored.Close()
	}
	r.prompts.Close()
	r.log.Close()
}

// openRecords opens the index of texts; nil if nothing is stored.
func openRecords(ctx context.Context, repo *refs.Repo, o *Options) (Records, error) {
	records := store.Open(repo)
	tips, err := records.Tips(ctx)
	if err != nil || len(tips) == 0 {
		_ = records.Close()
		return nil, err
	}
	at, end := o.show("reading records")
	ix, err := search.Open(ctx, repo, records, search.Progress(at))
	end()
	if err != nil {
		_ = records.Close()
		return cached[Records](nil, err)
	}
	return &openedRecords{ix, records}, nil
}

// openedRecords is the index of texts with its store.
type openedRecords struct {
	*search.Index
	store *store.Store
}

func (r *openedRecords) Close() {
	r.Index.Close()
	_ = r.store.Close()
}

// CacheError is a failure of the index of texts, which can be made again.
type CacheError struct{ err error }

func (e *CacheError) Error() string { return e.err.Error() }
func (e *CacheError) Unwrap() error { return e.err }

// `cached` wraps an error of the index of texts in CacheError.
func cached[T any](answer T, err error) (T, error) {
	if err != nil {
		err = &CacheError{err}
	}
	return answer, err
}

// Candidate is an object whose id begins with a given text.
type Candidate = index.Candidate

// The kinds of candidates.
const (
	FoundTrace    = index.FoundTrace
	FoundPatch    = index.FoundPatch
	FoundToolCall = index.FoundToolCall
	FoundCommit   = index.FoundCommit
	FoundEvent    = index.FoundEvent
)

// MostFiles means that a conversation changed this number of files, or more.
const MostFiles = index.MostFiles

// Retold is a rewriting of a commit, with the clone that recorded it.
type Retold = index.Retold

// SearchBatch is the number of commits to search at once along a history.
const SearchBatch = unseen.Batch

// Searcher returns the search for the owners in commits that no hook reported. The reader closes it.
func (r *Reader) Searcher() *unseen.Search {
	if r.search == nil {
		r.search = unseen.New(r.repo, r.log)
	}
	return r.search
}

// Untraced reports whether nothing was ever recorded, claimed or fetched. Then all lines are unknown.
func (r *Reader) Untraced() bool { return unseen.Untraced(r.repo, r.log) }

// Prompts returns the texts of prompts.
func (r *Reader) Prompts() *Prompts { return r.prompts }

// Owners finds the owners of lines, without the texts of prompts.
func (r *Reader) Owners() *blame.Evidence {
	if r.owners == nil {
		r.owners = blame.NewEvidence(r.repo, r.Log(), r.Searcher()).WithPrompts(NoPrompts{}).WithSettler(runner.Settler(),
			runner.Editing(r.repo))
	}
	return r.owners
}

// Tracker follows patches. Close it before the reader.
func (r *Reader) Tracker() (*trail.Tracker, error) {
	return trail.New(r.ctx, r.repo, r.Log(), r.Owners())
}

// Steps returns the function that finds a call's step in its record. It reads each record once.
func (r *Reader) Steps() func(events.TraceID, string) int {
	of := map[events.TraceID]map[string]int{}
	return func(trace events.TraceID, call string) int {
		if of[trace] == nil {
			of[trace] = map[string]int{}
			if read, err := r.Record(r.ctx, trace); err == nil && read.Record != nil { // otherwise the step is unknown
				for i := range read.Steps {
					for k := range read.Steps[i].ToolCalls {
						of[trace][read.Steps[i].ToolCalls[k].ToolCallID] = i + 1
					}
				}
			}
		}
		return of[trace][call]
	}
}
