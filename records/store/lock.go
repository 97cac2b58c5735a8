package store

import (
	"path/filepath"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// Patience is the time for reading and redacting one conversation; after it nothing of the conversation is stored.
const Patience = 10 * time.Minute

// Lock takes the lock of whoever stores conversations, and of a purge.
func Lock(repo *refs.Repo, wait time.Duration) (*refs.FileLock, error) {
	return refs.Flock(filepath.Join(repo.TracesDir(), "record.lock"), wait)
}
