package lookup

import (
	"context"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Demander fetches the missing texts of conversations from other clones. The caller returns its error: the command
// reads everything again if texts have arrived.
type Demander func(ctx context.Context, repo *refs.Repo, traces ...events.TraceID) error
