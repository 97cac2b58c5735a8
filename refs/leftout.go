package refs

import (
	"slices"
	"strings"
	"sync"
	"unicode"
)

// LeftOut names the commits that are incomplete in an answer, because an object is missing or damaged: the other parts
// are still returned. The zero value is ready, several goroutines may use it, and a nil LeftOut takes nothing.
type LeftOut struct {
	mu      sync.Mutex
	commits map[OID]bool
}

// Note names a commit that could not be read whole.
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

// Commits returns the named commits, sorted.
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

// NamesUnread reports whether a message of git says that it could not read an object: it has the object's full id, or
// describes the damage.
func NamesUnread(message string) bool {
	signs := []string{"lazy fetching disabled", "promisor remote", "inflate: ", " corrupt", "revindex"}
	return namesObject(message) ||
		slices.ContainsFunc(signs, func(sign string) bool { return strings.Contains(message, sign) })
}

// namesObject reports whether a text has the full id of an object as a word.
func namesObject(text string) bool {
	apart := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for word := range strings.FieldsFuncSeq(text, apart) {
		if n := len(word); (n == 40 || n == 64) && strings.Trim(word, "0123456789abcdef") == "" {
			return true
		}
	}
	return false
}
