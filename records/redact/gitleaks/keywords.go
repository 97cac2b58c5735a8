package gitleaks

// keywords finds the words of a fixed set in a text, in one pass and in any case.
type keywords struct {
	class [256]uint8                // the class of each byte, the same for both cases; 0 for a byte that is in no word
	third [classes * classes]uint64 // possible third bytes of a word, by the classes of its first two bytes
	words [classes * classes][]word
}

// word is a word of the set.
type word struct {
	text  string // the word in lower case
	rules []int  // the rules with this keyword
}

// classes is the number of classes of bytes: the third byte of a word has a bit for each class.
const classes = 64

// newKeywords builds the index of a set of words. Each word has at least two bytes.
func newKeywords(rules map[string][]int) *keywords {
	k := &keywords{}
	kinds := uint8(0)
	for text := range rules {
		for i := range len(text) {
			c := text[i]
			if k.class[c] != 0 {
				continue
			}
			kinds = kinds%(classes-1) + 1 // if two bytes share a class, more words are found, but each is compared at the end
			k.class[c] = kinds
			if 'a' <= c && c <= 'z' {
				k.class[c-'a'+'A'] = kinds
			}
		}
	}
	for text, called := range rules {
		at := int(k.class[text[0]])*classes + int(k.class[text[1]])
		k.words[at] = append(k.words[at], word{text, called})
		if len(text) == 2 {
			k.third[at] = ^uint64(0)
		} else {
			k.third[at] |= 1 << k.class[text[2]]
		}
	}
	return k
}

// `find` calls the function `met` at each position of the text where a word of the set begins.
func (k *keywords) find(text string, met func(start int, w *word)) {
	if len(text) < 2 {
		return
	}
	// The entry of a pair that begins no word is empty, so one look-up is enough.
	at := int(k.class[text[0]])*classes + int(k.class[text[1]])
	for i := range len(text) - 1 {
		next := uint8(0)
		if i+2 < len(text) {
			next = k.class[text[i+2]]
		}
		here := at
		at = here<<6&(classes*classes-1) | int(next)
		if k.third[here]>>next&1 == 0 && (i+2 < len(text) || k.third[here] == 0) {
			continue
		}
		for j := range k.words[here] {
			if w := &k.words[here][j]; hasWord(text[i:], w.text) {
				met(i, w)
			}
		}
	}
}

// hasWord reports whether a text begins with a word, in any case.
func hasWord(text, word string) bool {
	if len(text) < len(word) {
		return false
	}
	for i := range len(word) {
		c := text[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != word[i] {
			return false
		}
	}
	return true
}
