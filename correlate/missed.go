package correlate

import (
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// Bounds of the search for commits that no hook was heard of.
const (
	missedTail  = 400 // entries of the reflog
	missedLimit = 32
)

// missed lists the commits made here since the last anchored one, oldest first, of which no hook was heard: cut off on a
// loaded machine, killed, or switched off for one command. The reflog of HEAD tells them from commits that only came in.
// Without a reflog, or before the first anchored commit, there are none. Head is where HEAD stood; what came after that is
// left out.
func missed(repo *refs.Repo, anchored []refs.OID, head refs.OID) []refs.OID {
	if len(anchored) == 0 {
		return nil
	}
	entries := repo.LastLog("HEAD", missedTail)
	for i, entry := range slices.Backward(entries) {
		if entry.New == head {
			entries = entries[:i]
			break
		}
	}
	var out []refs.OID
	for _, entry := range entries {
		switch {
		case slices.Contains(anchored, entry.New):
			out = out[:0]
		case makes(entry) && entry.New != head && !slices.Contains(out, entry.New):
			out = append(out, entry.New)
		}
	}
	return out[max(0, len(out)-missedLimit):]
}

// makes tells whether the entry of a reflog says that a commit was made.
func makes(e refs.LogEntry) bool {
	action, what, _ := strings.Cut(e.Message, ":")
	word, _, _ := strings.Cut(action, " ")
	if strings.HasPrefix(what, " Merge made by") || strings.HasPrefix(what, " In-index merge") { // and not: Fast-forward
		return word == "merge" || word == "pull"
	}
	return word == "commit" || word == "cherry-pick" || word == "revert" || replays(action)
}

// replays tells whether the action of a reflog entry is a step of a rebase that makes a commit: "rebase (pick)", or
// "pull --rebase (pick)" and the like.
func replays(action string) bool {
	if !strings.HasPrefix(action, "rebase (") && !strings.HasPrefix(action, "pull ") {
		return false
	}
	_, step, found := strings.Cut(action, " (")
	return found && step != "start)" && step != "finish)" && step != "abort)"
}
