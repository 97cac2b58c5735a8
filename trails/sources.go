package trails

import (
	"slices"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/origin"
	"github.com/git-trace/git-trace/trails/vector"
)

// maxSources is how many earlier contents of a path are asked where the lines of a content come from.
const maxSources = 64

// origins finds where the lines of a content of a path come from, when git put it together or when it was never seen.
// First gives the contents that are near, best first; then what the path had before is asked. What is known of a
// content stands before what is only there: a vector that says unknown says so with reason. Where no more is known than
// that a stash may have been applied, what the path had before is left out: it may have been typed anew.
func (s *step) origins(path string, lines [][]byte, first []origin.Candidate) ([]vector.Origin, error) {
	if s.gitAt(path).doubtful {
		return s.originsIn(lines, first, nil)
	}
	return s.originsIn(lines, first, s.earlier(path))
}

// inIndex lists the same for lines that were in the index: it may have had each of them.
func (s *step) inIndex(path string) []origin.Candidate {
	var out []origin.Candidate
	for _, name := range append([]string{path}, s.known.Names(path)...) {
		for _, oid := range s.known.Blobs(name, maxSources) {
			out = append(out, origin.Candidate{Path: name, Blob: oid, Kind: origin.Staged})
		}
	}
	return out
}

// earlier lists what a path had before, the last content first.
func (s *step) earlier(path string) []origin.Candidate {
	var out []origin.Candidate
	for _, name := range append([]string{path}, s.known.Names(path)...) {
		for _, oid := range s.known.Blobs(name, maxSources-len(out)) {
			out = append(out, origin.Candidate{Path: name, Blob: oid, Kind: origin.Earlier, Trust: origin.Faint})
		}
	}
	return out
}

// originsIn is origins with the contents that are asked for lines that the first have not.
func (s *step) originsIn(lines [][]byte, first, earlier []origin.Candidate) ([]vector.Origin, error) {
	return origin.Explain(lines, slices.Concat(first, earlier), told{s})
}

// told is what the timeline knows of contents.
type told struct{ *step }

func (t told) Get(path string, blob refs.OID) (vector.Vector, bool) { return t.known.Get(path, blob) }

func (t told) Text(blob refs.OID) (origin.Text, error) {
	content, err := t.read(0, blob)
	return origin.Text{OID: content.oid, Lines: content.lines, Whole: content.whole}, err
}

// commitSources are the contents that the path has in the commits that git may have taken some lines of it from.
func (s *step) commitSources(path string, lines [][]byte) ([]origin.Candidate, error) {
	w := s.gitAt(path)
	if !w.restored {
		return nil, nil
	}
	names := append([]string{path}, s.known.Names(path)...)
	var out []origin.Candidate
	if w.Now.Autostash.IsZero() && !w.Before.Autostash.IsZero() { // it was brought back
		for _, name := range names {
			oid, err := s.facts.Blob(w.Before.Autostash, name)
			if err != nil {
				return nil, err
			}
			if _, known := s.known.Get(name, oid); known { // what nobody saw explains nothing
				out = append(out, origin.Candidate{Path: name, Blob: oid, Trust: origin.Far})
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
			trust := origin.Far
			if faint, err := s.twoFiles(path, name); err != nil {
				return nil, err
			} else if faint {
				trust = origin.Faint
			}
			if from.Perhaps && trust == origin.Far {
				applied, err := s.applied(commit, name, oid, lines)
				if err != nil {
					return nil, err
				}
				if !applied {
					trust = origin.Faint
				}
			}
			out = append(out, origin.Candidate{Path: name, Blob: oid, Trust: trust})
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
	for _, from := range linediff.Lineage(brought.lines, lines) {
		if from >= 0 {
			kept[from] = true
		}
	}
	for i, from := range linediff.Lineage(base.lines, brought.lines) {
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
