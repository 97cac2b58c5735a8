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
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/gitdiff"
)

// Ages are the days after which it is looked whether lines are alive.
var Ages = [...]int{1, 7, 30, 90}

// Alive are lines and how many of them lived, by age. Of lines that are younger than an age nothing is known for it.
type Alive [len(Ages)]struct{ Written, Alive int }

// ErrManyTips is of a query whose history ends in several commits.
var ErrManyTips = errors.New("survival is told of one history, and these revisions have several ends")

// Survival tells of the lines of commits how many lived, group by group. A line's life begins with the commit of the
// first-parent history that brought it, whoever wrote it on whichever branch. It ends with the commit in which it is no
// longer there. The last commit of the history ends what is known, and so does one that git cannot read whole: the
// repository's [refs.LeftOut] names it.
//
// Lines that never reached this history have no part in it. A line that is moved within its file, or that is changed,
// ends, as git's diff says; a renamed file takes its lines along. With paths, lines count that were written in them,
// wherever they are now.
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

// Life are lines of one contributor in one file of a commit. They reached the first-parent history together, and left
// it together or are still there.
type Life struct {
	Commit *graph.Commit
	Who    *graph.Contributor // without its lines
	Path   string             // in which they were written
	Lines  int
	Born   time.Time // of the commit that brought them to the first-parent history
	Gone   time.Time // of the one that took them away; zero for lines that are there
	GoneBy refs.OID
	End    time.Time // of the last commit of which it is known whether they are there
}

// Lives yields the lives of the lines of commits, as Survival counts them.
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
	ctx      context.Context // that of one walk
	repo     *refs.Repo
	from     Source
	chosen   map[refs.OID]*graph.Commit // whose lines count
	main     map[refs.OID]bool          // the first-parent history
	end      time.Time
	states   map[refs.OID]map[string][]span // of commits that have children to come
	children map[refs.OID]int               // how many of them
	births   []birth                        // the first has id 1
	known    []*belief.Commit               // the owners of one batch of the history
	batch    int
}

// birth are lines of one contributor, commit and file.
type birth struct {
	commit   *graph.Commit
	who      *graph.Contributor
	path     string
	arrivals []arrival
}

// arrival are lines that reached the first-parent history at one time, with those that left it.
type arrival struct {
	at    time.Time
	lines int
	left  int
	gone  []gone
	end   time.Time // where it is not known what became of them; else zero
}

type gone struct {
	at    time.Time
	by    refs.OID
	lines int
}

// span are lines that stand together, and the id of their birth. Id 0 is of lines that were there before, or do not
// count.
type span struct{ count, id int }

const (
	unborn = -1
	// endless is the length of the last span of every file: how long a file is that was there before, nobody asks.
	endless = 1 << 30
)

