package sharing

import (
	"context"
	"fmt"
	"time"

	"github.com/git-trace/git-trace/events"
)

// purgedDigest is the value of log_purged for a digest that was replaced in order to remove something.
const purgedDigest = "digest"

// MakePlanAnew is MakePlan for a new digest of the present publications, without the history of the remote's digest.
func MakePlanAnew(ctx context.Context, log *events.Log, s *Settings, remote Remote, level Level, means Means) (
	*Plan, error) {
	return makePlan(ctx, log, s, remote, level, means, true)
}

// tellAnew notes in this clone's log and in the digest that the digest is new. So readers know why its events differ.
func (p *Plan) tellAnew(ctx context.Context) error {
	raw, err := events.Encode(events.PurgeData{What: purgedDigest})
	if err != nil {
		return err
	}
	why := events.Draft{
		Type: events.LogPurged, Time: time.Now(), Method: []events.Method{events.Manual}, Data: raw,
	}
	if _, err := p.log.Append(ctx, []events.Draft{why}); err != nil {
		return fmt.Errorf("note that the digest starts again: %w", err)
	}
	p.fresh = append(p.fresh, why)
	return nil
}

// timesAnew counts the new digests that a log notes.
func timesAnew(all []events.Event) (n int) {
	for i := range all {
		if all[i].Type == events.LogPurged && events.DataOf[events.PurgeData](all[i]).What == purgedDigest {
			n++
		}
	}
	return n
}
