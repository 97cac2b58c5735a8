package belief

import (
	"time"

	"github.com/git-trace/git-trace/events"
)

// Beginning is the time at which recording began. The zero value means that the log does not show it: then every commit
// counts as recorded.
type Beginning struct {
	told bool
	at   time.Time // zero where nothing was ever recorded
}

// BeginningOf asks a log when recording began. The index of the logs has it.
func BeginningOf(log Log) (Beginning, error) {
	dated, tells := log.(interface{ Began() (time.Time, error) })
	if !tells {
		return Beginning{}, nil
	}
	at, err := dated.Began()
	return Beginning{told: true, at: at}, err
}

// Nobodys returns the kind of a commit's lines without a known owner: older if it was committed before recording began,
// else unknown. Commits have times in seconds: a commit from the second in which recording began is older. A commit
// that a hook saw is never older. c may be nil.
func (b Beginning) Nobodys(c *Commit, committed time.Time) events.OwnerKind {
	seen := c != nil && c.Seen
	if b.told && !seen && (b.at.IsZero() || committed.Unix() <= b.at.Unix()) {
		return events.OwnerOlder
	}
	return events.OwnerUnknown
}

// Never reports whether nothing was ever recorded.
func (b Beginning) Never() bool { return b.told && b.at.IsZero() }
