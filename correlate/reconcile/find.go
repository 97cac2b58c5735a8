package reconcile

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/git-trace/git-trace/correlate"
	"github.com/git-trace/git-trace/correlate/unseen"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// anchoring counts the anchors of a commit.
type anchoring interface {
	Anchors(commit refs.OID) (int, error)
}

// Find searches the commits that have no anchor, in their order. It calls the function `progress`, unless it is nil,
// with the number of commits searched so far and the number of all. The result `anchored` is the number of commits with
// an anchor.
func Find(ctx context.Context, search *unseen.Search, log anchoring, commits []refs.OID,
	progress func(done, total int)) (found []events.CommitData, anchored int, err error) {
	var bare []refs.OID
	for _, commit := range commits {
		anchors, err := log.Anchors(commit)
		if err != nil {
			return nil, 0, fmt.Errorf("search commits: %w", err)
		}
		if anchors > 0 {
			anchored++
		} else {
			bare = append(bare, commit)
		}
	}
	done := 0
	for batch := range slices.Chunk(bare, unseen.Batch) {
		if progress != nil {
			progress(done, len(bare))
		}
		of, err := search.Commits(ctx, batch)
		if err != nil {
			return nil, 0, err
		}
		done += len(batch)
		for _, commit := range batch {
			if data, ok := of[commit]; ok {
				found = append(found, data)
			}
		}
	}
	return found, anchored, nil
}

// writeBatch is the number of commits whose anchors are appended together.
const writeBatch = 64

// Write appends anchors for the findings. If it is interrupted, the next run continues.
func Write(ctx context.Context, log *events.Log, found []events.CommitData, more ...events.Method) error {
	now := time.Now().UTC()
	for batch := range slices.Chunk(found, writeBatch) {
		var drafts []events.Draft
		for _, data := range batch {
			parts, err := correlate.Drafts(data, events.Manual)
			if err != nil {
				return fmt.Errorf("write anchors: %w", err)
			}
			for _, d := range parts {
				d.Method = append(d.Method, more...)
				d.Time, d.Worktree = now, log.Repo().WorktreeName()
				drafts = append(drafts, d)
			}
		}
		if _, err := log.Append(ctx, drafts); err != nil && !errors.Is(err, events.ErrSpooled) {
			return fmt.Errorf("write anchors: %w", err)
		}
	}
	return nil
}
