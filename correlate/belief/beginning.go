package belief

import (
	"time"

	"github.com/git-trace/git-trace/events"
)

// Beginning is the time at which recording began. The zero value means that this is not known: then every commit counts
// as recorded.
type Beginning struct {
	told bool
	at   time.Time // zero if nothing was ever recorded
}

// BeginningOf reads from a log when recording began. The index of the logs has it.
func BeginningOf(log Log) (Beginning, error) {
	dated, tells := log.(interface{ Began() (time.Time, error) })
	if !tells {
		return Beginning{}, nil
	}
	at, err := dated.Began()
	return Beginning{told: true, at: at}, err
}

// Nobodys returns the kind of a commit's lines that have no known owner: older if the commit was made before recording
// began, otherwise unknown. Commits have times in whole seconds: a commit from the second in which recording began
// counts as older. A commit that a hook saw is never older. The parameter `c` may be nil.
func (b Beginning) Nobodys(c *Commit, committed time.Time) events.OwnerKind {
	seen := c != nil && c.Seen
	if b.told && !seen && (b.at.IsZero() || committed.Unix() <= b.at.Unix()) {
		return events.OwnerOlder
	}
	return events.OwnerUnknown
}

// Never reports whether nothing was ever recorded.
func (b Beginning) Never() bool { return b.told && b.at.IsZero() }
