package backfill

import (
	"cmp"
	"context"
	"hash/maphash"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/git-trace/git-trace/correlate/history"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/vector"
)

// `earlier` returns the earlier of the two dates of a commit: an amended or rebased commit keeps the author's date.
func (p *past) earlier() time.Time {
	if p.Authored.Before(p.Committed) && !p.Authored.IsZero() {
		return p.Authored
	}
	return p.Committed
}

// timing is the order in time of an edit and a commit.
type timing int

const (
	inTime  timing = iota
	between        // between the two dates of the commit: it was amended with the edit, or only rebased after it
	after          // the edit was made after the commit
)

// timing compares the time of an edit with the dates of the commit. The clocks may differ a little.
func (p *past) timing(e *placed) timing {
	switch {
	case e.late || e.Time.IsZero():
		return inTime
	case e.Time.After(p.Committed.Add(slack)):
		return after
	case e.Time.After(p.earlier().Add(slack)):
		return between
	}
	return inTime
}

// past holds a commit in memory, with fingerprints instead of lines.
type past struct {
	*history.Commit // without files
	files           []pastFile
}

type pastFile struct {
	place, old  int32 // numbers of the path, and of its name before a rename
	first, last int32 // its hunks; last is the first one after them
	blob        refs.OID
	*pastLines
}

// pastLines holds the changed lines of all files of a commit. A long history has millions of hunks, so a hunk costs
// only the places of its lines.
type pastLines struct {
	spans          []span // the last one only ends the hunk before it
	added, removed []print
	exact          []uint32 // hashes of the added lines with white space
}

// span is the place of a hunk's lines.
type span struct {
	start          int32 // first of the added lines in the file, from 1
	added, removed int32 // index of the first line
}

// pastHunk is a hunk of a commit.
type pastHunk struct {
	start          int // first of the added lines, from 1
	added, removed []print
	exact          []uint32
}

// hunks yields the hunks of the file.
func (file *pastFile) hunks() iter.Seq2[int, pastHunk] {
	return func(yield func(int, pastHunk) bool) {
		for h := range int(file.last - file.first) {
			if !yield(h, file.hunk(h)) {
				return
			}
		}
	}
}

func (file *pastFile) hunk(h int) pastHunk {
	from, to := file.spans[int(file.first)+h], file.spans[int(file.first)+h+1]
	return pastHunk{int(from.start), file.added[from.added:to.added], file.removed[from.removed:to.removed],
		file.exact[from.added:to.added]}
}

// seed is the seed of the hashes of lines. Hashes are comparable within one run only.
type seed struct{ maphash.Seed }

func (s seed) of(line []byte) uint32 { return uint32(maphash.Bytes(s.Seed, line)) }

// fingerprint returns equal values for lines that differ only in their form.
func fingerprint(line []byte) (p print) {
	said, ok := vector.Said(line)
	if !ok {
		return events.FingerprintOf(line)
	}
	for i := range p {
		p[i] = byte(said >> (8 * i))
	}
	return p
}

// place returns the number of a path.
func (f *finder) place(path string) int32 {
	n, known := f.places[path]
	if !known {
		n = int32(len(f.places))
		f.places[path] = n
		f.names = append(f.names, path)
		f.joined = append(f.joined, n)
	}
	return n
}

// group returns the number that all names of a renamed file share.
func (f *finder) group(place int32) int32 {
	for f.joined[place] != place {
		f.joined[place] = f.joined[f.joined[place]]
		place = f.joined[place]
	}
	return place
}

// mostOlder is the number of commits before the first edit whose lines count, the newest ones.
const mostOlder = 5000

// splitPast divides the commits into ones whose lines count and the others, by their indexes. A commit before all edits
// has no line of an edit. Its lines only show which lines are common, and mostOlder commits are enough for that.
func (f *finder) splitPast(list []history.Commit, sessions []Session) (near, far []int) {
	var first time.Time
	named := map[refs.OID]bool{}
	all := false
	for i := range sessions {
		s := &sessions[i]
		all = all || f.isLate(s)
		for _, id := range slices.Concat(s.Made, slices.Collect(maps.Values(s.Only))) {
			if commit, ok := f.options.Commit(id); ok {
				named[commit] = true
			}
		}
		for j := range s.Edits {
			at := s.Edits[j].Time
			if all = all || at.IsZero(); first.IsZero() || at.Before(first) {
				first = at
			}
		}
	}
	var dates []time.Time
	for i := range list {
		if !all && !named[list[i].ID] && list[i].Committed.Before(first.Add(-slack)) {
			far = append(far, i)
			dates = append(dates, list[i].Committed)
		} else {
			near = append(near, i)
		}
	}
	if older := cmp.Or(f.options.older, mostOlder); len(far) > older {
		slices.SortFunc(dates, func(a, b time.Time) int { return b.Compare(a) })
		first = dates[older]
	} else {
		first = time.Time{}
	}
	far = slices.DeleteFunc(far, func(i int) bool {
		counts := list[i].Committed.After(first)
		if counts {
			near = append(near, i)
		}
		return counts
	})
	slices.Sort(near)
	return near, far
}

