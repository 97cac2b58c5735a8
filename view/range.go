package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/correlate/belief"
	"github.com/git-trace/git-trace/correlate/claim"
	"github.com/git-trace/git-trace/correlate/history"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// LinesOf returns the lines that a commit added, file by file; submodules and files without lines have none.
func LinesOf(c *history.Commit) []claim.Lines {
	var out []claim.Lines
	for i := range c.Files {
		f := &c.Files[i]
		if f.NewMode == refs.ModeGitlink || f.New.IsZero() {
			continue
		}
		lines := claim.Lines{Path: f.Path, Blob: f.New}
		for _, h := range f.Hunks {
			for n := range h.Added {
				lines.Added = append(lines.Added, h.NewStart+n)
			}
		}
		if len(lines.Added) > 0 {
			out = append(out, lines)
		}
	}
	return out
}

// The limits of a batch: this many commits and added lines are searched together.
const (
	ownersBatch = 256
	ownersLines = 100_000
)

// Commits yields the commits of a list with the owners of the lines that they added, parents before children. Within a
// batch git reads in reverse order: packs store the newest contents whole, and older ones as differences.
func (r *Reader) Commits(list []history.Commit, yield func(*history.Commit, *events.CommitData) error) error {
	asked := slices.Clone(list)
	for batch := range slices.Chunk(asked, ownersBatch) {
		slices.Reverse(batch)
	}
	batch := make([]history.Commit, 0, ownersBatch)
	var known []*events.CommitData
	read, lines := 0, 0
	return history.Walk(r.ctx, r.repo, asked, func(c *history.Commit) error {
		batch = append(batch, *c)
		for i := range c.Files {
			lines += c.Files[i].AddedLines()
		}
		read++
		whole := len(batch) == ownersBatch || read == len(asked)
		if !whole && lines < ownersLines {
			return nil
		}
		more, err := r.ownersIn(batch[len(known):])
		if err != nil {
			return err
		}
		if known, lines = append(known, more...), 0; !whole {
			for i := range batch {
				batch[i].Forget()
			}
			return nil
		}
		for i, data := range slices.Backward(known) {
			if err := yield(&batch[i], data); err != nil {
				return err
			}
		}
		clear(batch)
		batch, known = batch[:0], nil
		return nil
	})
}

// ownersIn returns the owners in some commits.
func (r *Reader) ownersIn(commits []history.Commit) ([]*events.CommitData, error) {
	ids := make([]refs.OID, len(commits))
	for i := range commits {
		ids[i] = commits[i].ID
	}
	r.Searcher().Given(commits)
	known, err := belief.All(r.ctx, r.Log(), r.Searcher(), ids)
	if err != nil {
		return nil, err
	}
	out := make([]*events.CommitData, len(commits))
	for i := range commits {
		out[i] = ownersOf(&commits[i], known[i])
	}
	return out, nil
}

// ownersOf returns the owners of the lines that a commit added, in the form of an anchor.
func ownersOf(c *history.Commit, known *belief.Commit) *events.CommitData {
	data := &events.CommitData{Commit: c.ID, Parents: c.Parents}
	index := map[string]int{}
	ownerAt := func(run *belief.Run) (at int, tier string) {
		owner := events.AnchorOwner{Kind: events.OwnerUnknown}
		if run != nil {
			owner, tier = *run.Owner, run.Tier
			owner.Candidates, owner.Limits = nil, nil
		}
		key := fmt.Sprint(owner)
		at, found := index[key]
		if !found {
			at = len(data.Owners)
			index[key], data.Owners = at, append(data.Owners, owner)
		}
		return at, tier
	}
	for _, lines := range LinesOf(c) {
		file := events.AnchorFile{Path: events.EncodePath(lines.Path), Blob: lines.Blob}
		runs := known.Runs(lines.Path)
		var before *belief.Run // the run of the previous line; nil if unknown
		at, tier := -1, ""
		for _, line := range lines.Added {
			for len(runs) > 0 && runs[0].Start+runs[0].Count <= line {
				runs = runs[1:]
			}
			var run *belief.Run
			if len(runs) > 0 && runs[0].Start <= line && runs[0].Knows() {
				run = &runs[0]
			}
			if at < 0 || run != before {
				at, tier = ownerAt(run)
				before = run
			}
			data.Added++
			if last := len(file.Runs) - 1; last >= 0 && file.Runs[last].Owner == at &&
				file.Runs[last].Start+file.Runs[last].Count == line {
				file.Runs[last].Count++
				continue
			}
			file.Runs = append(file.Runs, events.AnchorRun{Start: line, Count: 1, Owner: at, Tier: tier})
		}
		data.Files = append(data.Files, file)
	}
	return data
}

// Content returns the lines of the files of a commit.
func Content(objects *refs.Objects, commit refs.OID) func(path string) ([]string, error) {
	return func(path string) ([]string, error) {
		_, typ, raw, err := objects.ReadRev(commit.String() + ":" + path)
		if err != nil {
			return nil, err
		}
		if typ != refs.BlobObject || len(raw) == 0 {
			return nil, nil
		}
		return strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n"), nil
	}
}
