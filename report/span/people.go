package span

import (
	"cmp"
	"context"
	"slices"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view"
)

// Rewritten is a range of consecutive lines of people that replaced an agent's lines.
type Rewritten struct {
	Run
	Trace    events.TraceID `json:"trace"` // the owner of the replaced lines; empty if the log does not give it
	previous events.PatchID
}

// Review is a person who reviewed some of the commits, according to messages and notes.
type Review struct {
	view.Review
	Commits int `json:"commits"`
}

// rewritten notes a line of a person that replaced an agent's line.
func (r *Report) rewritten(path string, line int, previous events.PatchID) {
	if last := len(r.Rewritten) - 1; last >= 0 && r.Rewritten[last].Raw == path &&
		r.Rewritten[last].Start+r.Rewritten[last].Lines == line && r.Rewritten[last].previous == previous {
		r.Rewritten[last].Lines++
		return
	}
	r.Rewritten = append(r.Rewritten, Rewritten{Run: Run{newLines(path, 1), line},
		previous: previous})
}

// addPeople adds the owners of the lines that people replaced, and the reviewers of the commits.
func (r *Report) addPeople(ctx context.Context, known *view.Reader, commits []*graph.Commit) error {
	for i := range r.Rewritten {
		wrote, found, err := known.Log().Patch(r.Rewritten[i].previous)
		if err != nil {
			return err
		}
		if found {
			r.Rewritten[i].Trace = wrote.Trace
		}
	}
	ids := make([]refs.OID, len(commits))
	for i, c := range commits {
		ids[i] = c.ID
	}
	all, err := known.Reviews(ctx, ids)
	r.Limits.Reviewed = len(all)
	for _, id := range ids {
		if len(all[id]) == 0 {
			r.Without = append(r.Without, id)
		}
		for _, review := range all[id] {
			at := slices.IndexFunc(r.Reviewers, func(have Review) bool { return have.Review == review })
			if at < 0 {
				at = len(r.Reviewers)
				r.Reviewers = append(r.Reviewers, Review{Review: review})
			}
			r.Reviewers[at].Commits++
		}
	}
	slices.SortStableFunc(r.Reviewers, func(a, b Review) int {
		return cmp.Or(cmp.Compare(b.Commits, a.Commits), cmp.Compare(a.Who, b.Who), cmp.Compare(a.How, b.How))
	})
	return err
}
