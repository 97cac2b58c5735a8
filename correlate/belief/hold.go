package belief

import (
	"context"
	"fmt"

	"github.com/git-trace/git-trace/correlate"
	"github.com/git-trace/git-trace/refs"
)

// Unproved is the number of lines of a commit from which the claims of other clones are checked with git. Nearly all
// commits are smaller and need no check.
const Unproved = 5000

// repository is a Log that knows its repository.
type repository interface{ Repo() *refs.Repo }

// `hold` checks the claims of other clones about large commits. It starts one git process, and keeps only claims about
// lines that a commit added. For a merge or a missing commit it keeps none.
func hold(ctx context.Context, log Log, commits ...*Commit) error {
	at, ok := log.(repository)
	var large []*Commit
	for _, c := range commits {
		if c.unproved() > Unproved {
			large = append(large, c)
		}
	}
	if !ok || len(large) == 0 {
		return nil
	}
	added, err := addedBy(ctx, at.Repo(), large)
	if err != nil {
		return fmt.Errorf("compare claims of other clones with the commits: %w", err)
	}
	for _, c := range large {
		c.within(added[c.ID])
	}
	return nil
}

// addedBy asks git for the lines that commits added. Missing commits are left out.
func addedBy(ctx context.Context, repo *refs.Repo, commits []*Commit) (map[refs.OID][]correlate.FileChange, error) {
	objects := repo.Objects()
	defer objects.Close()
	var here []refs.OID
	for _, c := range commits {
		if _, err := objects.Commit(c.ID); err == nil {
			here = append(here, c.ID)
		}
	}
	added := map[refs.OID][]correlate.FileChange{}
	_, err := correlate.Patches(ctx, repo, here, nil, func(id refs.OID, change correlate.CommitChange) error {
		added[id] = change.Files
		return nil
	})
	return added, err
}

// `unproved` returns the number of lines that other clones claim in the commit.
func (c *Commit) unproved() int {
	n := 0
	for i := range c.Files {
		for k := range c.Files[i].Runs {
			if r := &c.Files[i].Runs[k]; c.foreign(r) {
				n += r.Count
			}
			if n > Unproved {
				return n // the sum may not fit into an int
			}
		}
	}
	return max(n, c.Added-c.own.added)
}

// `foreign` reports whether a run comes from another clone's log and counts as added.
func (c *Commit) foreign(r *Run) bool { return r.By != nil && !r.By.Mine(c.own.writer) && !r.Beyond }

// `within` reduces the claims of other clones to the lines that the commit added.
func (c *Commit) within(files []correlate.FileChange) {
	added := map[string][]Run{}
	sum := 0
	for i := range files {
		if files[i].Patched == nil {
			continue
		}
		for _, lines := range files[i].Patched.Added {
			added[files[i].Path] = append(added[files[i].Path], Run{Start: lines.Start + 1, Count: lines.Len()})
			sum += lines.Len()
		}
	}
	for i := range c.Files {
		f := &c.Files[i]
		var kept []Run
		for _, r := range f.Runs {
			if c.foreign(&r) {
				kept = append(kept, marked([]Run{r}, added[f.Path])...)
			} else {
				kept = append(kept, r)
			}
		}
		f.Runs = kept
	}
	c.Added = min(c.Added, max(sum, c.own.added))
	c.count()
}
