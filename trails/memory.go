package trails

import (
	"context"
	"slices"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/gitfacts"
	"github.com/git-trace/git-trace/trails/ledger"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/moment"
	"github.com/git-trace/git-trace/trails/origin"
	"github.com/git-trace/git-trace/trails/rename"
	"github.com/git-trace/git-trace/trails/vector"
)

// Recall gives the memory of the repository's timelines about contents, for readers who come long after a commit. It
// takes no lock and writes nothing. It is for one goroutine.
type Recall struct {
	repo    *refs.Repo
	objects *refs.Objects
	facts   gitfacts.Reader
	known   *ledger.Known
	owners  *ledger.Owners
	texts   map[refs.OID]origin.Text
	patches map[*byte][]events.PatchID // of a record, by where it lies
}

// NewRecall returns the remembered contents and owners. Nothing is read before it is needed.
func NewRecall(repo *refs.Repo, objects *refs.Objects) *Recall {
	return &Recall{
		repo: repo, objects: objects, facts: gitfacts.NewGit(context.Background(), repo, objects),
		known: ledger.NewKnown(repo).Frozen(), owners: ledger.NewOwners(repo),
		texts: map[refs.OID]origin.Text{}, patches: map[*byte][]events.PatchID{},
	}
}

// Remembers reports whether any content of a path is remembered.
func (r *Recall) Remembers(path string) bool { return len(r.Blobs(path, 1)) > 0 }

// Blobs lists the contents of a path that are remembered, the last one first, at most limit.
func (r *Recall) Blobs(path string, limit int) []refs.OID { return r.known.Blobs(path, limit) }

// View returns the view that a commit hook has, except that nothing is known of the work tree at that moment.
// Believe reports whether a patch can have had a part in the commit. A content with a line of any other patch is
// younger, and is left out. Additions to the view's Known are lost with the view.
func (r *Recall) View(believe func(events.PatchID) bool) *View {
	known := r.known.Only(func(one *ledger.Record) bool {
		return !slices.ContainsFunc(r.patchesOf(one), func(id events.PatchID) bool { return !believe(id) })
	})
	m := &memory{r, known}
	ask := &origin.Case{Memory: known, Git: r.facts, Read: m.text, Latest: m.nearest}
	work := &origin.Work{Work: gitfacts.Between(r.repo, r.facts, gitfacts.Mark{}, gitfacts.Mark{})}
	return &View{
		Known: known, Owners: r.owners, Objects: r.objects, Blob: r.objects.Blob,
		Unseen: func(string, []byte) vector.Owner { return vector.Unknown },
		question: func(c Committed) *origin.Query {
			q := c.question(ask, work)
			q.Moment = moment.LongAfter
			return q
		},
	}
}

// patchesOf returns the patches of the lines of a content.
func (r *Recall) patchesOf(one *ledger.Record) []events.PatchID {
	if len(one.Raw) == 0 {
		return nil
	}
	list, done := r.patches[&one.Raw[0]]
	if !done {
		v, _ := vector.Decode(one.Raw) // what cannot be read has no owners either
		for _, run := range v.Runs() {
			if run.Owner.Patch != "" && !slices.Contains(list, run.Owner.Patch) {
				list = append(list, run.Owner.Patch)
			}
		}
		r.patches[&one.Raw[0]] = list
	}
	return list
}

// memory compares contents with the remembered ones.
type memory struct {
	*Recall
	known *ledger.Known // of it, what is believed
}

// nearest returns the remembered content that has most in common with a content, in its order. What was committed in
// part was most likely cut out of it. Of equals the last one counts. One that has less than half of it is faint. It is
// not where it is as much like it as a renamed file must be.
func (m *memory) nearest(path string, lines [][]byte) (origin.Candidate, bool) {
	want, size := rename.Count(lines), 0
	for key, n := range want {
		size += n * len(key)
	}
	best, most := origin.Candidate{}, 0
	left, inWords := origin.MaxEarlier, maxInWords
	for _, name := range append([]string{path}, m.known.Names(path)...) {
		blobs := m.known.Blobs(name, left)
		left -= len(blobs)
		for _, blob := range blobs {
			t, err := m.text(blob)
			if err != nil || t.Whole || most == size {
				continue
			}
			if inWords--; inWords < 0 && atMostInCommon(want, t.Lines) <= most {
				continue
			}
			if n := inCommon(lines, t.Lines); n > most {
				trust := origin.Near
				if 2*n < size && rename.Alike(want, len(lines), rename.Count(t.Lines), len(t.Lines)) == 0 {
					trust = origin.Faint
				}
				best, most = origin.Candidate{Path: name, Blob: blob, Trust: trust}, n
			}
		}
	}
	return best, most > 0
}

// maxInWords bounds the contents that are compared although they may have no line of the content in question: a
// formatter may have rewritten it.
const maxInWords = 4

// inCommon counts the characters of the lines that both have in the same order, in whatever form. A line that stands
// elsewhere says little: any content of a path may have a `return nil`.
func inCommon(lines, other [][]byte) int {
	n := 0
	for line, from := range vector.Matches(vector.Content{Lines: other}, lines) {
		if from.Why != vector.Written {
			n += len(linediff.StripSpace(lines[line]))
		}
	}
	return n
}

// atMostInCommon counts the characters of the lines that both have, in any order.
func atMostInCommon(want map[string]int, lines [][]byte) int {
	left := map[string]int{}
	n := 0
	for _, l := range lines {
		key := string(linediff.StripSpace(l))
		if left[key] < want[key] {
			left[key]++
			n += len(key)
		}
	}
	return n
}

func (m *memory) text(blob refs.OID) (origin.Text, error) {
	if t, ok := m.texts[blob]; ok {
		return t, nil
	}
	t, err := readText(m.objects.Blob, blob)
	if err == nil {
		m.texts[blob] = t.asOrigin()
	}
	return t.asOrigin(), err
}

// current returns the content that a path had when the timeline last saw it.
func (s *step) current(path string) (origin.Candidate, bool) {
	if s.snap == nil {
		return origin.Candidate{}, false
	}
	e, found := s.snap.Lookup(path)
	return origin.Candidate{Path: path, Blob: e.OID}, found
}
