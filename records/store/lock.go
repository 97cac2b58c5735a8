package store

import (
	"path/filepath"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// Patience bounds the reading and redacting of one conversation; a longer one is not stored.
const Patience = 10 * time.Minute

// Lock takes the lock of processes that store conversations, and of a purge.
func Lock(repo *refs.Repo, wait time.Duration) (*refs.FileLock, error) {
	return refs.Flock(filepath.Join(repo.TracesDir(), "record.lock"), wait)
}
