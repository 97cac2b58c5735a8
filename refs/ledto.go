package refs

import (
	"context"
	"strings"
)

// LedTo reports for each commit whether it can be reached from one of the tips. Missing commits are left out. Tips are
// words for git-rev-list(1), for instance "--all"; a missing tip is ignored.
func (r *Repo) LedTo(ctx context.Context, commits []OID, tips ...string) (map[OID]bool, error) {
	if len(commits) == 0 {
		return nil, nil
	}
	here, err := r.present(ctx, commits)
	if err != nil {
		return nil, err
	}
	out := map[OID]bool{}
	for _, c := range here {
		out[c] = true
	}
	if len(here) == 0 {
		return out, nil
	}
	if r.nearTips(here, tips) {
		return out, nil
	}
	args := append([]string{"rev-list", "--ignore-missing", "--stdin", "--not"}, tips...)
	left, err := r.Git(ctx, strings.NewReader(lines(here)), args...)
	if err != nil {
		return nil, err
	}
	for line := range strings.FieldsSeq(string(left)) {
		if id, err := ParseOID(line); err == nil && out[id] {
			out[id] = false
		}
	}
	return out, nil
}

// mostNear is the number of commits that are read without git. For more commits git is faster.
const mostNear = 2000

// nearTips returns true if all commits can be reached from tips that are given by their ids. It walks only a short way
// back, and starts no process. False does not mean that they cannot be reached.
func (r *Repo) nearTips(commits []OID, tips []string) bool {
	if len(commits) > mostNear {
		return false
	}
	var next []OID
	for _, tip := range tips {
		if id, err := ParseOID(tip); err == nil {
			next = append(next, id)
		}
	}
	wanted := make(map[OID]bool, len(commits))
	for _, c := range commits {
		wanted[c] = true
	}
	objects := r.Objects()
	defer func() { _ = objects.Close() }()
	objects.Max = maxNearCommit
	met := map[OID]bool{}
	for reads := 4*len(commits) + 512; len(next) > 0 && len(wanted) > 0 && reads > 0; reads-- {
		id := next[0]
		next = next[1:]
		if met[id] {
			continue
		}
		met[id] = true
		typ, raw, err := objects.stored(id)
		if err != nil || typ != CommitObject { // the tip is missing, or is a tag
			continue
		}
		c, err := DecodeCommit(raw)
		if err != nil {
			return false
		}
		delete(wanted, id)
		next = append(next, c.Parents...)
	}
	return len(wanted) == 0
}

// maxNearCommit is the size of a commit object above which nearTips leaves the answer to git.
const maxNearCommit = 1 << 20

// Lacks reports whether some of the objects are missing in the repository. It does not fetch objects from a remote.
func (r *Repo) Lacks(ctx context.Context, ids []OID) (bool, error) {
	here, err := r.present(ctx, ids)
	return len(here) < len(ids), err
}

// `present` returns the objects that the repository has. It calls git only if the files do not show it.
func (r *Repo) present(ctx context.Context, ids []OID) (here []OID, err error) {
	objects := r.Objects()
	defer func() { _ = objects.Close() }()
	for _, id := range ids {
		if objects.MayBeStored(id) {
			here = append(here, id)
		}
	}
	if len(here) == 0 || objects.knowsAll() {
		return here, nil
	}
	there, err := r.Git(ctx, strings.NewReader(lines(here)), "cat-file", "--batch-check=%(objectname)")
	if err != nil {
		return nil, err
	}
	here = here[:0]
	for line := range strings.Lines(string(there)) { // for a missing object: "<id> missing"
		if id, err := ParseOID(strings.TrimSuffix(line, "\n")); err == nil {
			here = append(here, id)
		}
	}
	return here, nil
}

func lines(ids []OID) string {
	var out strings.Builder
	for _, id := range ids {
		out.WriteString(id.String() + "\n")
	}
	return out.String()
}
