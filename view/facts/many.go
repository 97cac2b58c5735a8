package facts

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/git-trace/git-trace/agents/recorder"
	"github.com/git-trace/git-trace/blame/gitblame"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/refs"
)

// manyConversations is the number of conversations after which ForMany drops its data, so that memory does not grow
// during a backfill.
const manyConversations = 64

// fewConversations limits the number of conversations for which git is called for each file, without a history.
const fewConversations = 8

// Known holds the changes of commits that a caller has read for another purpose.
type Known = gitblame.Known

// NewKnown returns an empty collection.
func NewKnown() *Known { return gitblame.NewKnown() }

// ForMany does the same as For, for many conversations that do not change meanwhile. It reads the log once, at the
// first conversation, and calls git once for common questions. Commits in `known` are not read again; it may be nil.
// The caller must call the result `done` at the end.
func ForMany(
	whole context.Context, repo *refs.Repo, traces []events.TraceID, since time.Time, known *Known,
) (gather recorder.Gatherer, done func()) {
	places := NewBirthplaces(repo)
	var g *gathering
	var past *gitblame.History
	var commits []refs.OID // the requested commits
	rest := func() {
		if g != nil {
			g.close()
		}
		g = nil
	}
	done = func() {
		rest()
		if past != nil {
			_ = past.Close()
		}
	}
	count := 0
	gather = func(_ context.Context, head, prior *records.Record) (facts *recorder.Facts, err error) {
		if count++; count%manyConversations == 0 {
			rest()
		}
		if g == nil { // it is valid for more than one conversation
			if g, err = newGathering(whole, repo, places); err != nil {
				return nil, err
			}
			if count == 1 && len(traces) >= fewConversations {
				past, commits, _ = g.past(traces, since, known) // without it, git is called for each file
			}
			g.ahead(commits)
			g.history = past
		}
		return g.of(head, prior)
	}
	return gather, done
}

// mostHistoryPaths limits the number of files of one history.
const mostHistoryPaths = 5000

// past reads the changes of files in the commits of some conversations, and in later commits since a moment before all
// of them. It also lists these commits. The history is nil if there are no files, or more than mostHistoryPaths.
func (g *gathering) past(
	traces []events.TraceID, since time.Time, read *Known,
) (history *gitblame.History, commits []refs.OID, err error) {
	lines, err := g.known.Lines()
	if err != nil {
		return nil, nil, err
	}
	paths := map[string]bool{}
	for _, trace := range traces {
		held, err := lines.Anchors(trace, func(*events.AnchorOwner) bool { return true })
		if err != nil {
			return nil, nil, err
		}
		for _, a := range held {
			paths[a.Path] = true
			commits = append(commits, a.Commit)
			c, err := g.objects.Commit(a.Commit)
			if err == nil && c.Committer.When.Before(since) {
				since = c.Committer.When
			}
		}
	}
	if len(paths) == 0 || len(paths) > mostHistoryPaths {
		return nil, commits, nil
	}
	if history, err = gitblame.ReadHistory(g.ctx, g.repo, since, slices.Sorted(maps.Keys(paths)), read); err != nil {
		return nil, commits, err
	}
	return history, append(commits, history.Commits()...), nil
}

// `ahead` asks git once for facts about the commits of several conversations. If it fails, each conversation asks git
// itself.
func (g *gathering) ahead(commits []refs.OID) {
	if len(commits) > 0 {
		_, _ = g.known.Reached(g.ctx, commits)
		_ = g.known.Searcher().Ahead(g.ctx, commits)
	}
}
