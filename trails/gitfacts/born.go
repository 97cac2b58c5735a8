package gitfacts

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// MadeOn maps commits to the branch on which they were made, as the reflogs of all branches say. If git fails, the map
// is empty.
func MadeOn(ctx context.Context, repo *refs.Repo) map[refs.OID]string {
	out, err := repo.Git(ctx, nil, "log", "-g", "--branches", "--format=%H%x00%gD%x00%gs")
	if err != nil {
		return nil
	}
	return madeOn(string(out))
}

// madeOn reads lines with a commit, its place in a reflog ("refs/heads/main@{0}") and the message. In a rebase only the
// last entry names the branch, because git makes the commits while HEAD is detached.
func madeOn(lines string) map[refs.OID]string {
	found := map[refs.OID]string{}
	for line := range strings.Lines(lines) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), "\x00", 3)
		if len(fields) != 3 {
			continue
		}
		commit, err := refs.ParseOID(fields[0])
		name, at, isPlace := strings.Cut(strings.TrimPrefix(fields[1], "refs/heads/"), "@{")
		kind := KindOf(fields[2])
		if err == nil && isPlace && at != "" && name != "" && (kind.Makes() || kind.Rebases()) {
			found[commit] = name
		}
	}
	return found
}

// Heads lists the commits at which HEAD was, newest first, with the time of each move.
type Heads []headMove

type headMove struct {
	commit refs.OID
	at     int64 // Unix time in seconds
}

// ReadHeads reads the reflog of the work tree. If git fails, the list is empty.
func ReadHeads(ctx context.Context, repo *refs.Repo) Heads {
	out, err := repo.Git(ctx, nil, "log", "-g", "--date=unix", "--format=%H %gd", "HEAD", "--")
	if err != nil {
		return nil
	}
	return parseHeads(string(out))
}

// parseHeads reads lines with a commit and a time: "<id> HEAD@{1772442000}". It stops at a line without a time.
func parseHeads(lines string) (list Heads) {
	for line := range strings.Lines(lines) {
		id, place, _ := strings.Cut(strings.TrimSpace(line), " HEAD@{")
		moved, err := strconv.ParseInt(strings.TrimSuffix(place, "}"), 10, 64)
		if err != nil {
			return list
		}
		commit, _ := refs.ParseOID(id)
		list = append(list, headMove{commit, moved})
	}
	return list
}

// `At` returns HEAD's commit at a moment, or the zero id if the reflog does not go back so far.
func (h Heads) At(moment time.Time) refs.OID {
	for _, move := range h {
		if move.at <= moment.Unix() {
			return move.commit
		}
	}
	return refs.OID{}
}
