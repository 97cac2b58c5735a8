package trails

import (
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/vector"
)

// How many earlier contents of a path are asked where the lines of a content come from: so many at a time, as long as
// lines are missing.
const (
	sourceChunk = 8
	maxSources  = 64
)

// origins finds where the lines of a content of a path come from, when git put it together or when it was never seen.
// First gives the contents that are near, best first; then what the path had before is asked. What is known of a
// content stands before what is only there: a vector that says unknown says so with reason. Where no more is known than
// that a stash may have been applied, what the path had before is left out: it may have been typed anew.
func (s *step) origins(path string, lines [][]byte, first []Source) ([]vector.Origin, error) {
	if s.gitAt(path).doubtful {
		return s.originsIn(path, lines, first, nil)
	}
	return s.originsIn(path, lines, first, s.earlier(path))
}

// earlier lists what a path had before, the last content first.
func (s *step) earlier(path string) []Source {
	var out []Source
	for _, name := range append([]string{path}, s.known.Names(path)...) {
		for _, oid := range s.known.Blobs(name, maxSources-len(out)) {
			out = append(out, Source{Path: name, Blob: oid, Faint: true})
		}
	}
	return out
}

// originsIn is origins with the contents that are asked for lines that the first have not.
func (s *step) originsIn(path string, lines [][]byte, first, earlier []Source) ([]vector.Origin, error) {
	q := sourceQueue{step: s, path: path, seen: map[refs.OID]bool{}}
	for _, f := range first {
		if err := q.add(f); err != nil {
			return nil, err
		}
	}
	for {
		found := vector.Origins(lines, q.contents())
		if len(earlier) == 0 || complete(found, len(q.known)) {
			return copies(lines, found, q.contents(), len(q.known)), nil
		}
		for _, one := range earlier[:min(sourceChunk, len(earlier))] {
			if err := q.add(one); err != nil {
				return nil, err
			}
		}
		earlier = earlier[min(sourceChunk, len(earlier)):]
	}
}

// Source is a content that a path had. Far is one that need not be what another was made of, Faint one for which
// nothing speaks but that the path had it once.
type Source struct {
	Path string
	Blob refs.OID
	Far  bool

	Faint bool
}

// complete tells whether every line was found as it is, with an owner or the word that there is none, in the first
// sources, of which something is known.
func complete(found []vector.Origin, known int) bool {
	for _, run := range found {
		if run.Source < 0 || run.Source >= known || run.Why != vector.Equal {
			return false
		}
	}
	return true
}

// sourceQueue gathers contents, each once.
type sourceQueue struct {
	*step
	path  string
	seen  map[refs.OID]bool
	known []vector.Content
	bare  []vector.Content // contents of which nothing is known
}

func (q *sourceQueue) contents() []vector.Content {
	return append(q.known[:len(q.known):len(q.known)], q.bare...)
}

func (q *sourceQueue) add(from Source) error {
	if from.Blob.IsZero() || q.seen[from.Blob] {
		return nil
	}
	q.seen[from.Blob] = true
	t, err := q.read(0, from.Blob)
	if err != nil || t.whole {
		return err
	}
	if v, ok := q.step.known.Get(from.Path, from.Blob); ok && v.Len() == len(t.lines) {
		q.known = append(q.known, vector.Content{Lines: t.lines, Owners: v, Far: from.Far, Faint: from.Faint})
		return nil
	}
	unknown := vector.Uniform(len(t.lines), vector.Owner{Kind: events.OwnerUnknown})
	q.bare = append(q.bare, vector.Content{Lines: t.lines, Owners: unknown, Far: from.Far, Faint: from.Faint})
	return nil
}

// commitSources are the contents that the path has in the commits that git may have taken some lines of it from.
func (s *step) commitSources(path string, lines [][]byte) ([]Source, error) {
	w := s.gitAt(path)
	if !w.restored {
		return nil, nil
	}
	names := append([]string{path}, s.known.Names(path)...)
	var out []Source
	if w.Now.Autostash.IsZero() && !w.Before.Autostash.IsZero() { // it was brought back
		for _, name := range names {
			oid, err := s.facts.Blob(w.Before.Autostash, name)
			if err != nil {
				return nil, err
			}
			if _, known := s.known.Get(name, oid); known { // what nobody saw explains nothing
				out = append(out, Source{Path: name, Blob: oid, Far: true})
				break
			}
		}
	}
	made, err := s.madeByHand(w, path)
	if err != nil {
		return nil, err
	}
	for _, from := range s.operandsOf(w) {
		commit := from.Commit
		typed := w.MadeByHand(commit, s.commit)
		for _, name := range names {
			oid, err := s.facts.Blob(commit, name)
			if err != nil {
				return nil, err
			}
			if (typed || made[oid]) && !s.vouched(commit, name, oid) {
				continue
			}
			if _, known := s.known.Get(name, oid); oid.IsZero() || from.Unlooked && !known {
				continue
			}
			faint, err := s.twoFiles(path, name)
			if err != nil {
				return nil, err
			}
			if from.Perhaps && !faint {
				applied, err := s.applied(commit, name, oid, lines)
				if err != nil {
					return nil, err
				}
				faint = !applied
			}
			out = append(out, Source{Path: name, Blob: oid, Far: true, Faint: faint})
			break
		}
	}
	return out, nil
}

// twoFiles tells whether HEAD has different files at two names, of which one was the other's at some time: what another
// commit has at one of them is no more what git made the other one of.
func (s *step) twoFiles(a, b string) (bool, error) {
	if a == b {
		return false, nil
	}
	for _, name := range []string{a, b} {
		if oid, err := s.facts.Blob(s.base, name); err != nil || oid.IsZero() {
			return false, err
		}
	}
	return true, nil
}

// applied tells whether all lines that a commit brought to a file are among some lines: a stash is applied as a whole,
// or not.
func (s *step) applied(commit refs.OID, path string, blob refs.OID, lines [][]byte) (bool, error) {
	c, err := s.facts.Commit(commit)
	if err != nil {
		return false, err
	}
	var base text
	if len(c.Parents) > 0 {
		before, err := s.facts.Blob(c.Parents[0], path)
		if err == nil {
			base, err = s.read(0, before)
		}
		if err != nil {
			return false, err
		}
	}
	brought, err := s.read(0, blob)
	if err != nil || brought.whole || base.whole {
		return false, err
	}
	kept := make([]bool, len(brought.lines))
	for _, from := range lineage(brought.lines, lines) {
		if from >= 0 {
			kept[from] = true
		}
	}
	for i, from := range lineage(base.lines, brought.lines) {
		if from < 0 && !kept[i] {
			return false, nil
		}
	}
	return true, nil
}

// vouched tells whether the owners of a content are known that somebody committed, other than in the commit that is
// being anchored.
func (s *step) vouched(commit refs.OID, path string, blob refs.OID) bool {
	if commit == s.commit {
		return false
	}
	_, known := s.known.Get(path, blob)
	return known
}
