package unseen

import (
	"errors"

	"github.com/git-trace/git-trace/correlate"
	"github.com/git-trace/git-trace/correlate/belief"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/linediff"
)

// rewritten takes the owners from the anchors of commits whose place this one took, as commit_rewritten events say, or
// the notes of a rebase that is under way: a line that the older commit added, and that stands in the same file here,
// is the same line.
func (f *file) rewritten() error {
	if older, ok := f.picked()[f.commit]; ok {
		if err := f.carriedFrom(older); err != nil {
			return err
		}
	}
	named, err := f.index.ByCommit(f.commit)
	if err != nil {
		return err
	}
	for i := range named {
		d, ok := data[events.RewriteData](&named[i])
		if named[i].Type != events.CommitRewritten || !ok {
			continue
		}
		for _, pair := range d.Pairs {
			if pair.New != f.commit || pair.Old == pair.New {
				continue
			}
			if err := f.carriedFrom(pair.Old); err != nil {
				return err
			}
		}
	}
	return nil
}

// carriedFrom compares the file with what an older commit has of it.
func (f *file) carriedFrom(older refs.OID) error {
	known, err := belief.Of(f.index, older)
	if err != nil {
		return err
	}
	for i := range known.Files {
		if old := &known.Files[i]; old.Path == f.change.Path || old.Path == f.change.OldPath {
			if err := f.carriedLines(old); err != nil {
				return err
			}
		}
	}
	return nil
}

// carriedLines takes over the owners of lines that are the same in an older content of the file. A content that is not
// there any more says nothing.
func (f *file) carriedLines(old *belief.File) error {
	raw, err := f.objects.Blob(old.Blob)
	if errors.Is(err, refs.ErrMissing) || errors.Is(err, refs.ErrTooLarge) {
		return nil
	}
	if err != nil {
		return err
	}
	was := linediff.Split(raw)
	by := map[int]events.AnchorOwner{} // of the lines that the older commit added, counted from 0
	for _, run := range old.Runs {
		if run.Count > len(was)-run.Start+1 {
			continue // foreign, and not what it says it is
		}
		for line := run.Start - 1; line < run.Start-1+run.Count; line++ {
			by[line] = *run.Owner
		}
	}
	i, j := 0, 0
	same := func(end int) {
		for ; i < end; i, j = i+1, j+1 {
			owner, known := by[i]
			if known && !vague(owner) && (owner.Patch == "" || f.believes(owner.Patch)) {
				f.owners[j] = claim{owner, correlate.TierRewritten}
			}
		}
	}
	for _, h := range linediff.Diff(was, f.lines, linediff.Options{}).Hunks {
		same(h.OldStart)
		i, j = h.OldStart+h.OldCount, h.NewStart+h.NewCount
	}
	same(len(was))
	return nil
}
