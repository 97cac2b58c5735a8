package lookup

import (
	"context"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Demander fetches missing texts; a reader reads again if texts have arrived.
type Demander func(ctx context.Context, repo *refs.Repo, traces ...events.TraceID) error
