package stats

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/git-trace/git-trace/correlate/belief"
	"github.com/git-trace/git-trace/correlate/history"
	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/gitdiff"
)

// Ages lists the ages in days at which lines are counted as alive or gone.
var Ages = [...]int{1, 7, 30, 90}

// Alive holds, for each age, the number of lines that reached it, and how many of them were alive. Younger lines do not
// count for the age.
type Alive [len(Ages)]struct{ Written, Alive int }

// ErrManyTips means that the revisions of a query have several tips.
var ErrManyTips = errors.New("survival needs one history, and these revisions have several tips")

// Survival counts how many lines of commits were alive at each age, by group. A line's life begins when a commit brings
// it into the first-parent history, on whatever branch it was written. It ends with the commit that removes it. Its
// fate is unknown after the last commit of the history, and after a commit that git cannot read completely
// ([refs.LeftOut] lists it).
//
// Lines that never reached this history do not count. As in git's diff, moving a line within its file, or changing it,
// ends its life. Renaming the file does not end it. With paths, a line counts if it was written below them, wherever it
// is now.
func Survival(ctx context.Context, repo *refs.Repo, from Source, query graph.Query, commits []*graph.Commit,
	groups *Groups) error {
	return Lives(ctx, repo, from, query, commits, func(l *Life) error {
		group := groups.Group(l.Commit, l.Who, l.Path)
		for i, days := range Ages {
			age := time.Duration(days) * 24 * time.Hour
			if l.Born.Add(age).After(l.End) {
				continue
			}
			group.Alive[i].Written += l.Lines
			if l.Gone.IsZero() || l.Gone.Sub(l.Born) > age {
				group.Alive[i].Alive += l.Lines
			}
		}
		return nil
	})
}

// Life is a set of lines of one contributor in one file of a commit. They reached the first-parent history together,
// and left it together, or are still there.
type Life struct {
	Commit *graph.Commit
	Who    *graph.Contributor // without Lines
	Path   string             // the file in which they were written
	Lines  int
	Born   time.Time // time of the commit that brought them to the first-parent history
	Gone   time.Time // time of the commit that removed them; zero if they are alive
	GoneBy refs.OID
	End    time.Time // time of the last commit at which their fate is known
}

// Lives yields the lives that Survival counts.
func Lives(ctx context.Context, repo *refs.Repo, from Source, query graph.Query, commits []*graph.Commit,
	yield func(*Life) error) error {
	args := slices.Clone(query.Revs)
	if len(args) == 0 {
		args = []string{"HEAD"}
	}
	list, err := history.List(ctx, repo, append(args, "--")...)
	if err != nil || len(list) == 0 {
		return err
	}
	l := &lives{ctx: ctx, repo: repo, from: from, chosen: map[refs.OID]*graph.Commit{},
		states: map[refs.OID]map[string][]span{}, main: map[refs.OID]bool{}}
	for _, c := range commits {
		l.chosen[c.ID] = c
	}
	byID, children := map[refs.OID]*history.Commit{}, map[refs.OID]int{}
	for i := range list {
		byID[list[i].ID] = &list[i]
		for _, p := range list[i].Parents {
			children[p]++
		}
	}
	last := &list[len(list)-1]
	for i := range list {
		if c := &list[i]; children[c.ID] == 0 && c != last {
			return ErrManyTips
		}
	}
	for c := last; c != nil; {
		l.main[c.ID] = true
		if len(c.Parents) == 0 {
			break
		}
		c = byID[c.Parents[0]]
	}
	l.children, l.end = children, last.Committed
	if err := l.read(list); err != nil {
		return fmt.Errorf("survival: %w", err)
	}
	return l.give(yield)
}

// lives follows lines from commit to commit.
type lives struct {
	ctx      context.Context // the context of one walk
	repo     *refs.Repo
	from     Source
	chosen   map[refs.OID]*graph.Commit // commits whose lines count
	main     map[refs.OID]bool          // the first-parent history
	end      time.Time
	states   map[refs.OID]map[string][]span // lines of commits whose children are still to come
	children map[refs.OID]int               // number of such children
	births   []birth                        // the first has id 1
	known    []*belief.Commit               // owners for one batch of the history
	batch    int
}

// birth holds the lines of one contributor, commit and file.
type birth struct {
	commit   *graph.Commit
	who      *graph.Contributor
	path     string
	arrivals []arrival
}

// arrival holds lines that reached the first-parent history together, and their removals.
type arrival struct {
	at   time.Time
	left int
	gone []gone
	end  time.Time // end of the known history if their fate is unknown; otherwise zero
}

type gone struct {
	at    time.Time
	by    refs.OID
	lines int
}

// span is a run of consecutive lines with the id of their birth. Id 0 means lines that existed before, or that do not
// count.
type span struct{ count, id int }

const (
	unborn = -1
	// endless is the length of each file's last span: the real length of an old file is not needed.
	endless = 1 << 30
)

