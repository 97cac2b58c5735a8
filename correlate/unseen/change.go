package unseen

import (
	"github.com/git-trace/git-trace/correlate"
	"github.com/git-trace/git-trace/events"
)

// sameChange takes the owners from an anchored commit that changed a file in the same way: its added lines equal these
// lines, one by one. Several such commits must agree. A change without distinctive lines is not evidence. For example:
// an agent's commit is cherry-picked to another branch while hooks are switched off.
func (f *file) sameChange() error {
	var places []int // numbers of the added lines, in order
	var texts [][]byte
	for _, r := range f.added {
		for line := r.Start; line < r.End; line++ {
			places, texts = append(places, line), append(texts, f.lines[line])
		}
	}
	if f.id == "" || correlate.LettersIn(texts) < correlate.MinSpecific {
		return nil
	}
	v := newVotes()
	for _, m := range latest(f.digest.Change(f.id), maxMentions) {
		if f.others && f.said(m.Log) {
			continue
		}
		e, found, err := f.index.At(m)
		if err != nil {
			return err
		}
		anchor, ok := data[events.CommitData](&e)
		if !found || !ok {
			continue
		}
		for _, file := range anchor.Files {
			if file.Change != f.id {
				continue
			}
			for i, owner := range spread(anchor.Owners, file.Runs, len(places)) {
				f.vote(v, places[i], owner)
			}
		}
	}
	f.elect(v)
	return nil
}

// spread returns the owner of each line that runs cover, in order, or nil unless they cover exactly n lines.
func spread(owners []events.AnchorOwner, runs []events.AnchorRun, n int) []events.AnchorOwner {
	var out []events.AnchorOwner
	for _, run := range runs {
		if run.Owner < 0 || run.Owner >= len(owners) || run.Count < 1 || run.Count > n-len(out) {
			return nil // different number of lines, or a foreign log that contradicts itself
		}
		for range run.Count {
			out = append(out, owners[run.Owner])
		}
	}
	if len(out) != n {
		return nil
	}
	return out
}
