package events

import (
	"errors"
	"path/filepath"

	"github.com/git-trace/git-trace/refs"
)

// Log is the event log of a repository: the log that this clone writes, and read access to fetched logs. It keeps no
// file open and may be used by several goroutines.
type Log struct {
	// Tool is the name of this program in log_started: "git-trace VERSION".
	Tool string

	repo *refs.Repo
}

// OpenLog gives access to the log of a repository, even if there is no log yet.
func OpenLog(r *refs.Repo) *Log { return &Log{Tool: "git-trace", repo: r} }

// Repo returns the repository of the log.
func (l *Log) Repo() *refs.Repo { return l.repo }

// Tip returns the last commit of the log on a ref, refs.EventsRef for this clone's; zero without a log.
func (l *Log) Tip(ref string) (refs.OID, error) {
	oid, err := l.repo.ReadRef(ref)
	if errors.Is(err, refs.ErrRefMissing) {
		return refs.OID{}, nil
	}
	return oid, err
}

func (l *Log) cacheDir() string { return filepath.Join(l.repo.TracesDir(), "cache") }