// read walks the history, parents before children.
func (l *lives) read(list []history.Commit) error {
	var lines []string
	var at []int // for each line of output, the index of its commit
	for i := range list {
		for _, p := range list[i].Parents {
			lines, at = append(lines, list[i].ID.String()+" "+p.String()), append(at, i)
		}
		if len(list[i].Parents) == 0 {
			lines, at = append(lines, list[i].ID.String()), append(at, i)
		}
	}
	var sides []*side // sides of the present commit
	of, next := -1, 0 // index of the present commit, and the index after the last commit that was read completely
	args := append([]string{"--root"}, gitdiff.Patch()...)
	skipped, err := gitdiff.Each(l.ctx, l.repo, args, lines, func(line int, r *gitdiff.Reader) (func() error, error) {
		r.MaxLine = 1 << 10 // the texts of lines are not needed
		s, i := &side{at: map[string]int{}}, at[line]
		err := s.read(r)
		return func() error {
			if i != of {
				of, sides = i, nil
			}
			if sides = append(sides, s); len(sides) < max(len(list[i].Parents), 1) {
				return nil
			}
			l.lose(list[next:i])
			next = i + 1
			return l.commit(list, i, sides)
		}, err
	})
	if err != nil {
		return err
	}
	l.lose(list[next:])
	for _, line := range skipped {
		l.repo.LeftOut.Note(list[at[line]].ID)
	}
	return nil
}

// lose skips commits that git cannot read completely. From there on, the fate of the present lines is unknown.
func (l *lives) lose(commits []history.Commit) {
	for i := range commits {
		if !l.main[commits[i].ID] {
			continue
		}
		for b := range l.births {
			for k := range l.births[b].arrivals {
				if a := &l.births[b].arrivals[k]; a.left > 0 && a.end.IsZero() {
					a.end = commits[i].Committed
				}
			}
		}
	}
}

// survivalBatch is the number of commits whose owners are searched at once.
const survivalBatch = 500

func (l *lives) owners(list []history.Commit) ([]*belief.Commit, error) {
	ids := make([]refs.OID, len(list))
	for i := range list {
		ids[i] = list[i].ID
	}
	return belief.All(l.ctx, l.from.Log, l.from.Searcher, ids)
}

// commit computes the lines of a commit from the lines of its parents. For a commit of the first-parent history it also
// counts the changes.
func (l *lives) commit(list []history.Commit, at int, sides []*side) error {
	if batch := at / survivalBatch; l.known == nil || batch != l.batch {
		until := min((batch+1)*survivalBatch, len(list))
		known, err := l.owners(list[batch*survivalBatch : until])
		if err != nil {
			return err
		}
		l.known, l.batch = known, batch
	}
	c, known := &list[at], l.known[at%survivalBatch]
	for k, s := range sides {
		if s.parent = map[string][]span{}; k < len(c.Parents) && l.states[c.Parents[k]] != nil {
			s.parent = l.states[c.Parents[k]]
		}
	}
	first := sides[0]
	next := make(map[string][]span, len(first.records))
	for _, record := range first.records {
		if record.NewMode != 0 {
			own := &fresh{lives: l, commit: l.chosen[c.ID], path: record.Path, runs: known.Runs(record.Path)}
			next[record.Path] = merge(sides, own)
		}
	}
	if l.main[c.ID] {
		l.count(c, first, next)
	}
	// The map of the first parent is reused if nothing needs it any more.
	own := first.parent
	for k, p := range c.Parents {
		if l.children[p]--; l.children[p] == 0 {
			delete(l.states, p)
		} else if k == 0 {
			own = maps.Clone(own)
		}
	}
	for _, record := range first.records {
		if record.OldMode != 0 {
			delete(own, record.OldPath)
		}
	}
	maps.Copy(own, next)
	if l.children[c.ID] > 0 {
		l.states[c.ID] = own
	}
	if l.from.Tell != nil {
		l.from.Tell(at+1, len(list))
	}
	return nil
}

// `count` notes the lines that a commit added to the first-parent history, and those that it removed.
func (l *lives) count(c *history.Commit, first *side, next map[string][]span) {
	change := map[int]int{} // change in the number of lines, by id of birth
	for _, record := range first.records {
		if record.OldMode != 0 {
			for _, s := range first.before(record.OldPath) {
				change[s.id] -= s.count
			}
		}
	}
	for _, spans := range next {
		for _, s := range spans {
			change[s.id] += s.count
		}
	}
	for id, n := range change {
		if id <= 0 {
			continue
		}
		b := &l.births[id-1]
		if n > 0 {
			b.arrivals = append(b.arrivals, arrival{at: c.Committed, left: n})
		}
		for i := 0; n < 0 && i < len(b.arrivals); i++ {
			a := &b.arrivals[i]
			if took := min(-n, a.left); took > 0 {
				a.gone = append(a.gone, gone{c.Committed, c.ID, took})
				a.left, n = a.left-took, n+took
			}
		}
	}
}

// give yields the lives: one for the lines that were removed together, and one for the lines that are alive.
func (l *lives) give(yield func(*Life) error) error {
	for i := range l.births {
		b := &l.births[i]
		for _, a := range b.arrivals {
			one := Life{Commit: b.commit, Who: b.who, Path: b.path, Born: a.at, End: l.end}
			for _, g := range a.gone {
				one.Lines, one.Gone, one.GoneBy = g.lines, g.at, g.by
				if err := yield(&one); err != nil {
					return err
				}
			}
			if !a.end.IsZero() {
				one.End = a.end
			}
			if one.Lines, one.Gone, one.GoneBy = a.left, (time.Time{}), (refs.OID{}); a.left == 0 {
				continue
			}
			if err := yield(&one); err != nil {
				return err
			}
		}
	}
	return nil
}
