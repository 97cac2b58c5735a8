package unseen

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/git-trace/git-trace/correlate"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/linediff"
)

// manyFiles is how many files a commit may have changed for all of them to be looked into. Of a larger one those count
// that a log knows by content or name.
const manyFiles = 500

// Commits finds what the anchors of commits would say, for those of which something can be found: at least one line
// with an owner. Lines of which nothing is found are unknown in it.
func (s *Search) Commits(ctx context.Context, commits []refs.OID) (map[refs.OID]events.CommitData, error) {
	if s.untraced() {
		return nil, nil
	}
	return s.whole(ctx, commits, noPath)
}

// Elsewhere is Commits for commits that have an anchor which does not know all lines: see Question.
func (s *Search) Elsewhere(ctx context.Context, commits []refs.OID) (map[refs.OID]events.CommitData, error) {
	out, err := s.wholeClaims(ctx, commits)
	if err != nil {
		return nil, fmt.Errorf("search owners: %w", err)
	}
	rest := slices.DeleteFunc(slices.Clone(commits), func(c refs.OID) bool {
		_, found := out[c]
		return found
	})
	if len(rest) == 0 || !s.canAnswer(Question{Elsewhere: true}) {
		return out, nil
	}
	more, err := s.whole(ctx, rest, noPathElsewhere)
	maps.Copy(out, more)
	return out, err
}

// whole searches whole commits. Under says where the answers are kept, and so which logs are asked.
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
	changed, err := correlate.Changed(ctx, s.repo, young)
	if err != nil {
		return nil, fmt.Errorf("search owners: %w", err)
	}
	settled, err := s.settled(ctx, young)
	if err != nil {
		return nil, fmt.Errorf("search owners: %w", err)
	}
	for _, c := range open {
		if !slices.Contains(young, c) {
			s.rememberCommit(under, c, nil, s.old(c))
			continue
		}
		found, err := s.commit(ctx, c, changed[c], under == noPathElsewhere)
		if err != nil {
			return nil, fmt.Errorf("search owners of %.7s: %w", c, err)
		}
		s.rememberCommit(under, c, found, settled[c])
		if found != nil {
			out[c] = *found
		}
	}
	return out, nil
}

// settled tells of which commits every log names a descendant: no later event can be the cause of them.
func (s *Search) settled(ctx context.Context, commits []refs.OID) (map[refs.OID]bool, error) {
	out := map[refs.OID]bool{}
	for _, c := range commits {
		out[c] = s.digest.Logs() > 0
	}
	for log := range s.digest.Logs() {
		heads := s.digest.Heads(log)
		reached := map[refs.OID]bool{}
		if len(heads) > 0 {
			var err error
			if reached, err = s.reached(ctx, commits, heads); err != nil {
				return nil, err
			}
		}
		for _, c := range commits {
			out[c] = out[c] && reached[c]
		}
	}
	return out, nil
}

// commit finds the owners of the lines that a commit added; nil when there are none.
func (s *Search) commit(ctx context.Context, commit refs.OID, changed []correlate.FileChange,
	elsewhere bool) (*events.CommitData, error) {
	decoded, err := s.objects.Commit(commit)
	if err != nil {
		return nil, err
	}
	d := gathered{CommitData: events.CommitData{Commit: commit, Parents: decoded.Parents}}
	for _, c := range changed {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		known := len(s.digest.Blob(c.New)) > 0
		if !known && len(changed) > manyFiles {
			if known, err = s.hasPath(c.Path); err != nil {
				return nil, err
			}
			if !known {
				continue
			}
		}
		answer, err := s.wholeFile(ctx, commit, c, known, elsewhere)
		if err != nil {
			return nil, err
		}
		d.add(answer)
	}
	if d.AI+d.Human == 0 {
		return nil, nil
	}
	return &d.CommitData, nil
}

func (s *Search) hasPath(path string) (bool, error) {
	named, err := s.index.ByPath(path)
	return len(named) > 0, err
}

// wholeFile is file, unless no log speaks of anything in it: then its lines are only counted.
func (s *Search) wholeFile(ctx context.Context, commit refs.OID, c correlate.FileChange, known, elsewhere bool) (Answer,
	error) {
	raw, err := s.objects.Blob(c.New)
	if errors.Is(err, refs.ErrMissing) || errors.Is(err, refs.ErrTooLarge) {
		return Answer{}, nil
	}
	if err != nil {
		return Answer{}, err
	}
	lines := linediff.Split(raw)
	for i := 0; i < len(lines) && !known; i++ {
		known = letters(lines[i]) >= minSpecific && len(s.digest.Line(events.FingerprintOf(lines[i]))) > 0
	}
	if known {
		return s.file(ctx, commit, c, elsewhere)
	}
	added, id, err := c.Hunks(s.objects, lines)
	if err != nil {
		return Answer{}, nil //nolint:nilerr // a parent that is not here: nothing is known
	}
	f := &file{change: c, added: added, id: id}
	return f.answer(), nil
}

// gathered is a commit whose files come one by one.
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
