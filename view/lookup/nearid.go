package lookup

import "github.com/git-trace/git-trace/internal/exit"

// nearID reports whether a word is probably an id or a prefix of one, with a mistake: one edit, or two from eight
// characters on. Words of fewer than four characters are excluded, because they resemble too many ids.
func nearID(word, id string) bool {
	if len(word) < FewestDigits || len(word) > len(id)+1 {
		return false
	}
	least := len(word)
	for n := len(word) - 1; n <= len(word)+1; n++ {
		least = min(least, exit.Edits(word, id[:min(n, len(id))]))
	}
	return least == 1 || least == 2 && len(word) >= 8
}
