package origin

import (
	"bytes"
	"slices"
	"unicode"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/moment"
	"github.com/git-trace/git-trace/trails/vector"
)

// A path's lost content may come back without git, and without typing. Editors undo, and empty a file before they save
// it. Hook managers put a patch of unstaged changes aside. People copy files away and back. Then the whole content is
// known (Judge). If somebody else changed the file as well, some runs of lines are known.

// maxLeft is the number of examined contents that a line may have left.
const maxLeft = 8

// `left` returns the contents that one of the new lines may have left. For example: pre-commit puts an agent's lines
// aside with git diff, a hook changes the file, and git apply brings the lines back. Or git switches to a branch
// without an agent's function, and somebody copies the function into the file there.
func left(q *Query) ([]Candidate, error) {
	added := func() [][]byte { return changeOf(q.Old.Lines, q.New.Lines).added }
	var out []Candidate
	if !q.Buffer.IsZero() {
		out = append(out, Candidate{Path: q.Path, Blob: q.Buffer, Trust: Faint})
	}
	add := func(kind Kind, had func(string, func() [][]byte, int) []refs.OID) {
		for _, name := range q.names() {
			for _, blob := range had(name, added, maxLeft-len(out)) {
				if blob != q.Buffer && (blob != q.Old.OID || name != q.OldPath) {
					out = append(out, Candidate{Path: name, Blob: blob, Kind: kind, Trust: Faint})
				}
			}
		}
	}
	add(Before, q.Memory.Left)
	add(Apart, q.Memory.Apart)
	return out, nil
}

// `returned` finds the lines of a content that came back. If the content is nearer to an earlier content of the path
// than to the last seen one, it counts as a change of the earlier one.
func (q *Query) returned() (v Verdict, err error) {
	list, err := Gather(q.at(moment.Returned))
	if err != nil || len(list) == 0 {
		return v, err
	}
	base := q.Old
	var had, apart []vector.Content
	at := -1
	for _, c := range list {
		content, known, err := contentOf(c, q.Case)
		if err != nil {
			return v, err
		}
		if !known {
			continue
		}
		if c.Kind == Apart {
			apart = append(apart, content)
			continue
		}
		if q.begins(c.Blob, base, content.Lines) {
			if base, err = q.Text(c.Blob); err != nil {
				return v, err
			}
			at = len(had)
		}
		had = append(had, content)
	}
	v.From = []vector.Origin{{Count: len(q.New.Lines), Source: -1}}
	if at >= 0 {
		if base, had[at], err = q.inOtherSigns(base, had[at]); err != nil {
			return v, err
		}
		v.Put = &base
		v.From = vector.Origins(q.New.Lines, had[at:at+1])
		before, known, err := contentOf(Candidate{Path: q.OldPath, Blob: q.Old.OID}, q.Case)
		if err != nil {
			return v, err
		}
		if had[at].Lines = nil; known {
			had[at] = before
		}
	}
	v.From = singles(v.From)
	open := make([]bool, len(q.New.Lines))
	for line, from := range vector.Matches(vector.Content{Lines: base.Lines}, q.New.Lines) {
		open[line] = from.Why == vector.Written && v.From[line].Source < 0
	}
	for _, content := range had {
		takeBack(q.New.Lines, v.From, open, content, 0)
	}
	for _, content := range apart { // on two branches two people may write the same lines
		takeBack(q.New.Lines, v.From, open, content, 2*backAlone)
	}
	if v.Put == nil && !slices.ContainsFunc(v.From, func(o vector.Origin) bool { return o.Source >= 0 }) {
		v.From = nil
	}
	return v, nil
}

// inOtherSigns returns the path's last content with exactly the words of the new one, or else the given content. For
// example: an agent adds lines, a person's editor undoes that, and a formatter runs before the next look.
func (q *Query) inOtherSigns(base Text, owners vector.Content) (Text, vector.Content, error) {
	words := wordsOf(q.New.Lines)
	for _, blob := range q.Memory.Blobs(q.Path, maxLeft) {
		content, known, err := contentOf(Candidate{Path: q.Path, Blob: blob}, q.Case)
		if err != nil {
			return base, owners, err
		}
		if known && slices.EqualFunc(wordsOf(content.Lines), words, bytes.Equal) {
			base, err = q.Text(blob)
			return base, content, err
		}
	}
	return base, owners, nil
}

