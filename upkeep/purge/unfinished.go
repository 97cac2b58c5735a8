package purge

import (
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/records/purged"
	"github.com/git-trace/git-trace/refs"
)

// Unfinished describes interrupted purges for status, doctor and verify; "" if there are none.
func Unfinished(repo *refs.Repo) string {
	switch n := purged.Unfinished(repo); n {
	case 0:
		return ""
	case 1:
		return "a purge was interrupted and is not finished"
	default:
		return numbers.Count(n, "purge") + " were interrupted and are not finished"
	}
}
