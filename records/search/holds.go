package search

import "strings"

// Matcher searches texts that are not in a record, by the same rules as the index.
type Matcher struct {
	text   string
	wanted []string
}

// NewMatcher makes a matcher from a query; ErrNoWords if the query has no word.
func NewMatcher(text string) (*Matcher, error) {
	wanted := queryWords(text)
	if len(wanted) == 0 {
		return nil, ErrNoWords
	}
	return &Matcher{text, wanted[:min(len(wanted), mostWords)]}, nil
}

// Find searches texts that belong together and returns a snippet of each; the result `found` is true if each word of
// the query is in at least one of them. The snippet of a text without a match is "".
func (m *Matcher) Find(texts []string) (snippets []string, found bool) {
	held := map[string]bool{}
	hit := make([]bool, len(texts))
	for i, body := range texts {
		lower := strings.ToLower(body)
		for _, want := range m.wanted { // otherwise the text need not be split into words
			if !strings.Contains(lower, want) {
				continue
			}
			words(body, func(word string) {
				if strings.HasPrefix(word, want) {
					held[want], hit[i] = true, true
				}
			})
		}
	}
	if len(held) < len(m.wanted) {
		return nil, false
	}
	snippets = make([]string, len(texts))
	for i, body := range texts {
		if hit[i] {
			snippets[i] = snippet(body, m.text, m.wanted)
		}
	}
	return snippets, true
}
