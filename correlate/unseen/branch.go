package unseen

import (
	"slices"

	"github.com/git-trace/git-trace/correlate"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/trails/linediff"
)

// maxBranch limits the number of contents of the path that are compared for the commits of a branch.
const maxBranch = 16

// votes holds, by line, the owners that anchors name.
type votes struct {
	owners map[int]events.AnchorOwner
	split  map[int]bool // lines about which anchors disagree
}

func newVotes() votes { return votes{map[int]events.AnchorOwner{}, map[int]bool{}} }

// vote adds the owner that an anchor names for a line.
func (f *file) vote(v votes, line int, owner events.AnchorOwner) {
	if vague(owner) || owner.Patch != "" && !f.believes(owner.Patch) {
		return
	}
	had, taken := v.owners[line]
	v.split[line] = v.split[line] || taken && !sameAuthor(had, owner)
	if !taken {
		v.owners[line] = owner
	}
}

// elect gives each open line the owner that all anchors agree on.
func (f *file) elect(v votes) {
	for line, owner := range v.owners {
		if _, done := f.owners[line]; !done && !v.split[line] {
			f.owners[line] = claim{owner, correlate.TierSamePatch}
		}
	}
}

// sameLines takes the owners from the anchors of several commits that each added some of the lines. The lines must be
// in distinctive rows and in the same order. sameLines compares the contents that fetched logs name. For example, a
// colleague's branch changes a file in two commits, and somebody squashes it here. Neither commit equals the new one.
func (f *file) sameLines() error {
	v := newVotes()
	for _, blob := range f.recall.Blobs(f.change.Path, maxBranch) {
		var raw []byte
		for _, m := range latest(f.digest.Blob(blob), maxMentions) {
			e, found, err := f.index.At(m)
			if err != nil {
				return err
			}
			anchor, ok := data[events.CommitData](&e)
			if !found || !ok || f.said(m.Log) || f.olderThan(f.age, m, e.Time) {
				continue
			}
			for _, one := range anchor.Files {
				if one.Blob != blob || !f.isFile(one.Path) {
					continue
				}
				if raw == nil {
					if raw, err = f.objects.Blob(blob); err != nil {
						break // the content is missing
					}
				}
				f.voteRows(v, linediff.Split(raw), one.Runs, anchor.Owners)
			}
		}
	}
	f.elect(v)
	return nil
}

// voteRows finds the rows of added lines that a content has too, and votes for the owners that its anchor names.
func (f *file) voteRows(v votes, content [][]byte, runs []events.AnchorRun, owners []events.AnchorOwner) {
	from := linediff.Lineage(content, f.lines)
	for _, r := range f.added {
		for first := r.Start; first < r.End; {
			last := first + 1
			for last < r.End && from[first] >= 0 && from[last] == from[last-1]+1 {
				last++
			}
			for line := first; line < last && correlate.LettersIn(f.lines[first:last]) >= correlate.MinSpecific; line++ {
				at := slices.IndexFunc(runs, func(r events.AnchorRun) bool {
					return r.Start-1 <= from[line] && from[line] < r.Start-1+r.Count
				})
				if at >= 0 && runs[at].Owner >= 0 && runs[at].Owner < len(owners) {
					f.vote(v, line, owners[runs[at].Owner])
				}
			}
			first = last
		}
	}
}
