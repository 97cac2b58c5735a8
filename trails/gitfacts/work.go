package gitfacts

import (
	"path"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// Work is git's work between two marks. Each part is computed at its first use, and only once.
type Work struct {
	Before, Now Mark
	// Reader reads the commits of the work.
	Reader Reader

	repo  *refs.Repo
	moves *[]Move // nil before the first use
	whole bool
	hands *hands // nil before the first use
}

// hands caches the list of commits that were made by hand, for one value of the parameter `asked`.
type hands struct {
	asked refs.OID
	list  []refs.OID
}

// `Between` returns git's work between two marks of a work tree. It reads only on demand.
func Between(repo *refs.Repo, read Reader, before, now Mark) *Work {
	return &Work{Before: before, Now: now, Reader: read, repo: repo}
}

// Moves lists the moves of HEAD since the first mark, oldest first. The result `whole` is false if some could not be
// read.
func (w *Work) Moves() (moves []Move, whole bool) {
	if w.moves == nil {
		moves, w.whole = since(w.repo, w.Before)
		w.moves = &moves
	}
	return *w.moves, w.whole
}

// Known reports whether all moves of HEAD could be read.
func (w *Work) Known() bool {
	_, whole := w.Moves()
	return whole
}

// MovedTo reports whether HEAD moved to a commit since the first mark.
func (w *Work) MovedTo(commit refs.OID) bool {
	moves, _ := w.Moves()
	return slices.ContainsFunc(moves, func(m Move) bool { return m.To == commit })
}

// MadeSince reports whether a commit was made after the first mark. Without a reflog it is true for every commit.
func (w *Work) MadeSince(commit refs.OID) bool {
	return !w.Known() || w.Now.Log < w.Before.Log || w.MovedTo(commit)
}

// MadeByHand reports whether somebody made a commit from their work tree or index. Git made all other commits, and
// wrote their contents from elsewhere to the work tree. A commit made by hand does not show the source of its lines.
// The parameter `asked` is the commit that is being anchored, if any: if the reflog does not end with it, its maker is
// unknown.
func (w *Work) MadeByHand(commit, asked refs.OID) bool {
	return slices.Contains(w.ByHand(asked), commit)
}

// ByHand lists the commits for which MadeByHand is true.
func (w *Work) ByHand(asked refs.OID) []refs.OID {
	if w.hands == nil || w.hands.asked != asked {
		w.hands = &hands{asked, w.byHand(asked)}
	}
	return w.hands.list
}

func (w *Work) byHand(asked refs.OID) []refs.OID {
	moves, _ := w.Moves()
	var out []refs.OID
	for _, m := range moves {
		if m.Kind.ByHand() {
			out = append(out, m.To)
		}
	}
	if !asked.IsZero() && (len(moves) == 0 || moves[len(moves)-1].To != asked || w.appliesPatches()) {
		out = append(out, asked)
	}
	return out
}

// appliesPatches reports whether git rebases by applying patches. Then the reflog does not distinguish a resolved
// conflict from any other patch. But the original commit of the patch is known, so a line that the original does not
// have was typed.
func (w *Work) appliesPatches() bool {
	return strings.Contains(w.Now.Replays, "rebase-apply") && w.repo.HasRef("REBASE_HEAD")
}

// OnlyCommitsUntil reports whether git did nothing but commit between the first mark and a commit: nothing shows a
// write to the work tree.
func (w *Work) OnlyCommitsUntil(commit refs.OID) bool {
	moves, whole := w.Moves()
	if !whole || w.Before.Replays != "" || !slices.Equal(w.Before.Stashes, w.Now.Stashes) {
		return false
	}
	for _, m := range moves {
		if !m.LeavesFiles() {
			return false
		}
		if m.To == commit {
			return true
		}
	}
	return false
}

// WasAt reports whether HEAD may have been at a commit of a branch. Older git gives only the last part of a branch's
// name. An empty name matches any branch.
func (w *Work) WasAt(commit refs.OID, branch string) bool {
	heads := []refs.OID{w.Before.Head, w.Now.Head}
	branches := []string{w.Before.Branch, w.Now.Branch}
	moves, whole := w.Moves()
	for _, m := range moves {
		heads = append(heads, m.To)
		branches = append(branches, m.Branches[:]...)
	}
	on := slices.ContainsFunc(branches, func(name string) bool {
		name = strings.TrimPrefix(name, "refs/heads/")
		return branch == "" || name == branch || name != "" && path.Base(name) == branch
	})
	return on && (!whole || slices.Contains(heads, commit))
}

// maxLately limits the number of commits in which files that are missing from the work tree are searched.
const maxLately = 3

// Lately lists the commits at which HEAD has been, the present one first. An amended commit may have had the old name
// of a file.
func (w *Work) Lately() []refs.OID {
	moves, _ := w.Moves()
	list := []refs.OID{w.Now.Head}
	for _, m := range slices.Backward(moves) {
		list = append(list, m.To)
	}
	return distinct(list, maxLately)
}

// MaxCommitted limits the number of moves, and of commits, that are searched for missing files.
const MaxCommitted = 8

// LeftFor lists the commits at which HEAD was before it came to the given one, the last one first.
func (w *Work) LeftFor(commit refs.OID) []refs.OID {
	moves, _ := w.Moves()
	at := []refs.OID{w.Before.Head}
	for _, m := range moves {
		at = append(at, m.To)
	}
	for len(at) > 0 && at[len(at)-1] != commit {
		at = at[:len(at)-1]
	}
	slices.Reverse(at)
	return distinct(slices.DeleteFunc(at, func(oid refs.OID) bool { return oid == commit }), MaxCommitted)
}

// `distinct` removes duplicates and zero ids from a list, and cuts it to `most` ids.
func distinct(list []refs.OID, most int) []refs.OID {
	var out []refs.OID
	for _, oid := range list {
		if !oid.IsZero() && !slices.Contains(out, oid) && len(out) < most {
			out = append(out, oid)
		}
	}
	return out
}

// WentOn reports whether git replaced a content at a path when it moved HEAD from a commit to another. Two kinds of
// moves do not count: a reset may not change files, and contents that somebody commits come from that person.
func (w *Work) WentOn(commit refs.OID, path string, blob refs.OID) bool {
	moves, _ := w.Moves()
	for _, m := range moves {
		if m.From == commit && !m.Kind.ByHand() && m.Kind != Reset {
			if now, err := w.Reader.Blob(m.To, path); err == nil && now != blob {
				return true
			}
		}
	}
	return false
}

// WentOnFrom reports whether git replaced the last seen content of a file by HEAD's content. This is so if HEAD was at
// a commit with the last seen content, and git then moved HEAD to another commit, for example by a checkout. A reset to
// another commit may not change files. A reset to the same commit, which git-stash(1) makes, is ignored.
func (w *Work) WentOnFrom(path string, blob refs.OID) bool {
	moves, whole := w.Moves()
	if !whole || blob.IsZero() {
		return false
	}
	held, left, at := false, false, w.Before.Head
	for _, m := range moves {
		if m.Kind == Reset {
			if m.To != at {
				return false
			}
			continue
		}
		if !held {
			there, err := w.Reader.Blob(at, path)
			held = err == nil && there == blob
		}
		left = left || held && !m.Kind.ByHand()
		at = m.To
	}
	return left
}

// PutLast returns the content that git last wrote into a file when it moved between commits, or the zero id. The result
// `resets` holds the contents of the commits to which HEAD was reset since then: it is unknown whether a reset wrote
// files. Commits made by hand do not count, because their content was in the file before. For example: git rebase, then
// git reset --soft ORIG_HEAD.
func (w *Work) PutLast(path string) (put refs.OID, resets []refs.OID, err error) {
	moves, _ := w.Moves()
	for _, m := range slices.Backward(moves[max(0, len(moves)-MaxCommitted):]) {
		if m.Kind.ByHand() || m.From.IsZero() {
			continue
		}
		now, err := w.Reader.Blob(m.To, path)
		if err != nil {
			return put, nil, err
		}
		if m.Kind == Reset {
			resets = append(resets, now)
			continue
		}
		was, err := w.Reader.Blob(m.From, path)
		if err != nil || now != was {
			return now, distinct(resets, MaxCommitted), err
		}
	}
	return put, distinct(resets, MaxCommitted), nil
}

// Newer lists the stashes that come before the first known one.
func Newer(now, before []refs.OID) []refs.OID {
	i := slices.IndexFunc(now, func(oid refs.OID) bool { return slices.Contains(before, oid) })
	if i < 0 {
		return now
	}
	return now[:i]
}

func (w *Work) GoneStashes() []refs.OID { return without(w.Before.Stashes, w.Now.Stashes) }

// `without` returns the items of `list` that are not in `other`.
func without(list, other []refs.OID) []refs.OID {
	return slices.DeleteFunc(slices.Clone(list), func(oid refs.OID) bool { return slices.Contains(other, oid) })
}
