package doctor

import (
	"context"
	"errors"
	"os"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/records/search"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails"
)

// Rebuild makes the caches and the owners of contents again from the log. It deletes the caches of texts, which are
// made again on demand. It returns the number of events, and the reasons why a log is incomplete.
func Rebuild(ctx context.Context, repo *refs.Repo, progress func(done, total int64)) (int64, []string, error) {
	count, notes, err := index.Rebuild(ctx, repo, progress)
	if err == nil {
		err = errors.Join(search.Remove(repo), os.RemoveAll(store.PromptCache(repo)))
	}
	if err == nil {
		err = trails.Rebuild(repo, events.OpenLog(repo).Walk(ctx, events.Range{}))
	}
	return count, notes, err
}