// read goes through the history, parents before children.
func (l *lives) read(list []history.Commit) error {
	var lines []string
	var at []int // of a line, the place of its commit
	for i := range list {
		for _, p := range list[i].Parents {
			lines, at = append(lines, list[i].ID.String()+" "+p.String()), append(at, i)
		}
		if len(list[i].Parents) == 0 {
			lines, at = append(lines, list[i].ID.String()), append(at, i)
		}
	}
	var sides []*side // of the commit that is read
	of, next := -1, 0 // its place, and the one behind the last that was read whole
	args := append([]string{"--root"}, gitdiff.Patch()...)
	skipped, err := gitdiff.Each(l.ctx, l.repo, args, lines, func(line int, r *gitdiff.Reader) (func() error, error) {
		r.MaxLine = 1 << 10 // nothing is asked of what the lines say
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

// lose goes over commits that git cannot read whole. What becomes of the lines that are there is not known from then
// on.
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

// survivalBatch is how many commits are asked for their owners at once.
const survivalBatch = 500

func (l *lives) owners(list []history.Commit) ([]*belief.Commit, error) {
	ids := make([]refs.OID, len(list))
	for i := range list {
		ids[i] = list[i].ID
	}
	return belief.All(l.ctx, l.from.Log, l.from.Searcher, ids)
}

// commit makes the state of a commit from those of its parents, and tells the first-parent history of it.
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
	// The state takes the place of the first parent's, where nobody needs that any more.
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

// count tells the first-parent history which lines a commit brought, and which it took away.
func (l *lives) count(c *history.Commit, first *side, next map[string][]span) {
	change := map[int]int{} // by the id of lines
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
			b.arrivals = append(b.arrivals, arrival{at: c.Committed, lines: n, left: n})
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

// give tells each life: of lines that left together one, and one of those that are there.
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

// side is what a commit changed against one parent.
type side struct {
	parent  map[string][]span
	records []gitdiff.Record
	hunks   [][]gitdiff.Hunk
	at      map[string]int // the record of a path
}

func (s *side) read(r *gitdiff.Reader) (err error) {
	if s.records, err = r.Records(); err != nil {
		return err
	}
	s.hunks = make([][]gitdiff.Hunk, len(s.records))
	for i := range s.records {
		s.at[s.records[i].Path] = i
	}
	return r.Patch(s.records, s)
}

func (s *side) Hunk(record int, h gitdiff.Hunk) { s.hunks[record] = append(s.hunks[record], h) }
func (s *side) Removed([]byte)                  {}
func (s *side) Added([]byte)                    {}

// before is what the parent's file held. Of a file that nobody has seen yet, lines that were there before.
func (s *side) before(path string) []span {
	if spans, ok := s.parent[path]; ok {
		return spans
	}
	return []span{{endless, 0}}
}

// spans returns the lines of a file as far as the parent has them; the others are of id unborn.
func (s *side) spans(path string) []span {
	i, changed := s.at[path]
	if !changed {
		return s.before(path)
	}
	old := cursor{spans: []span{{endless, 0}}}
	if s.records[i].OldMode != 0 {
		old.spans = s.before(s.records[i].OldPath)
	}
	var out []span
	done := 0
	for _, h := range s.hunks[i] {
		until := h.OldStart
		if h.OldCount > 0 {
			until--
		}
		if until < done { // of another type now: the second section has all of it
			out, done, old = nil, 0, cursor{spans: []span{{endless, 0}}}
		}
		out = append(out, old.take(until-done)...)
		old.take(h.OldCount)
		done = until + h.OldCount
		if h.NewCount > 0 {
			out = append(out, span{h.NewCount, unborn})
		}
	}
	return append(out, old.take(endless)...)
}

// merge puts together what the parents have of a file: a line is the first's that has it, and else the commit's own.
func merge(sides []*side, own *fresh) []span {
	cursors := make([]cursor, len(sides))
	for i, s := range sides {
		cursors[i].spans = s.spans(own.path)
	}
	var out []span
	for line := 1; ; {
		count := endless
		for i := range cursors {
			count = min(count, cursors[i].left())
		}
		if count >= endless/2 {
			return append(out, span{endless, 0})
		}
		id := unborn
		for i := range cursors {
			if here := cursors[i].take(count)[0].id; id == unborn {
				id = here
			}
		}
		if id == unborn {
			for _, s := range own.lines(line, count) {
				out = joined(out, s)
			}
		} else {
			out = joined(out, span{count, id})
		}
		line += count
	}
}

// joined appends lines to those before them.
func joined(list []span, s span) []span {
	if last := len(list) - 1; last >= 0 && list[last].id == s.id {
		list[last].count += s.count
		return list
	}
	return append(list, s)
}

// cursor goes along the lines of a file.
type cursor struct {
	spans []span
	used  int // of the first
}

func (c *cursor) left() int {
	if len(c.spans) == 0 {
		return endless
	}
	return c.spans[0].count - c.used
}

// take goes on by so many lines, or to the end, and gives them.
func (c *cursor) take(n int) []span {
	var out []span
	for n > 0 && len(c.spans) > 0 {
		took := min(n, c.left())
		out = append(out, span{took, c.spans[0].id})
		n, c.used = n-took, c.used+took
		if c.left() == 0 {
			c.spans, c.used = c.spans[1:], 0
		}
	}
	return out
}

// fresh gives ids to the lines of a file that a commit made.
type fresh struct {
	lives  *lives
	commit *graph.Commit // nil where its lines do not count
	path   string
	runs   []belief.Run
	ids    map[string]int // by who
}

func (f *fresh) lines(start, count int) []span {
	if f.commit == nil {
		return []span{{count, 0}}
	}
	if _, named := f.commit.Within[f.path]; !named && f.commit.Within != nil {
		return []span{{count, 0}}
	}
	var out []span
	for end := start + count; start < end; {
		for len(f.runs) > 0 && f.runs[0].Start+f.runs[0].Count <= start {
			f.runs = f.runs[1:]
		}
		owner, until := events.AnchorOwner{Kind: events.OwnerUnknown}, end
		if len(f.runs) > 0 {
			if r := &f.runs[0]; r.Start > start {
				until = min(end, r.Start)
			} else {
				until = min(end, r.Start+r.Count)
				if !r.Beyond {
					owner = *r.Owner
				}
			}
		}
		out = append(out, span{until - start, f.id(&owner)})
		start = until
	}
	return out
}

func (f *fresh) id(owner *events.AnchorOwner) int {
	who := graph.ContributorOf(owner)
	if !who.Kind.Known() {
		who.Kind = f.commit.Nobody
	}
	key := who.Key()
	if f.ids[key] == 0 {
		if f.ids == nil {
			f.ids = map[string]int{}
		}
		f.lives.births = append(f.lives.births, birth{commit: f.commit, who: &who, path: f.path})
		f.ids[key] = len(f.lives.births)
	}
	return f.ids[key]
}
