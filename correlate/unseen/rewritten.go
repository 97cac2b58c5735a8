package unseen

import (
	"errors"

	"github.com/git-trace/git-trace/correlate"
	"github.com/git-trace/git-trace/correlate/belief"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/linediff"
)

// rewritten takes the owners from the anchors of the commits that this one replaced. commit_rewritten events name them.
// For a running rebase, its queue names them (correlate.Picked). A line that the older commit added and that the same
// file has here is the same line. For example: an agent's commit is rebased onto main, where other lines were added to
// the file.
func (f *file) rewritten() error {
	if older, ok := f.picked()[f.commit]; ok {
		if err := f.carriedFrom(older, f.credible); err != nil {
			return err
		}
	}
	older, err := f.index.Replaced(f.commit)
	if err != nil {
		return err
	}
	for _, commit := range older {
		if err := f.carriedFrom(commit, f.credible); err != nil {
			return err
		}
	}
	return nil
}

// `credible` reports whether the patch of a run can be the source of the commit's lines.
func (f *file) credible(r *belief.Run) bool {
	if f.others && f.said(ownLog) {
		own, err := f.index.OwnWriter()
		if err != nil || r.By == nil || r.By.Mine(own) {
			return false
		}
	}
	return r.Owner.Patch == "" || f.believes(r.Owner.Patch)
}

// carriedFrom compares the file with its content in an older commit. The function `counts` selects the runs whose
// owners may be taken.
func (f *file) carriedFrom(older refs.OID, counts func(*belief.Run) bool) error {
	known := f.weighed[older]
	if known == nil {
		var err error
		if known, err = belief.Of(f.index, older); err != nil {
			return err
		}
		f.weighed[older] = known
	}
	for i := range known.Files {
		if old := &known.Files[i]; old.Path == f.change.Path || old.Path == f.change.OldPath {
			if err := f.carriedLines(old, counts); err != nil {
				return err
			}
		}
	}
	return nil
}

// carriedLines takes over the owners of lines that are equal in an older content of the file. If the content is
// missing, it takes none.
func (f *file) carriedLines(old *belief.File, counts func(*belief.Run) bool) error {
	raw, err := f.objects.Blob(old.Blob)
	if errors.Is(err, refs.ErrMissing) || errors.Is(err, refs.ErrTooLarge) {
		return nil
	}
	if err != nil {
		return err
	}
	was := linediff.Split(raw)
	by := map[int]claim{} // claims by line of the older content, counted from 0
	for _, run := range old.Runs {
		if run.Count > len(was)-run.Start+1 || !counts(&run) {
			continue // the run is from a foreign log and wrong, or not needed
		}
		for line := run.Start - 1; line < run.Start-1+run.Count; line++ {
			by[line] = claim{*run.Owner, carriedTier(&run)}
		}
	}
	i, j := 0, 0
	same := func(end int) {
		for ; i < end; i, j = i+1, j+1 {
			if was, known := by[i]; known && !vague(was.owner) {
				f.owners[j] = was
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

// carriedTier returns the evidence tier of a line whose owner comes from an older commit. A claim with exact evidence
// keeps its tier.
func carriedTier(r *belief.Run) string {
	if isClaim(r) && (r.Tier == correlate.TierExactBlob || r.Tier == correlate.TierExactLines) {
		return correlate.TierExactLines
	}
	return correlate.TierRewritten
}