// `begins` reports whether the new content was made from an earlier content of the path, and not from `base`. If an
// editor's buffer became the new content, it was made from the content of that buffer.
func (q *Query) begins(blob refs.OID, base Text, had [][]byte) bool {
	switch {
	case q.Buffer.IsZero():
	case blob == q.Buffer:
		return q.ByEditor || Nearer(q.New.Lines, had, base.Lines)
	case base.OID == q.Buffer:
		return false
	}
	return muchNearer(q.New.Lines, had, base.Lines) && moreOf(q.New.Lines, had, base.Lines)
}

// moreOf reports whether the lines that a has and b does not have, in any form, are enough evidence. For example: a
// person replaces three lines with `return nil`. An earlier content of the path with `return nil` is nearer to the
// result, but this line alone is not evidence.
func moreOf(lines, a, b [][]byte) bool {
	said := 0
	there := vector.Matches(vector.Content{Lines: b}, lines)
	for i, match := range vector.Matches(vector.Content{Lines: a}, lines) {
		if match.Why != vector.Written && there[i].Why == vector.Written {
			said += len(linediff.StripSpace(lines[i]))
		}
	}
	return said >= Specific
}

// Lines that came back lie between their old neighbours. If a neighbour is new, they need more evidence: as much as a
// specific line, or, with two new neighbours, as much as moved lines.
const backAlone = 40 // letters and digits

// inPlace gives lines without a source the owners that they had when they left the path, if they are in the same place
// again. For example: git stash pop merges, and git gc removes the stash before the next look. A brace that an agent
// had put between two lines is there again.
func (q *Query) inPlace(from []vector.Origin) ([]vector.Origin, error) {
	if !slices.ContainsFunc(from, func(o vector.Origin) bool { return o.Source < 0 }) {
		return from, nil
	}
	list, err := Gather(q.at(moment.Returned))
	if err != nil {
		return nil, err
	}
	from = singles(from)
	open := make([]bool, len(from))
	for line := range from {
		open[line] = from[line].Source < 0
	}
	for _, c := range list {
		if c.Kind == Apart {
			continue // on two branches two people may write the same lines
		}
		content, known, err := contentOf(c, q.Case)
		if err != nil {
			return nil, err
		}
		if known {
			takeBack(q.New.Lines, from, open, content, 0)
		}
	}
	return from, nil
}

// takeBack gives runs of open lines that a content has in the same order the owners that they have there. Their
// punctuation may differ there. For example: prek puts a person's lines aside while an agent commits, and prettier,
// which the agent's command then runs, breaks them. A run needs at least as much text as the parameter `least` asks
// for. Its lines that were given back before also count.
func takeBack(lines [][]byte, from []vector.Origin, open []bool, content vector.Content, least int) {
	at := vector.Matches(content, lines)
	has := func(line int) bool {
		// A line does not match a form that only adds signs.
		return at[line].Why != vector.Written && (bytes.ContainsFunc(lines[line], wordly) ||
			hasSign(content.Lines[at[line].Line], linediff.StripSpace(lines[line])))
	}
	follows := func(line int) bool { // the preceding line there
		switch {
		case line == 0:
			return has(0) && at[0].Line == 0
		case line == len(lines):
			return has(line-1) && at[line-1].Line == len(content.Lines)-1
		}
		return has(line-1) && has(line) && content.GoesOn(at[line-1], at[line])
	}
	says := func(line int) bool { // a line of the content
		return line < 0 || line >= len(content.Lines) || len(linediff.StripSpace(content.Lines[line])) >= Specific
	}
	for first := 0; first < len(lines); {
		if !open[first] || !has(first) {
			first++
			continue
		}
		last, said := first+1, len(linediff.StripSpace(lines[first]))
		for last < len(lines) && open[last] && follows(last) {
			said += len(linediff.StripSpace(lines[last]))
			last++
		}
		needed := backAlone
		// At the beginning or the end of the content, a run may now have any neighbour on that side, if the content's
		// next line on the other side is long enough.
		top, bottom := follows(first), follows(last)
		above := top || at[first].Line == 0
		below := bottom || at[last-1].Line == len(content.Lines)-1
		switch {
		case top && bottom, above && bottom && says(at[last-1].Line+1), top && below && says(at[first].Line-1):
			needed = 0
		case above || below:
			needed = Specific
		}
		if said >= max(needed, least) {
			for line := first; line < last; line++ {
				if from[line].Source < 0 { // else an earlier content has it
					from[line].Source, from[line].Why = 0, vector.Equal
					from[line].Owner = content.OwnerOf(at[line].Line, lines[line])
				}
			}
		}
		first = last
	}
}

func wordly(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// hasSign reports whether a line has the first of some signs; true if there are no signs.
func hasSign(line, signs []byte) bool { return len(signs) == 0 || bytes.Contains(line, signs[:1]) }
