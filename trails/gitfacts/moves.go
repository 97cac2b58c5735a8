package gitfacts

import (
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// Move is one move of HEAD, as an entry of its reflog.
type Move struct {
	From, To refs.OID // From is the zero id if it is unknown
	Kind     Kind
	// Reverts reports whether the subject is a revert's subject. A revert that stopped at a conflict is committed by hand,
	// and only its subject shows it: "commit: Revert "subject"".
	Reverts bool
	// Branches holds the branches before and after a checkout.
	Branches [2]string
}

// LeavesFiles reports whether git did not change the files of the work tree. For the commit of a revert this is false:
// git wrote the files just before the commit.
func (m Move) LeavesFiles() bool { return kinds[m.Kind].leaves && !m.Reverts }

// moveOf converts an entry of a reflog to a move.
func moveOf(from refs.OID, e refs.LogEntry) Move {
	kind, subject := classify(e.Message)
	m := Move{From: from, To: e.New, Kind: kind, Reverts: strings.HasPrefix(subject, "Revert \"")}
	if moved, found := strings.CutPrefix(subject, "moving from "); found {
		m.Branches[0], m.Branches[1], _ = strings.Cut(moved, " to ")
	}
	return m
}

// movesOf converts consecutive entries of a reflog to moves. The parameter `at` is HEAD's commit before the first one.
func movesOf(at refs.OID, entries []refs.LogEntry) []Move {
	var out []Move
	for _, e := range entries {
		out = append(out, moveOf(at, e))
		at = e.New
	}
	return out
}

// `since` reads the moves of HEAD after a mark, oldest first. The result `whole` is false if some could not be read.
func since(repo *refs.Repo, mark Mark) (moves []Move, whole bool) {
	if mark.Storage != storage(repo) {
		return nil, false
	}
	entries, whole := repo.LogSince("HEAD", mark.Log)
	return movesOf(mark.Head, entries), whole
}

// Last reads HEAD's last moves, oldest first. The parameter `most` is the largest number of moves.
func Last(repo *refs.Repo, most int) []Move {
	return movesOf(refs.OID{}, repo.LastLog("HEAD", most))
}

// AmendedBy returns the commit that another commit replaced by git-commit(1) --amend, if that was HEAD's last move,
// otherwise the zero id.
func AmendedBy(repo *refs.Repo, commit refs.OID) refs.OID {
	moves := Last(repo, 2)
	if len(moves) < 2 || moves[1].To != commit || moves[1].Kind != Amended {
		return refs.OID{}
	}
	return moves[1].From
}

// AmendedBy is the function AmendedBy for the repository of w.
func (w *Work) AmendedBy(commit refs.OID) refs.OID { return AmendedBy(w.repo, commit) }

// maxStashes limits the number of stashes in a mark.
const maxStashes = 16

// stashes lists the newest stashes, newest first.
func stashes(repo *refs.Repo) []refs.OID {
	newest, err := repo.ReadRef("refs/stash")
	if err != nil || newest.IsZero() {
		return nil
	}
	return distinct(append([]refs.OID{newest}, Stashes(repo)...), maxStashes)
}

// Stashes lists git's stash@{0}, stash@{1} and so on: the reflog of refs/stash (git-stash(1)).
func Stashes(repo *refs.Repo) []refs.OID {
	entries, _ := repo.LogSince("refs/stash", 0)
	var out []refs.OID
	for _, e := range slices.Backward(entries) {
		out = append(out, e.New)
	}
	return out
}
