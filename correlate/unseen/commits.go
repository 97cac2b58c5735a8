package unseen

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/git-trace/git-trace/correlate"
	"github.com/git-trace/git-trace/correlate/history"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Commits returns anchors for commits in which at least one line gets an owner. Lines without a finding are unknown in
// them.
func (s *Search) Commits(ctx context.Context, commits []refs.OID) (map[refs.OID]events.CommitData, error) {
	if s.untraced() {
		return nil, nil
	}
	if len(commits) > keepEvery {
		s.rest()
	}
	return s.whole(ctx, commits, noPath)
}

// Batch is the number of commits to search at once along a history: git walks the history once for each batch.
const Batch = 16 << 10

// rest stores the answers, and drops the data of the commits that were searched before. So a walk along any history
// needs the memory of one batch.
func (s *Search) rest() {
	if s.keep(); s.kept != nil {
		clear(s.kept.paths)
	}
	clear(s.ages)
	clear(s.claims)
	clear(s.weighed)
	clear(s.people)
	clear(s.added)
}

// Elsewhere does the same as Commits for commits whose anchor does not know all lines: see Question.
func (s *Search) Elsewhere(ctx context.Context, commits []refs.OID) (map[refs.OID]events.CommitData, error) {
	if !s.canAnswer(Question{Elsewhere: true}) {
		return nil, nil
	}
	return s.whole(ctx, commits, noPathElsewhere)
}

