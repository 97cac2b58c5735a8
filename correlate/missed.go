package correlate

import (
	"slices"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/gitfacts"
)

// Bounds of the search for commits that no hook reported.
const (
	missedTail  = 400 // newest entries of the reflog that are read
	missedLimit = 32
)

// `missed` lists the commits made here since the last anchored one that no hook reported, oldest first. The hook may
// have been cut off on a loaded machine, killed, or switched off for one command. The reflog of HEAD distinguishes such
// commits from fetched ones. The list is empty without a reflog, and before the first anchored commit. Commits after
// `head` are left out.
func missed(repo *refs.Repo, anchored []refs.OID, head refs.OID) []refs.OID {
	if len(anchored) == 0 {
		return nil
	}
	moves := gitfacts.Last(repo, missedTail)
	for i, m := range slices.Backward(moves) {
		if m.To == head {
			moves = moves[:i]
			break
		}
	}
	var out []refs.OID
	for _, m := range moves {
		switch {
		case slices.Contains(anchored, m.To):
			out = out[:0]
		case m.Kind.Makes() && m.To != head && !slices.Contains(out, m.To):
			out = append(out, m.To)
		}
	}
	return out[max(0, len(out)-missedLimit):]
}
