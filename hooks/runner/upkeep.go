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

// Packing runs in a background process. A hook starts it if there is much to pack. Only some hooks check this, because
// the check reads several files, and the number of objects grows slowly.
const (
	looksInHooks = 16               // one in 16 hooks checks
	retryAfter   = 10 * time.Minute // waiting time after a failure
)

// startUpkeep is called at the end of a hook that has recorded something.
func startUpkeep(repo *refs.Repo) {
	if hasRules(repo) { // rules of purges, against which stored data must be checked
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

// hasRules reports whether texts were purged that new snapshots may contain again. The package that reads the rules is
// too large for a hook.
func hasRules(repo *refs.Repo) bool {
	_, err := os.Stat(filepath.Join(repo.TracesDir(), "purge", "rules"))
	return err == nil
}

// LooseLimitVar is a variable that replaces sidestore.LooseLimit, for tests and for users; 0 disables packing.
const LooseLimitVar = "GITTRACE_LOOSE_LIMIT"

// LooseLimit returns the number of loose objects from which the side store is packed; 0 means never.
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

// triedLately reports whether packing was started a short time ago, with any result.
func triedLately(repo *refs.Repo) bool {
	info, err := os.Stat(triedFile(repo))
	return err == nil && time.Since(info.ModTime()) < retryAfter
}

// triedFile returns the path of the file whose time stamp is the time of the last attempt to pack.
func triedFile(repo *refs.Repo) string { return filepath.Join(repo.TracesDir(), "cache", "upkeep") }

// PackDue packs objects if enough of them are loose. The caller must hold the maintenance lock.
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
