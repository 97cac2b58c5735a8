package gitfacts

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// `git cherry-pick --no-commit REV` writes to the work tree and does not record REV. REV may be a commit that was
// fetched just before. So the search covers the newest commits of all refs.

// maxNamesakes limits the number of commits with a matching message that may be the picked one.
const maxNamesakes = 4

// Foreign lists the newest commits that were not made in this work tree since the first mark. Without a reflog the list
// is empty. For the parameter `asked`, see MadeByHand.
func (w *Work) Foreign(asked refs.OID) []refs.OID {
	if w.Now.Log == 0 {
		return nil
	}
	return without(w.Reader.Newest(), w.ByHand(asked))
}

// Namesakes lists the newest foreign commits that may be the source of a pick. They have the same message, author and
// author date as the new commit: git keeps these when it picks a commit.
func (w *Work) Namesakes(of refs.Commit, asked refs.OID) []refs.OID {
	return w.like(of.Message, asked, func(author refs.Signature) bool {
		return author.Name == of.Author.Name && author.Email == of.Author.Email && author.When.Equal(of.Author.When)
	})
}

// `like` lists the newest foreign commits whose message is the beginning of the given message: -x and conflicts append
// text to a message.
func (w *Work) like(message string, asked refs.OID, by func(refs.Signature) bool) []refs.OID {
	var out []refs.OID
	for _, oid := range w.Foreign(asked) {
		commit, err := w.Reader.Commit(oid)
		if err != nil || !by(commit.Author) {
			continue
		}
		said := strings.TrimSpace(commit.Message)
		if said != "" && strings.HasPrefix(message, said) {
			if out = append(out, oid); len(out) == maxNamesakes {
				break
			}
		}
	}
	return out
}

// pickedLoose finds the commits that git may have picked or reverted without committing. Git stores their message for
// the next commit (git-cherry-pick(1), --no-commit).
func (w *Work) pickedLoose(asked refs.OID) []refs.OID {
	if w.Now.Message == 0 || w.Now.Message == w.Before.Message || w.Now.Replays != "" || !w.Now.Squash.IsZero() {
		return nil
	}
	raw, err := os.ReadFile(filepath.Join(w.repo.GitDir, "MERGE_MSG"))
	if err != nil {
		return nil
	}
	message := string(bytes.TrimSpace(raw))
	if oid := revertedBy(message); !oid.IsZero() {
		return []refs.OID{oid}
	}
	return w.like(message, asked, func(refs.Signature) bool { return true })
}

// pickedByHand finds the commits from which a commit may have been picked, if somebody made it because the pick had
// stopped at a conflict (git-cherry-pick(1), --continue).
func (w *Work) pickedByHand(m Move, asked refs.OID) []refs.OID {
	if m.Kind != PickCommitted {
		return nil
	}
	commit, err := w.Reader.Commit(m.To)
	if err != nil {
		return nil
	}
	return w.Namesakes(commit, asked)
}

// `reverted` returns the commit that another commit reverts, as its message says, or the zero id.
func (w *Work) reverted(commit refs.OID) refs.OID {
	c, err := w.Reader.Commit(commit)
	if err != nil {
		return refs.OID{}
	}
	return revertedBy(c.Message)
}

// revertedWords is the text that git-revert(1) writes before the id of the reverted commit.
const revertedWords = "This reverts commit "

// revertedBy returns the commit that a message names as reverted.
func revertedBy(message string) refs.OID {
	_, rest, _ := strings.Cut(message, revertedWords)
	id := strings.TrimRight(strings.SplitN(rest, "\n", 2)[0], ". ,")
	oid, err := refs.ParseOID(id)
	if err != nil {
		return refs.OID{}
	}
	return oid
}

// Resumption describes a commit that continued a stopped rebase.
type Resumption struct {
	Before refs.OID   // the blob of the path in its parent, which git had written to the work tree
	Picked []refs.OID // the blobs of the path in the commits from which it may have been picked
}

// Resumed finds the last commit that continued a rebase (git-rebase(1), --continue) and changed a path to the given
// content. If there is none, Before is the zero id.
func (w *Work) Resumed(path string, content, asked refs.OID) (Resumption, error) {
	moves, _ := w.Moves()
	for _, m := range slices.Backward(moves) {
		if m.Kind != RebaseContinued {
			continue
		}
		commit, err := w.Reader.Commit(m.To)
		if err != nil || len(commit.Parents) != 1 {
			continue // skip a missing commit
		}
		before, err := w.Reader.Blob(commit.Parents[0], path)
		if err != nil {
			return Resumption{}, err
		}
		now, err := w.Reader.Blob(m.To, path)
		if err != nil {
			return Resumption{}, err
		}
		if now != content || before == now || before.IsZero() {
			continue
		}
		r := Resumption{Before: before}
		for _, x := range w.Namesakes(commit, asked) {
			blob, err := w.Reader.Blob(x, path)
			if err != nil {
				return Resumption{}, err
			}
			if blob != now && !blob.IsZero() {
				r.Picked = append(r.Picked, blob)
			}
		}
		return r, nil
	}
	return Resumption{}, nil
}
