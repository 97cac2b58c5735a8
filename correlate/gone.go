package correlate

import (
	"strings"
	"sync"
	"unicode"

	"github.com/git-trace/git-trace/trails/linediff"
)

// gone are the lines that a commit took out of a file. The commit may add a line of a patch that the parent has
// already. Such a line is one of them that moved, or one of them in another form. If it is neither, it is a part of the
// patch that was not committed before. For example: an agent writes four lines, and a person commits two of them and
// then the others.
type gone struct {
	texts, forms map[string]bool
	all          string // the letters and digits of all of them, so that wrapped lines are found
}

// gone finds them when the first is asked for. What cannot be read has none.
func (a *anchorer) gone(f fileDiff, lines [][]byte) func() gone {
	return sync.OnceValue(func() gone {
		g := gone{map[string]bool{}, map[string]bool{}, ""}
		raw, err := a.view.Blob(f.Old)
		if err != nil {
			return g
		}
		kept := map[string]int{}
		at := 0
		for _, r := range append(f.Added[:len(f.Added):len(f.Added)], linediff.Range{Start: len(lines), End: len(lines)}) {
			for ; at < min(r.Start, len(lines)); at++ {
				kept[string(lines[at])]++
			}
			at = r.End
		}
		var all strings.Builder
		for _, line := range linediff.Split(raw) {
			text := string(line)
			if kept[text] > 0 {
				kept[text]--
				continue
			}
			g.texts[text], g.forms[formOf(text)] = true, true
			all.WriteString(letters(text))
		}
		g.all = all.String()
		return g
	})
}

// tier is the evidence for an added line whose patch the parent has.
func (g gone) tier(text string) string {
	said := letters(text)
	switch {
	case g.texts[text]:
		return TierMovedLines
	case g.forms[formOf(text)], said != "" && strings.Contains(g.all, said):
		return TierReformatted
	}
	return TierExactBlob
}

// formOf is what a line has in common with itself in another form: its letters and digits or, if it has none, all but
// its white space.
func formOf(text string) string {
	if said := letters(text); said != "" {
		return said
	}
	return strings.Join(strings.Fields(text), "")
}

func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}
