package gitblame

import (
	"slices"

	"github.com/git-trace/git-trace/refs"
)

// The cache stores git's own answers, so that a second blame of a file does not walk its whole history again.
//
// Git's answer for a line is a function of (commit, path, line), whatever the blame started from. So the answer for a
// commit can be composed of two parts: a blame that stops at an older commit, and the stored answer for that commit.
// The answer also depends on a few other inputs, which are in its context (cachecontext.go). The cache is not used in
// cases that the context does not cover:
//
//   - grafts, replacement refs, a shallow history, ref storage other than files;
//   - text conversion, ignored revisions, a mailmap in a blob;
//   - options that limit the history or name the content, and more than one range of lines.
//
// The cache does not interpret anything. It stores git's output only if it can print it again byte for byte. If a
// bounded blame does not fit the stored answer, git runs in full.

// answer is git's answer for one content of the path.
type answer struct {
	// commits all have the content, and this is git's answer for each of them. For an uncommitted content there is one
	// commit: HEAD at that time, because unchanged lines have the answer for HEAD.
	commits []refs.OID
	content refs.OID // blob id of the content
	pending bool     // no commit has the content: lines may belong to the zero commit
	runs    []run
}

// run is a run of lines that are consecutive in one origin.
type run struct {
	from  *source
	line  int // first line in the origin, from 1
	count int
}

// source is a path in a commit from which lines come, with git's data about it.
type source struct {
	commit   *Commit
	path     string
	previous Origin
}

// lines returns the number of lines of the content.
func (a *answer) lines() int {
	n := 0
	for _, r := range a.runs {
		n += r.count
	}
	return n
}

// origins returns the origin of each line of the content.
func (a *answer) origins() []run {
	all := make([]run, 0, a.lines())
	for _, r := range a.runs {
		for i := range r.count {
			all = append(all, run{r.from, r.line + i, 1})
		}
	}
	return all
}

// `holds` reports whether the answer is valid for a commit.
func (a *answer) holds(commit refs.OID) bool { return slices.Contains(a.commits, commit) }

// add appends lines of an origin. If they continue the last run they become part of it, because git lists such lines as
// one group.
func (a *answer) add(from *source, line, count int) {
	if n := len(a.runs); n > 0 {
		last := &a.runs[n-1]
		if last.from == from && last.line+last.count == line {
			last.count += count
			return
		}
	}
	a.runs = append(a.runs, run{from, line, count})
}

// The limits of the stored data of one path.
const (
	maxAnswers       = 8
	maxAnswerCommits = 8
)

// `kept` holds the stored answers of a path in memory.
type kept struct {
	path    string // path and options of the question, see subject
	context digest // context of all answers
	// attributes is the digest of the attribute files when git was asked whether a filter changes the file; it is zero if
	// git was not asked. The field `filtered` is git's answer.
	attributes digest
	filtered   bool
	answers    []*answer // the last used answer is at the end
	changed    bool      // changed since it was read
	passing    bool      // used by one process only, never stored
}

// find returns an answer for a commit that the function `fits` accepts, or nil.
func (k *kept) find(commit refs.OID, fits func(*answer) bool) *answer {
	for i := len(k.answers) - 1; i >= 0; i-- {
		if a := k.answers[i]; a.holds(commit) && fits(a) {
			return a
		}
	}
	return nil
}

// put adds an answer, or adds its commit to an equal answer for the same content.
func (k *kept) put(a *answer) {
	k.changed = true
	for _, old := range k.answers {
		if !a.pending && !old.pending && old.content == a.content && slices.Equal(old.runs, a.runs) {
			k.also(old, a.commits[0])
			return
		}
	}
	k.answers = slices.DeleteFunc(k.answers, func(old *answer) bool {
		if a.pending || old.pending { // HEAD has moved, so the old answer is useless
			return a.pending == old.pending && old.content == a.content
		}
		return old.holds(a.commits[0])
	})
	k.answers = append(k.answers, a)
	if n := len(k.answers) - maxAnswers; n > 0 {
		k.answers = k.answers[n:]
	}
}

// `also` adds a commit to an answer, and moves the answer to the end as the last used one.
func (k *kept) also(a *answer, commit refs.OID) {
	if !a.holds(commit) {
		k.changed = true
		a.commits = append(a.commits, commit)
		if n := len(a.commits) - maxAnswerCommits; n > 0 {
			a.commits = a.commits[n:]
		}
	}
	if i := slices.Index(k.answers, a); i >= 0 {
		k.answers = append(slices.Delete(k.answers, i, i+1), a)
	}
}

// bases returns the newest committed answers by their last commit. A bounded blame may stop at these commits.
func (k *kept) bases() map[refs.OID]*answer {
	const most = 3
	bases := map[refs.OID]*answer{}
	for i := len(k.answers) - 1; i >= 0 && len(bases) < most; i-- {
		if a := k.answers[i]; !a.pending {
			bases[a.commits[len(a.commits)-1]] = a
		}
	}
	return bases
}

// table interns commits and origins, so that lines of the same commit share its data.
type table struct {
	commits map[refs.OID]*Commit
	sources map[Origin]*source
}

// tableOf returns a table with the commits and origins of the stored answers.
func tableOf(k *kept) *table {
	t := &table{commits: map[refs.OID]*Commit{}, sources: map[Origin]*source{}}
	for _, a := range k.answers {
		for i := range a.runs {
			t.know(a.runs[i].from)
		}
	}
	return t
}

func (t *table) know(s *source) {
	if s.commit.Committed() {
		t.commits[s.commit.ID] = s.commit
		t.sources[Origin{s.commit.ID, s.path}] = s
	}
}

// source returns the origin of a line. An uncommitted line never gets the origin of a stored answer.
func (t *table) source(l *Line) *source {
	at := Origin{l.Commit.ID, l.OrigPath}
	if s := t.sources[at]; s != nil {
		return s
	}
	c := t.commits[l.Commit.ID]
	if c == nil {
		c = l.Commit
		t.commits[c.ID] = c
	}
	s := &source{commit: c, path: l.OrigPath, previous: l.Previous}
	t.sources[at] = s
	return s
}
