package history

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// Past returns tips and their ancestors, as far as they can be read, parents before children. git-rev-list(1) would
// return none if one is missing. Unreadable commits are returned separately, named in Unread. The history ends where a
// shallow clone ends.
func Past(repo *refs.Repo, tips []refs.OID) (list, unread []Commit, err error) {
	objects := repo.Objects()
	defer func() { _ = objects.Close() }()
	ends := map[string]bool{}
	shallow, err := os.ReadFile(filepath.Join(repo.CommonDir, "shallow"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, nil, err
	}
	for id := range strings.FieldsSeq(string(shallow)) {
		ends[id] = true
	}
	seen := map[refs.OID]bool{}
	type visit struct {
		Commit
		next int // index of the next parent to visit
	}
	var way []visit
	enter := func(id refs.OID) {
		if seen[id] {
			return
		}
		seen[id] = true
		read, err := objects.Commit(id)
		if err != nil {
			unread = append(unread, Commit{ID: id, Unread: []Unread{{Object: id, Cause: err}}})
			return
		}
		c := Commit{ID: id, Author: read.Author.Name + " <" + read.Author.Email + ">", Authored: read.Author.When.UTC(),
			Committed: read.Committer.When.UTC()}
		if !ends[id.String()] {
			c.Parents = slices.Clone(read.Parents)
		}
		way = append(way, visit{Commit: c})
	}
	for _, tip := range tips {
		for enter(tip); len(way) > 0; {
			v := &way[len(way)-1]
			if v.next < len(v.Parents) {
				v.next++
				enter(v.Parents[v.next-1])
				continue
			}
			list = append(list, v.Commit)
			way = way[:len(way)-1]
		}
	}
	return list, unread, nil
}
