package stats

import (
	"github.com/git-trace/git-trace/correlate/belief"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/refs/gitdiff"
)

// side is the diff between a commit and one of its parents.
type side struct {
	parent  map[string][]span
	records []gitdiff.Record
	hunks   [][]gitdiff.Hunk
	at      map[string]int // index of a path's record
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

// `before` returns the lines of the parent's file. A file that is not known has only lines from before.
func (s *side) before(path string) []span {
	if spans, ok := s.parent[path]; ok {
		return spans
	}
	return []span{{endless, 0}}
}

// spans returns the lines of a file as the parent has them. Lines that the parent does not have get the id unborn.
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
		if until < done { // the type changed: the second section has the whole file
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

// merge joins the parents' lines of a file. A line belongs to the first parent that has it, otherwise to the commit.
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

// `joined` appends a span, and joins it with the last one if their ids are equal.
func joined(list []span, s span) []span {
	if last := len(list) - 1; last >= 0 && list[last].id == s.id {
		list[last].count += s.count
		return list
	}
	return append(list, s)
}

// cursor walks along the lines of a file.
type cursor struct {
	spans []span
	used  int // number of used lines of the first span
}

func (c *cursor) left() int {
	if len(c.spans) == 0 {
		return endless
	}
	return c.spans[0].count - c.used
}

// take returns the next n lines, or the lines that are left.
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

// fresh gives ids to the lines that a commit added to a file.
type fresh struct {
	lives  *lives
	commit *graph.Commit // nil if its lines do not count
	path   string
	runs   []belief.Run
	ids    map[string]int // ids by owner
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