// readPast walks the history once.
func (f *finder) readPast(ctx context.Context, repo *refs.Repo, list []history.Commit, sessions []Session,
	progress func(done, total int)) error {
	f.pasts = make([]past, len(list))
	for i := range list {
		f.pasts[i].Commit = &list[i]
		f.number[list[i].ID] = int32(i + 1)
		if list[i].Committed.After(f.last) {
			f.last = list[i].Committed
		}
	}
	near, far := f.splitPast(list, sessions)
	done := 0
	read := func(walk walk, which []int, pass func(*history.Commit) error) error {
		some := make([]history.Commit, 0, len(which))
		for _, i := range which {
			some = append(some, list[i])
		}
		return walk(ctx, repo, some, func(c *history.Commit) error {
			f.take(c)
			done++
			progress(done, len(list))
			if pass == nil {
				return nil
			}
			return pass(c)
		})
	}
	if err := read(history.WalkNames, far, nil); err != nil {
		return err
	}
	return read(history.Walk, near, f.options.Read)
}

type walk func(context.Context, *refs.Repo, []history.Commit, func(*history.Commit) error) error

// take keeps the files of a commit.
func (f *finder) take(c *history.Commit) {
	if len(c.Unread) > 0 {
		f.unread = append(f.unread, history.Commit{ID: c.ID, Unread: c.Unread})
	}
	p := &f.pasts[f.number[c.ID]-1]
	lines := newLines(c)
	for i := range c.Files {
		file := &c.Files[i]
		if file.NewMode == refs.ModeGitlink {
			continue
		}
		out := pastFile{place: f.place(file.Path), blob: file.New, pastLines: lines, first: int32(len(lines.spans))}
		out.old = out.place
		if file.OldPath != file.Path {
			out.old = f.place(file.OldPath)
			f.joined[f.group(out.old)] = f.group(out.place)
		}
		for h := range file.Hunks {
			f.keep(lines, &file.Hunks[h])
		}
		out.last = int32(len(lines.spans))
		p.files = append(p.files, out)
	}
	lines.end(0)
}

// list lists the contents of the history, and the versions of the files that edits name.
func (f *finder) list(edits map[int32][]*placed) {
	for i := range f.pasts {
		p := &f.pasts[i]
		for j := range p.files {
			file := &p.files[j]
			f.committed[file.blob] = true
			if place := f.group(file.place); edits[place] != nil {
				f.versions[place] = append(f.versions[place], version{file, p})
			}
		}
	}
}

// newLines allocates the memory for the lines of a commit.
func newLines(c *history.Commit) *pastLines {
	hunks, added, removed := 1, 0, 0
	for i := range c.Files {
		hunks += len(c.Files[i].Hunks)
		for _, h := range c.Files[i].Hunks {
			added, removed = added+len(h.Added), removed+len(h.Removed)
		}
	}
	return &pastLines{make([]span, 0, hunks), make([]print, 0, added), make([]print, 0, removed), make([]uint32, 0, added)}
}

// `end` ends the last hunk. The next one, if any, begins at a line of its file.
func (l *pastLines) end(start int) {
	l.spans = append(l.spans, span{int32(start), int32(len(l.added)), int32(len(l.removed))})
}

func (f *finder) keep(to *pastLines, h *history.Hunk) {
	to.end(h.NewStart)
	for _, line := range h.Added {
		to.added, to.exact = append(to.added, fingerprint(line)), append(to.exact, f.seed.of(line))
	}
	for _, line := range h.Removed {
		to.removed = append(to.removed, fingerprint(line))
	}
}

// isAncestor reports whether commit a is an ancestor of commit b, or the same. Both are numbers from 1.
func (f *finder) isAncestor(a, b int32) bool {
	if a >= b || f.linear(a, b) {
		return a <= b && (a == b || f.linear(a, b))
	}
	return f.reach.has(f, a, b)
}

// `reach` holds the known ancestors of commits. In the list parents come before their children.
type reach struct {
	of, down int32
	marks    []int32 // the last searched commit that has this one as an ancestor, by number
}

func (r *reach) has(f *finder, a, b int32) bool {
	if r.of != b {
		r.of, r.down = b, b
		if r.marks == nil {
			r.marks = make([]int32, len(f.pasts)+1)
		}
		clear(r.marks)
		r.marks[b] = b
	}
	for ; r.down > a; r.down-- {
		if r.marks[r.down] != b {
			continue
		}
		for _, parent := range f.pasts[r.down-1].Parents {
			if n := f.number[parent]; n > 0 {
				r.marks[n] = b
			}
		}
	}
	return r.marks[a] == b
}

// `linear` reports whether every commit after a, up to b, has a single parent: the commit before it in the list.
func (f *finder) linear(a, b int32) bool { return f.straight[b-1] <= a }

// straighten notes for each commit the first commit from which a straight line of the list leads to it (see linear).
func (f *finder) straighten() {
	f.straight = make([]int32, len(f.pasts))
	for i := range f.pasts {
		f.straight[i] = int32(i + 1)
		if parents := f.pasts[i].Parents; len(parents) == 1 && i > 0 && f.number[parents[0]] == int32(i) {
			f.straight[i] = f.straight[i-1]
		}
	}
}

// slack is the allowed difference between the clocks of two machines.
const slack = 10 * time.Minute
