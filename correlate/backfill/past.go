package backfill

import (
	"context"
	"fmt"
	"hash/maphash"
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
	history.Commit // without files
	files          []pastFile
}

type pastFile struct {
	place, old int32 // numbers of the path, and of its name before a rename
	path       string
	blob       refs.OID
	hunks      []pastHunk
}

type pastHunk struct {
	start   int // first of the added lines, from 1
	added   []print
	exact   []uint64 // hashes of the added lines with white space
	removed []print
}

// seed is the seed of the hashes of lines. Hashes are comparable within one run only.
type seed struct{ maphash.Seed }

func (s seed) of(line []byte) uint64 { return maphash.Bytes(s.Seed, line) }

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

// readPast walks the history once.
func (f *finder) readPast(ctx context.Context, repo *refs.Repo, list []history.Commit,
	progress func(done, total int)) error {
	f.pasts = make([]past, 0, len(list))
	err := history.Walk(ctx, repo, list, func(c *history.Commit) error {
		if len(c.Unread) > 0 {
			f.unread = append(f.unread, history.Commit{ID: c.ID, Unread: c.Unread})
		}
		p := past{Commit: *c}
		p.Files = nil
		for i := range c.Files {
			file := &c.Files[i]
			if file.NewMode == refs.ModeGitlink {
				continue
			}
			out := pastFile{place: f.place(file.Path), path: file.Path, blob: file.New}
			out.old = out.place
			if file.OldPath != file.Path {
				out.old = f.place(file.OldPath)
				f.joined[f.group(out.old)] = f.group(out.place)
			}
			out.hunks = make([]pastHunk, len(file.Hunks))
			for h := range file.Hunks {
				out.hunks[h] = f.hunk(&file.Hunks[h])
			}
			p.files = append(p.files, out)
		}
		f.pasts = append(f.pasts, p)
		f.number[c.ID] = int32(len(f.pasts))
		if c.Committed.After(f.last) {
			f.last = c.Committed
		}
		progress(len(f.pasts), len(list))
		return nil
	})
	if err != nil {
		return fmt.Errorf("read history: %w", err)
	}
	for i := range f.pasts {
		at := f.pasts[i].earlier()
		for _, file := range f.pasts[i].files {
			f.committed[file.blob] = true
			place := f.group(file.place)
			f.versions[place] = append(f.versions[place], version{file.blob, at, f.pasts[i].Committed})
		}
	}
	return nil
}

func (f *finder) hunk(h *history.Hunk) pastHunk {
	n := len(h.Added)
	prints := make([]print, n+len(h.Removed))
	out := pastHunk{start: h.NewStart, added: prints[:n:n], exact: make([]uint64, n), removed: prints[n:]}
	for i, line := range h.Added {
		out.added[i], out.exact[i] = fingerprint(line), f.seed.of(line)
	}
	for i, line := range h.Removed {
		out.removed[i] = fingerprint(line)
	}
	return out
}

// isAncestor reports whether commit a is an ancestor of commit b, or the same. Both are numbers from 1.
func (f *finder) isAncestor(a, b int32) bool {
	if a >= b || f.linear(a, b) {
		return a <= b && (a == b || f.linear(a, b))
	}
	return f.reach.has(f, a, b)
}

// reach holds the known ancestors of commits. In the list parents come before their children.
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
