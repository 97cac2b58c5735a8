package check

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view"
)

// mostReviewers limits the reviewers of a commit.
const mostReviewers = 100

// Commits reads the reviewers and the changed files of the commits from one commit to another. Of a merge, it takes the
// files that differ from all parents.
func Commits(ctx context.Context, repo *refs.Repo, from, to refs.OID) (*Facts, error) {
	// A message has no NUL, and an unfolded trailer has no line feed (git-log(1), pretty formats).
	out, err := repo.Git(ctx, nil, "log", "-z", "--no-show-signature",
		"--format=tformat:%H%n%P%n%(trailers:key=Reviewed-by,valueonly,unfold)", from.String()+".."+to.String())
	if err != nil {
		return nil, err
	}
	f := &Facts{Reviewers: map[refs.OID][]string{}, Touched: map[string][]refs.OID{}}
	var ids []refs.OID
	for item := range strings.SplitSeq(string(out), "\x00") {
		lines := strings.Split(item, "\n")
		id, err := refs.ParseOID(lines[0])
		if err != nil || len(lines) < 2 {
			continue
		}
		for _, who := range lines[2:] {
			if who = strings.TrimSpace(who); who != "" && len(f.Reviewers[id]) < mostReviewers {
				f.Reviewers[id] = append(f.Reviewers[id], who)
			}
		}
		if len(strings.Fields(lines[1])) < 2 {
			ids = append(ids, id)
			continue
		}
		if err := f.merge(ctx, repo, id); err != nil {
			return nil, err
		}
	}
	added, err := graph.Added(ctx, repo, ids)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		paths, read := added[id]
		if !read {
			return nil, fmt.Errorf("commit %s cannot be read whole", id)
		}
		for path := range paths {
			f.Touched[path] = append(f.Touched[path], id)
		}
	}
	return f, nil
}

// merge adds the changed files of a merge.
func (f *Facts) merge(ctx context.Context, repo *refs.Repo, id refs.OID) error {
	out, err := repo.Git(ctx, nil, "diff-tree", "-c", "-r", "-z", "--name-only", "--no-commit-id", id.String())
	if err != nil {
		return err
	}
	for path := range strings.SplitSeq(string(out), "\x00") {
		if path != "" {
			f.Touched[path] = append(f.Touched[path], id)
		}
	}
	return nil
}

// Noted reports whether a person noted that a conversation reached its goal (git trace note).
func Noted(ctx context.Context, r *view.Reader, trace events.TraceID) bool {
	stored, err := r.Record(ctx, trace)
	if err != nil || stored.Record == nil {
		return false
	}
	o := &stored.Outcome
	return o.SignalConfidence == records.SignalAnnotated && o.Success != nil && *o.Success
}
