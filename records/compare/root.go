package compare

import (
	"path"
	"strings"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/declared"
)

// mostPaths limits the number of a conversation's paths that are compared.
const mostPaths = 500

// roots returns the corresponding root directories of two conversations. Of the directory pairs above common file
// names, it is the pair that fits most paths. Both are empty if nothing fits, or if both conversations name the same
// paths.
func roots(a, b *records.Record) (ofA, ofB string) {
	byName := map[string][]string{}
	for _, name := range paths(b) {
		byName[path.Base(name)] = append(byName[path.Base(name)], name)
	}
	votes, most := map[[2]string]int{}, 0
	for _, name := range paths(a) {
		for _, other := range byName[path.Base(name)] {
			pair := aboveBoth(name, other)
			if votes[pair]++; votes[pair] > most {
				most, ofA, ofB = votes[pair], pair[0], pair[1]
			}
		}
	}
	return ofA, ofB
}

// aboveBoth returns the different beginnings of two paths with the same end; empty for equal paths.
func aboveBoth(a, b string) [2]string {
	for a != b {
		dirA, nameA := path.Split(a)
		dirB, nameB := path.Split(b)
		if nameA != nameB || nameA == "" {
			break
		}
		a, b = strings.TrimSuffix(dirA, "/"), strings.TrimSuffix(dirB, "/")
	}
	if a == b {
		return [2]string{}
	}
	return [2]string{a, b}
}

// paths returns the paths that the calls of a conversation name, without repetitions.
func paths(r *records.Record) []string {
	var out []string
	seen := map[string]bool{}
	for i := range r.Steps {
		for k := range r.Steps[i].ToolCalls {
			said := declared.Of(r.Steps[i].ToolCalls[k].Input)
			names := []string{said.Path}
			for _, e := range said.Edits {
				names = append(names, e.Path)
			}
			for _, name := range names {
				if name == "" || seen[slashed(name)] || len(out) == mostPaths {
					continue
				}
				seen[slashed(name)] = true
				out = append(out, slashed(name))
			}
		}
	}
	return out
}
