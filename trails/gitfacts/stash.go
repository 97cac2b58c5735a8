package gitfacts

import (
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// A stash is a commit of the work tree. Its first parent is HEAD's commit, its second is a commit of the index. If
// there were untracked files, a third parent has them (git-stash(1)).

// Stash holds the commits of a stash.
type Stash struct {
	Commit, Head, Index, Untracked refs.OID // Untracked is the zero id if there were none
}

// StashOf reads the parents of a stash. It returns false if the commit is missing or is not a stash.
func StashOf(read Reader, stash refs.OID) (Stash, bool) {
	c, err := read.Commit(stash)
	if err != nil || len(c.Parents) < 2 {
		return Stash{}, false
	}
	s := Stash{Commit: stash, Head: c.Parents[0], Index: c.Parents[1]}
	if len(c.Parents) > 2 {
		s.Untracked = c.Parents[2]
	}
	return s, true
}

// Blob returns the blob of a path in a stash, tracked or not, and the blob of the path in HEAD at that time.
func (s Stash) Blob(read Reader, path string) (head, blob refs.OID, err error) {
	if head, err = read.Blob(s.Head, path); err != nil {
		return head, blob, err
	}
	if blob, err = read.Blob(s.Commit, path); err == nil && blob.IsZero() {
		blob, err = read.Blob(s.Untracked, path)
	}
	return head, blob, err
}

// Blobs lists the contents in a stash: the files of the work tree that differ from HEAD, and the untracked files. A
// deleted path has the zero id.
func (s Stash) Blobs(read Reader) (map[string]refs.OID, error) {
	changed, err := read.Changed(s.Head, s.Commit)
	if err != nil {
		return nil, err
	}
	if !s.Untracked.IsZero() {
		untracked, err := read.Changed(refs.OID{}, s.Untracked)
		if err != nil {
			return nil, err
		}
		changed = append(changed, untracked...)
	}
	out := map[string]refs.OID{}
	for _, c := range changed {
		if c.NewMode != refs.ModeGitlink {
			out[c.Path] = c.New
		}
	}
	return out, nil
}

// Branch returns the branch on which a stash was made, or "" if HEAD was detached. It returns false if that cannot be
// read. Git writes the branch into the message of the commit of the index: "index on topic: 1234567 subject".
func (s Stash) Branch(read Reader) (string, bool) {
	index, err := read.Commit(s.Index)
	if err != nil {
		return "", false
	}
	return stashedOn(index.Message), true
}

func stashedOn(message string) string {
	on, _, _ := strings.Cut(strings.TrimPrefix(message, "index on "), ": ")
	if strings.HasPrefix(on, "(") {
		return ""
	}
	return on
}
