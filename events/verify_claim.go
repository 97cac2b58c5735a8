package events

import (
	"context"
	"fmt"

	"github.com/git-trace/git-trace/refs"
)

// missingCheckpoint notes that the newest checkpoint named in this clone's log is missing from its ref. That is not a
// fault: a clone that fetched only the log has no checkpoints.
func (v *verifier) missingCheckpoint(ctx context.Context) string {
	c := v.chain.claim
	if c == nil || v.report.Ref != refs.EventsRef {
		return ""
	}
	if tip, err := v.log.Tip(refs.CheckpointsRef); err == nil && tip == c.data.Commit {
		return ""
	}
	if _, err := v.log.repo.Git(ctx, nil, "merge-base", "--is-ancestor", c.data.Commit.String(),
		refs.CheckpointsRef); err == nil {
		return ""
	}
	return fmt.Sprintf("event %d tells of a checkpoint of event %d, which %s does not hold", c.seq, c.data.Seq,
		refs.CheckpointsRef)
}
