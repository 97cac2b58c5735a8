package origin

import (
	"slices"

	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/vector"
)

// `between` finds owners for lines that no other candidate has. These lines were in the index, where git may have put
// an earlier content (git-reset(1), git-restore(1) --staged). A brace between the same lines as in an earlier content
// of the path is the same brace, although a brace alone is not evidence. For example: an agent wrote a block, git reset
// put it into the index again, and a person commits it.
func between(lines [][]byte, found []vector.Origin, staged []Candidate, told Told) ([]vector.Origin, error) {
	open := func(o vector.Origin) bool { return o.Source < 0 }
	var keys []string
	for _, c := range staged {
		if !slices.ContainsFunc(found, open) {
			break
		}
		content, known, err := contentOf(c, told)
		if err != nil {
			return nil, err
		}
		if known {
			if keys == nil {
				keys = linediff.Keys(lines)
			}
			found = singles(found)
			fill(found, keys, content)
		}
	}
	return found, nil
}

// `fill` looks for lines without a source in another content. They get the owners from there if they lie between the
// same two neighbours: the next specific lines above and below.
func fill(out []vector.Origin, keys []string, content vector.Content) {
	had := linediff.Keys(content.Lines)
	for line := 0; line < len(out); line++ {
		if out[line].Source >= 0 {
			continue
		}
		first, last := line, line
		for first > 0 && (first == line || len(keys[first]) < Specific) {
			first--
		}
		for last < len(keys)-1 && (last == line || len(keys[last]) < Specific) {
			last++
		}
		if out[first].Source < 0 || out[last].Source < 0 {
			continue
		}
		at := positions(had, keys[first:last+1], len(keys[first]) < Specific, len(keys[last]) < Specific)
		if len(at) != 1 {
			continue
		}
		for i := line; i < last; i++ {
			if out[i].Source < 0 {
				out[i].Source, out[i].Why, out[i].Owner = 0, vector.Equal, content.Owners.At(at[0]+i-first)
			}
		}
	}
}

// positions lists the places at which a row of lines occurs in the list `among`. The parameters `begins` and `ends`
// restrict them to the beginning and the end.
func positions(among, row []string, begins, ends bool) []int {
	var out []int
	for at := 0; at+len(row) <= len(among); at++ {
		if begins && at > 0 || ends && at+len(row) < len(among) {
			continue
		}
		if slices.Equal(among[at:at+len(row)], row) {
			out = append(out, at)
		}
	}
	return out
}
