package rename

import (
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/linediff"
)

// Shares of text from which an old and a new file are one renamed file, as in git-diff(1) by default.
const (
	renameShare = 50 // per cent
	renameLimit = 400
	// A longer or shorter file must share at least this many lines, each with this many characters.
	wordyLines = 3
)

// WordyLine is the least number of characters, without white space, in a line that counts as evidence.
const WordyLine = 6

// File is a content under a name.
type File struct {
	Path  string
	Mode  uint32
	OID   refs.OID
	Lines [][]byte // none for a content without lines

	only string // the only possible new name; any if empty
	told bool   // the index shows the new name, even if the texts differ much
	last *File  // the last seen content of its path, if this is an earlier one
}

// Pairing is a new file with its older name.
type Pairing struct {
	New, Old *File
	Set      string // the row that found it
}

// match pairs new files with old ones: first files with the same content, in order; then the most similar ones. Each
// old file is used once.
func match(set string, old, born []*File) []Pairing {
	if len(old) == 0 || len(born) == 0 {
		return nil
	}
	var out []Pairing
	taken := map[*File]bool{}
	join := func(from, to *File) {
		from = from.seen()
		taken[from] = true
		out = append(out, Pairing{to, from, set})
	}
	byOID := map[refs.OID][]*File{}
	for _, o := range old {
		byOID[o.OID] = append(byOID[o.OID], o)
	}
	var rest []*File
	for _, b := range born {
		same := free(byOID[b.OID], taken, b.Path)
		if same == nil {
			rest = append(rest, b)
			continue
		}
		join(same, b)
	}
	if len(old)*len(rest) > renameLimit*renameLimit {
		return out
	}
	c := counts{}
	for _, b := range rest {
		if best := c.mostAlike(old, b, taken); best != nil {
			join(best, b)
		}
	}
	return out
}

// `seen` returns the last seen content of the file's path.
func (f *File) seen() *File {
	if f.last != nil {
		return f.last
	}
	return f
}

// free returns the first unused file that may have a new name, or nil.
func free(list []*File, taken map[*File]bool, name string) *File {
	for _, f := range list {
		if !taken[f.seen()] && (f.only == "" || f.only == name) {
			return f
		}
	}
	return nil
}

// counts holds the lines of files, by file; each file is counted once.
type counts map[*File]map[string]int

func (c counts) of(f *File) map[string]int {
	if c[f] == nil {
		c[f] = Count(f.Lines)
	}
	return c[f]
}

// mostAlike returns the old file with the most text in common with a new one; nil if none has enough.
func (c counts) mostAlike(old []*File, b *File, taken map[*File]bool) *File {
	var best *File
	bestShare := 0
	for _, o := range old {
		if taken[o.seen()] || o.only != "" && o.only != b.Path {
			continue
		}
		if o.told {
			return o
		}
		if len(o.Lines) == 0 || len(b.Lines) == 0 {
			continue
		}
		share := Alike(c.of(o), len(o.Lines), c.of(b), len(b.Lines))
		if share > bestShare {
			best, bestShare = o, share
		}
	}
	return best
}

// Count counts lines by their text without white space.
func Count(lines [][]byte) map[string]int {
	out := map[string]int{}
	for _, l := range lines {
		out[string(linediff.StripSpace(l))]++
	}
	return out
}

// Alike returns the share of characters in common lines, in per cent; 0 if it is too small for a rename. A file that
// shares half of the other's lines is the same file, longer or shorter, if enough of the lines are long. For example: a
// person moves an agent's file of 20 lines and changes 5 of them. It is the same file, and 15 lines stay the agent's.
func Alike(a map[string]int, aLines int, b map[string]int, bLines int) int {
	common, inCommon, words := 0, 0, 0
	for l, n := range a {
		n = min(n, b[l])
		common += n
		inCommon += n * (len(l) + 1)
		if len(l) >= WordyLine {
			words += n
		}
	}
	share := 100 * inCommon / max(characters(a), characters(b))
	if share < renameShare && (words < wordyLines || 100*common/min(aLines, bLines) < renameShare) {
		return 0
	}
	return share
}

// characters counts the characters of all lines, and one more for the end of each.
func characters(lines map[string]int) int {
	sum := 0
	for l, n := range lines {
		sum += n * (len(l) + 1)
	}
	return sum
}
