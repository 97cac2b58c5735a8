package events

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/git-trace/git-trace/refs"
)

// claim is what the log itself says of a checkpoint: that there is one.
type claim struct {
	seq  int64
	data CheckpointData
}

// claimOf reads a checkpoint_signed event; nil for every other one.
func claimOf(e Event) *claim {
	if e.Type != CheckpointSigned || e.CheckData() != nil {
		return nil
	}
	c := &claim{seq: e.Seq}
	if json.Unmarshal(e.Data, &c.data) != nil {
		return nil
	}
	return c
}

// missingCheckpoint notes that the newest checkpoint of which the own log tells is not where it was put. That is no
// fault: a clone that fetched only the log has none of them.
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
