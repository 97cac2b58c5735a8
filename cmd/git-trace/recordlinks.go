package main

import (
	"context"
	"slices"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view"
)

// linker finds the commits that hold lines of a conversation, for its record.
func linker(ctx context.Context, repo *refs.Repo) func(events.TraceID) ([]records.GitLink, error) {
	places := newBirthplaces(repo)
	return func(trace events.TraceID) ([]records.GitLink, error) {
		reader, err := index.Open(repo)
		if err != nil {
			return nil, err
		}
		defer reader.Close()
		lines, err := view.NewLineage(reader)
		if err != nil {
			return nil, err
		}
		held, err := lines.Anchors(trace, func(*events.AnchorOwner) bool { return true })
		if err != nil {
			return nil, err
		}
		links := gitLinks(held)
		for i := range links {
			if id, err := refs.ParseOID(links[i].Revision); err == nil {
				links[i].Branch = places.of(ctx, id)
			}
			links[i].RepoURL = places.remote(ctx, links[i].Branch)
		}
		return links, nil
	}
}

// gitLinks makes one link of each commit. A commit that holds the lines as the tools wrote them is the better evidence
// than one in which they are found again after a change.
func gitLinks(held []view.Anchored) []records.GitLink {
	tiers := map[refs.OID]records.Tier{}
	for _, a := range held {
		tier := records.TierToolEmitted
		switch a.Tier {
		case "reformatted", "line_fingerprint":
			tier = records.TierToolDivergence
		}
		if now, known := tiers[a.Commit]; !known || now == records.TierToolDivergence {
			tiers[a.Commit] = tier
		}
	}
	out := []records.GitLink{}
	for commit, tier := range tiers {
		out = append(out, records.GitLink{VCSType: records.VCSGit, Revision: commit.String(), Tier: tier})
	}
	slices.SortFunc(out, func(a, b records.GitLink) int {
		if a.Revision < b.Revision {
			return -1
		}
		return 1
	})
	return out
}
