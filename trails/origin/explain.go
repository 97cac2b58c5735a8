package origin

import (
	"slices"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/vector"
)

// chunk is the number of earlier contents that are read together while lines are missing.
const chunk = 8

// Explain finds, for each line of a content, its source among the candidates, and the owner there. Its result depends
// only on its arguments. Candidates with known owners come before the others: an unknown owner in a vector is also
// known. Earlier contents are searched only for lines that no other candidate has. For example: an agent wrote a line,
// a person deleted it, and git brought it back. The content before the deletion has it, so it is the agent's.
func Explain(lines [][]byte, list []Candidate, told Told) ([]vector.Origin, error) {
	e := explanation{told: told, seen: map[refs.OID]bool{}}
	near, earlier, staged := apart(list)
	if err := e.add(near); err != nil {
		return nil, err
	}
	found := vector.Origins(lines, e.contents())
	for len(earlier) > 0 && !complete(found, len(e.known)) {
		n := min(chunk, len(earlier))
		if err := e.add(earlier[:n]); err != nil {
			return nil, err
		}
		earlier = earlier[n:]
		found = vector.Origins(lines, e.contents())
	}
	for i, run := range found {
		found[i].Same = run.Why == vector.Equal && run.Source < len(e.known)
	}
	found = copies(lines, found, e.contents(), len(e.known))
	return between(lines, found, staged, told)
}

// `apart` divides candidates by the order in which they are searched.
func apart(list []Candidate) (near, earlier, staged []Candidate) {
	for _, c := range list {
		switch c.Kind {
		case Earlier:
			earlier = append(earlier, c)
		case Staged:
			staged = append(staged, c)
		default:
			near = append(near, c)
		}
	}
	return near, earlier, staged
}

// complete reports whether the first contents have every line unchanged.
func complete(found []vector.Origin, known int) bool {
	return !slices.ContainsFunc(found, func(run vector.Origin) bool {
		return run.Source < 0 || run.Source >= known || run.Why != vector.Equal
	})
}

// explanation gathers the contents of candidates, each once.
type explanation struct {
	told  Told
	seen  map[refs.OID]bool
	known []vector.Content
	bare  []vector.Content // without known owners
}

func (e *explanation) contents() []vector.Content {
	return append(e.known[:len(e.known):len(e.known)], e.bare...)
}

func (e *explanation) add(list []Candidate) error {
	for _, c := range list {
		if c.Blob.IsZero() || e.seen[c.Blob] {
			continue
		}
		e.seen[c.Blob] = true
		content, known, err := contentOf(c, e.told)
		switch {
		case err != nil:
			return err
		case known:
			e.known = append(e.known, content)
		case content.Lines != nil:
			e.bare = append(e.bare, content)
		}
	}
	return nil
}

// contentOf reads a candidate. For a candidate without lines it returns an empty content.
func contentOf(c Candidate, told Told) (content vector.Content, known bool, err error) {
	t, err := told.Text(c.Blob)
	if err != nil || t.Whole {
		return content, false, err
	}
	content = vector.Content{Lines: t.Lines, Far: c.Trust == Far, Faint: c.Trust == Faint}
	if content.Owners, known = told.Get(c.Path, c.Blob); !known || content.Owners.Len() != len(t.Lines) {
		content.Owners, known = vector.Uniform(len(t.Lines), vector.Unknown), false
	}
	return content, known, nil
}