// `whole` searches whole commits. The parameter `under` names the file of the kept answers, and so selects the logs
// that are searched.
func (s *Search) whole(ctx context.Context, commits []refs.OID, under string) (map[refs.OID]events.CommitData, error) {
	out := map[refs.OID]events.CommitData{}
	if err := s.prepare(ctx); err != nil {
		return nil, fmt.Errorf("search owners: %w", err)
	}
	var open []refs.OID
	for _, c := range commits {
		kept, ok := s.recallCommit(under, c)
		switch {
		case !ok:
			open = append(open, c)
		case kept != nil:
			out[c] = *kept
		}
	}
	young, err := s.young(ctx, open)
	if err != nil {
		return nil, fmt.Errorf("search owners: %w", err)
	}
	settled, err := s.settled(ctx, young)
	if err != nil {
		return nil, fmt.Errorf("search owners: %w", err)
	}
	left := map[refs.OID]bool{}
	for _, c := range open {
		left[c] = true
	}
	search := func(c refs.OID, changed []correlate.FileChange, here bool) error {
		found, on, err := s.commit(ctx, c, changed, under == noPathElsewhere, settled[c])
		if err != nil {
			return fmt.Errorf("search for the owners of %.7s: %w", c, err)
		}
		on.lacking = on.lacking || !here
		delete(left, c)
		s.rememberCommit(under, c, found, on)
		if found != nil {
			out[c] = *found
		}
		return nil
	}
	var plain, merges []refs.OID
	for _, c := range young {
		commit, given := s.given[c]
		switch {
		case len(s.ages[c].parents) > 1:
			merges = append(merges, c)
		case given:
			change, err := changeGiven(commit)
			if err := errors.Join(err, search(c, change.Files, true)); err != nil {
				return nil, err
			}
		default:
			plain = append(plain, c)
		}
	}
	slices.SortStableFunc(plain, func(a, b refs.OID) int { return s.ages[b].dated.Compare(s.ages[a].dated) })
	unread, err := correlate.Patches(ctx, s.repo, plain, tells, func(c refs.OID, change correlate.CommitChange) error {
		s.added[c] = change.Added
		return search(c, change.Files, true)
	})
	if err != nil {
		return nil, err
	}
	// If contents are missing, the readable files of a commit are searched one by one.
	changed, err := correlate.Changed(ctx, s.repo, append(merges, unread...))
	if err != nil {
		return nil, fmt.Errorf("search owners: %w", err)
	}
	for _, c := range open {
		switch {
		case !left[c]:
		case s.ages[c] == nil: // the commit is missing
		case s.old(c):
			s.rememberCommit(under, c, nil, depends{})
		default:
			files, listed := changed[c]
			if err := search(c, files, listed); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// Given passes commits with their changes from a running walk, so that git need not read them again. The walk owns them
// until the next call.
func (s *Search) Given(walked []history.Commit) {
	s.given = make(map[refs.OID]*history.Commit, len(walked))
	for i := range walked {
		if c := &walked[i]; len(c.Parents) < 2 && len(c.Unread) == 0 && !c.Cut() {
			s.given[c.ID] = c
		}
	}
}

func changeGiven(c *history.Commit) (correlate.CommitChange, error) {
	return correlate.ChangeOf(c.Records(), tells, c.Patch)
}

// Added returns the number of lines that a searched commit added, as git --numstat counts them; false if they were not
// counted.
func (s *Search) Added(commit refs.OID) (lines int, known bool) {
	lines, known = s.added[commit]
	return lines, known && lines != correlate.Uncounted
}

// `settled` returns the commits that have a descendant in every log. A later event cannot be the source of their lines.
func (s *Search) settled(ctx context.Context, commits []refs.OID) (map[refs.OID]bool, error) {
	out := map[refs.OID]bool{}
	for log := range s.digest.Logs() {
		heads := s.heads(log)
		if len(heads) == 0 || len(commits) == 0 {
			return nil, nil
		}
		reached, err := s.reached(ctx, commits, heads)
		if err != nil {
			return nil, err
		}
		commits, out = slices.Collect(maps.Keys(reached)), reached // the next logs are asked about these commits only
	}
	return out, nil
}

// commit finds the owners of the lines that a commit added; nil if there are none. It also returns the conditions under
// which the answer stays valid.
func (s *Search) commit(ctx context.Context, commit refs.OID, changed []correlate.FileChange,
	elsewhere, settled bool) (*events.CommitData, depends, error) {
	on, err := s.dependsOn(commit)
	if err != nil {
		return nil, on, err
	}
	older, err := s.index.Replaced(commit)
	if err != nil {
		return nil, on, err
	}
	_, picked := s.picked()[commit]
	d := gathered{CommitData: events.CommitData{Commit: commit, Parents: s.ages[commit].parents}}
	for i := range changed {
		if err := ctx.Err(); err != nil {
			return nil, on, err
		}
		f, err := s.wholeFile(ctx, commit, changed[i], elsewhere, picked || len(older) > 0)
		if err != nil {
			return nil, on, err
		}
		if f == nil {
			on.lacking = true
			continue
		}
		on.onFile(f, settled)
		d.add(f.answer())
	}
	if d.AI+d.Human == 0 {
		return nil, on, nil
	}
	return &d.CommitData, on, nil
}

// wholeFile searches a file if a log names anything in it. Otherwise it only counts the lines. A file with missing
// objects gets no owners.
func (s *Search) wholeFile(ctx context.Context, commit refs.OID, c correlate.FileChange, elsewhere, known bool) (*file,
	error) {
	if p := c.Patched; p != nil && !known && !s.speaksOf(&c) {
		return &file{Search: s, change: c, added: p.Added, id: p.Change}, nil
	}
	f, err := s.open(commit, c)
	if f == nil || err != nil || len(f.added) == 0 {
		return f, err
	}
	f.elsewhere = elsewhere
	if err := errors.Join(f.search(ctx), s.err); err != nil {
		return nil, s.leaveOut(commit, err)
	}
	return f, nil
}

// speaksOf reports whether a log names the content of a file, its change, or one of its added lines. Common lines do
// not count. If contents of the path are known, the result is always true.
func (s *Search) speaksOf(c *correlate.FileChange) bool {
	p := c.Patched
	if len(p.Added) == 0 {
		return false
	}
	if len(s.digest.Blob(c.New)) > 0 || p.Change != "" && len(s.digest.Change(p.Change)) > 0 ||
		s.recall.Remembers(c.Path) {
		return true
	}
	return slices.ContainsFunc(p.Prints, func(f events.Fingerprint) bool { return len(s.digest.Line(f)) > 0 })
}

// gathered collects the files of a commit, which come one by one.
type gathered struct{ events.CommitData }

func (d *gathered) add(a Answer) {
	if len(a.File.Runs) == 0 {
		return
	}
	place := make([]int, len(a.Owners))
	for i, o := range a.Owners {
		at := slices.IndexFunc(d.Owners, func(had events.AnchorOwner) bool { return sameOwner(had, o) })
		if at < 0 {
			at = len(d.Owners)
			d.Owners = append(d.Owners, o)
		}
		place[i] = at
	}
	file := a.File
	file.Runs = slices.Clone(file.Runs)
	for i := range file.Runs {
		run := &file.Runs[i]
		kind := a.Owners[run.Owner].Kind
		run.Owner = place[run.Owner]
		d.Added += run.Count
		switch kind {
		case events.OwnerAI, events.OwnerMixed:
			d.AI += run.Count
		case events.OwnerHuman:
			d.Human += run.Count
		default:
			d.Unknown += run.Count
		}
	}
	d.Files = append(d.Files, file)
}
