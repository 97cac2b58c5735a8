package belief

import (
	"slices"

	"github.com/git-trace/git-trace/events"
)

// book holds files by path, in the order in which they were added.
type book struct {
	Files []File
	at    map[string]int // nil while there are few files
}

// fewFiles is the number of files up to which a list is as fast as a map.
const fewFiles = 8

// find returns the index of a path; -1 if the book does not have it.
func (b *book) find(path string) int {
	if b.at == nil {
		return slices.IndexFunc(b.Files, func(f File) bool { return f.Path == path })
	}
	if at, found := b.at[path]; found {
		return at
	}
	return -1
}

// Runs returns the runs of a path. The path is raw bytes.
func (b *book) Runs(path string) []Run {
	if at := b.find(path); at >= 0 {
		return b.Files[at].Runs
	}
	return nil
}

// lay merges the runs of a file into the book.
func (b *book) lay(f File, take taking) {
	if at := b.find(f.Path); at >= 0 {
		b.Files[at].Runs = lay(b.Files[at].Runs, f.Runs, take)
		return
	}
	b.Files = append(b.Files, f)
	switch {
	case b.at != nil:
		b.at[f.Path] = len(b.Files) - 1
	case len(b.Files) > fewFiles:
		b.at = make(map[string]int, 2*len(b.Files))
		for i := range b.Files {
			b.at[b.Files[i].Path] = i
		}
	}
}

// word holds the claims of one voice about a commit.
type word struct {
	book
	first *events.Event // the first event of the voice
	added int
	whole bool  // hooks saw the commit: the anchor has all its lines
	heard []int // number of anchors that name each file
}

// mostAnchors limits the number of anchors of one log for a path: the time for each grows with the runs of the path.
const mostAnchors = 256

// hear adds the next anchor of the log.
func (w *word) hear(e *events.Event, data *events.CommitData) {
	w.whole = w.whole || originOf(e) == seen
	if data.Added <= MaxLine {
		w.added = max(w.added, data.Added)
	}
	for i := range data.Files {
		f, ok := fileOf(&data.Files[i], data.Owners, e)
		if ok && w.hears(f.Path) {
			w.lay(f, beats(later).take)
		}
	}
}

// hears counts one more anchor of a path, and reports whether it is within the bound.
func (w *word) hears(path string) bool {
	at := w.find(path)
	if at < 0 {
		w.heard = append(w.heard, 1)
		return true
	}
	w.heard[at]++
	return w.heard[at] <= mostAnchors
}

// `marked` cuts runs at the borders of others, and marks the pieces outside of them as Beyond.
func marked(runs, others []Run) []Run {
	var out []Run
	add := func(r Run, from, to int, beyond bool) {
		if from < to {
			r.Start, r.Count, r.Beyond = from, to-from, beyond
			out = append(out, r)
		}
	}
	for _, r := range runs {
		at := r.Start
		for len(others) > 0 && others[0].end() <= at {
			others = others[1:]
		}
		for _, o := range others {
			if o.Start >= r.end() {
				break
			}
			add(r, at, o.Start, true)
			add(r, max(at, o.Start), min(r.end(), o.end()), false)
			at = min(r.end(), o.end())
		}
		add(r, at, r.end(), true)
	}
	return out
}

// lay merges the runs `over` into the runs `under`, line by line. Both are sorted and have no line twice.
func lay(under, over []Run, take taking) []Run {
	out := make([]Run, 0, len(under)+len(over))
	add := func(r Run, from, to int) {
		if from >= to {
			return
		}
		if last := len(out) - 1; last >= 0 && out[last].end() == from && out[last].Owner == r.Owner &&
			out[last].Tier == r.Tier && out[last].Beyond == r.Beyond && slices.Equal(out[last].Disputed, r.Disputed) {
			out[last].Count += to - from
			return
		}
		r.Start, r.Count = from, to-from
		out = append(out, r)
	}
	at := 1 // the first line that is not decided yet
	for len(under) > 0 || len(over) > 0 {
		switch {
		case len(over) == 0 || len(under) > 0 && under[0].end() <= max(over[0].Start, at):
			add(under[0], max(under[0].Start, at), under[0].end())
			under = under[1:]
		case len(under) == 0 || over[0].end() <= max(under[0].Start, at):
			add(over[0], max(over[0].Start, at), over[0].end())
			over = over[1:]
		default:
			u, o := &under[0], &over[0]
			start, end := max(u.Start, o.Start, at), min(u.end(), o.end())
			add(*u, max(u.Start, at), start)
			add(*o, max(o.Start, at), start)
			if start < end {
				add(take(o, u), start, end)
			}
			at = max(start, end)
			if u.end() <= at {
				under = under[1:]
			}
			if o.end() <= at {
				over = over[1:]
			}
		}
	}
	return out
}
