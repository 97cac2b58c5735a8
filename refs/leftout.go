package refs

import (
	"slices"
	"strings"
	"sync"
	"unicode"
)

// LeftOut collects the commits that are incomplete in an answer, because an object is missing or damaged. The other
// parts of the answer are still returned. The zero value is ready for use. Several goroutines may use it. A nil LeftOut
// collects nothing.
type LeftOut struct {
	mu      sync.Mutex
	commits map[OID]bool
}

// Note adds a commit that could not be read completely.
func (l *LeftOut) Note(commit OID) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.commits == nil {
		l.commits = map[OID]bool{}
	}
	l.commits[commit] = true
}

// Commits returns the collected commits, sorted.
func (l *LeftOut) Commits() []OID {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []OID
	for id := range l.commits {
		out = append(out, id)
	}
	slices.SortFunc(out, OID.Compare)
	return out
}

// NamesUnread reports whether a message of git says that git could not read an object: it has the full id of an object,
// or describes damage.
func NamesUnread(message string) bool {
	signs := []string{"lazy fetching disabled", "promisor remote", "inflate: ", " corrupt", "revindex"}
	return namesObject(message) ||
		slices.ContainsFunc(signs, func(sign string) bool { return strings.Contains(message, sign) })
}

// namesObject reports whether a text contains the full id of an object as a word.
func namesObject(text string) bool {
	apart := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for word := range strings.FieldsFuncSeq(text, apart) {
		if n := len(word); (n == 40 || n == 64) && strings.Trim(word, "0123456789abcdef") == "" {
			return true
		}
	}
	return false
}
