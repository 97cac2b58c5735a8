package store

import (
	"path/filepath"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// Patience is the time limit for reading and redacting one conversation; if it takes longer, the conversation is not
// stored.
const Patience = 10 * time.Minute

// Lock takes the lock that processes hold while they store conversations or purge.
func Lock(repo *refs.Repo, wait time.Duration) (*refs.FileLock, error) {
	return refs.Flock(filepath.Join(repo.TracesDir(), "record.lock"), wait)
}
