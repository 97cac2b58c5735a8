package runner

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/sidestore"
)

// Packing happens in a background process. A hook starts it when there is much to pack, and checks that only now and
// then: the check costs a few reads, and a log does not grow overnight.
const (
	looksInHooks = 16               // one hook in 16 checks
	retryAfter   = 10 * time.Minute // a packing that failed is not tried again sooner
)

// startUpkeep is called at the end of a hook that recorded something.
func startUpkeep(repo *refs.Repo) {
	if hasRules(repo) { // of purges: stored data is compared with them
		Background(repo, repo.GitDir, repo.Env(), "gc", "--auto")
		return
	}
	if os.Getpid()%looksInHooks != 0 && os.Getenv(LooseLimitVar) == "" {
		return
	}
	if !isDue(repo, LooseLimit()) || triedLately(repo) {
		return
	}
	Background(repo, repo.GitDir, repo.Env(), "gc", "--auto")
}

// hasRules reports whether texts were purged that snapshots may hold again. The reader of the rules is too heavy for a
// hook.
func hasRules(repo *refs.Repo) bool {
	_, err := os.Stat(filepath.Join(repo.TracesDir(), "purge", "rules"))
	return err == nil
}

// LooseLimitVar replaces sidestore.LooseLimit, for tests and for users; 0 turns packing off.
const LooseLimitVar = "GITTRACE_LOOSE_LIMIT"

// LooseLimit returns the number of loose objects from which the side store is packed; 0 if never.
func LooseLimit() int {
	n, err := strconv.Atoi(os.Getenv(LooseLimitVar))
	if err != nil || n < 0 {
		return sidestore.LooseLimit
	}
	return n
}

func isDue(repo *refs.Repo, limit int) bool {
	return limit > 0 && sidestore.Open(repo).PackDue(limit)
}

// triedLately reports whether packing began a moment ago, with any result.
func triedLately(repo *refs.Repo) bool {
	info, err := os.Stat(triedFile(repo))
	return err == nil && time.Since(info.ModTime()) < retryAfter
}

// triedFile returns the file whose time stamp is the last try's.
func triedFile(repo *refs.Repo) string { return filepath.Join(repo.TracesDir(), "cache", "upkeep") }

// PackDue packs the objects that are due. The caller holds the maintenance lock.
func PackDue(ctx context.Context, repo *refs.Repo, limit int) error {
	if limit == 0 {
		return nil
	}
	LowerPriority()
	failed := refs.WriteFileAtomic(triedFile(repo), nil, 0o666)
	if store := sidestore.Open(repo); store.PackDue(limit) {
		_, err := store.Pack(ctx)
		failed = errors.Join(failed, err)
	}
	if failed != nil {
		NoteFailure(repo, failed)
	}
	return failed
}
