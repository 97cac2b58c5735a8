package gitleaks

import (
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"
)

// letters is the set of possible values of one byte of a match, in ASCII. The last element says that the byte may be
// outside ASCII, even without foldsToASCII.
type letters [3]uint64

func (l *letters) add(c byte)      { l[c>>6] |= 1 << (c & 63) }
func (l *letters) has(c byte) bool { return l[c>>6]>>(c&63)&1 != 0 }

// `within` reports whether the set has only this letter, in either case.
func (l *letters) within(c byte) bool {
	var only letters
	only.add(c)
	if 'a' <= c && c <= 'z' {
		only.add(c - 'a' + 'A')
	}
	return l[0]&^only[0] == 0 && l[1]&^only[1] == 0
}

// core is a part of fixed length that a match must contain: a sequence of letters that includes a keyword.
type core struct {
	letters []letters
	keyword string
	at      int // the index in letters at which the keyword begins
}

// The limits of a core: the number of letters, and the number of possible starts.
const (
	mostLetters = 64
	mostWays    = 32
)

// coresOf returns the longest cores of an expression. Each match contains one of them; the result is nil if this is not
// certain.
func coresOf(expression string, keywords []string) []core {
	re, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return nil
	}
	var best []core
	ways := [][]letters{nil}
	end := func() {
		if list := withKeywords(ways, keywords); leastOf(list) > leastOf(best) {
			best = list
		}
		ways = [][]letters{nil}
	}
	for _, part := range inOrder(nil, re) {
		next, whole := waysOf(part)
		if len(ways)*len(next) > mostWays {
			end()
		}
		if ways = joined(ways, next); !whole {
			end()
		}
	}
	end()
	return best
}

// inOrder lists the consecutive parts of an expression.
func inOrder(list []*syntax.Regexp, re *syntax.Regexp) []*syntax.Regexp {
	if re.Op != syntax.OpConcat && re.Op != syntax.OpCapture {
		return append(list, re)
	}
	for _, sub := range re.Sub {
		list = inOrder(list, sub)
	}
	return list
}

// waysOf returns the possible starts of the matches of an expression. The result `whole` says that each of them is a
// complete match.
func waysOf(re *syntax.Regexp) (ways [][]letters, whole bool) {
	nothing := [][]letters{nil}
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText,
		syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return nothing, true
	case syntax.OpLiteral:
		var list []letters
		for _, r := range re.Rune {
			if r >= utf8.RuneSelf {
				return [][]letters{list}, false
			}
			list = append(list, lettersOf(r, re.Flags&syntax.FoldCase != 0))
		}
		return [][]letters{list}, true
	case syntax.OpCharClass:
		var l letters
		for i := 0; i < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				if r < utf8.RuneSelf {
					l.add(byte(r))
				} else if !strings.ContainsRune(foldsToASCII, r) {
					l[2] = 1
					break
				}
			}
		}
		return [][]letters{{l}}, true
	case syntax.OpCapture, syntax.OpConcat:
		return waysOfAll(re.Sub)
	case syntax.OpAlternate:
		whole = true
		for _, sub := range re.Sub {
			one, all := waysOf(sub)
			ways, whole = append(ways, one...), whole && all
		}
		if len(ways) > mostWays {
			return nothing, false
		}
		return ways, whole
	case syntax.OpPlus:
		ways, _ = waysOf(re.Sub[0])
		return ways, false
	case syntax.OpRepeat:
		sub := make([]*syntax.Regexp, min(re.Min, mostLetters))
		for i := range sub {
			sub[i] = re.Sub[0]
		}
		ways, whole = waysOfAll(sub)
		return ways, whole && re.Min == re.Max && re.Min <= mostLetters
	}
	return nothing, false
}

// waysOfAll does the same as waysOf, for consecutive expressions.
func waysOfAll(list []*syntax.Regexp) (ways [][]letters, whole bool) {
	ways = [][]letters{nil}
	for _, re := range list {
		next, all := waysOf(re)
		if len(ways)*len(next) > mostWays {
			return ways, false
		}
		if ways = joined(ways, next); !all {
			return ways, false
		}
	}
	return ways, true
}

// `joined` returns each way followed by each of the next ways.
func joined(ways, next [][]letters) [][]letters {
	out := make([][]letters, 0, len(ways)*len(next))
	for _, one := range ways {
		for _, more := range next {
			out = append(out, append(one[:len(one):len(one)], more...))
		}
	}
	return out
}

// lettersOf returns the letters that match a rune of an expression.
func lettersOf(r rune, fold bool) letters {
	var l letters
	l.add(byte(r))
	if fold {
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			if other < utf8.RuneSelf {
				l.add(byte(other))
			}
		}
	}
	return l
}

// withKeywords makes a core from each way; nil if a way has no keyword.
func withKeywords(ways [][]letters, keywords []string) []core {
	var out []core
	for _, way := range ways {
		way = way[:min(len(way), mostLetters)]
		c := core{letters: way, at: -1}
		for _, word := range keywords {
			for at := 0; at+len(word) <= len(way) && c.at < 0; at++ {
				if spells(way[at:], word) {
					c.keyword, c.at = word, at
				}
			}
		}
		if c.at < 0 {
			return nil
		}
		out = append(out, c)
	}
	return out
}

func spells(way []letters, word string) bool {
	for i := range len(word) {
		if !way[i].within(word[i]) {
			return false
		}
	}
	return true
}

// leastOf returns the length of the shortest core.
func leastOf(list []core) int {
	least := 0
	for i, c := range list {
		if n := len(c.letters); i == 0 || n < least {
			least = n
		}
	}
	return least
}

// foldsToASCII are the characters that a case-insensitive expression matches with s and k. The search for keywords does
// not find them.
const (
	foldsToASCII = "\u017f\u212a"
	longestFold  = 3
)

// mayMatch reports whether a match may have the keyword at a position of a text. The test of a core ends at a byte
// outside ASCII: a match is then possible if the core allows such a byte.
func mayMatch(cores []core, text string, start int, keyword string) bool {
	for i := range cores {
		if c := &cores[i]; c.keyword == keyword && c.stands(text, start-c.at) {
			return true
		}
	}
	return false
}

func (c *core) stands(text string, at int) bool {
	if at < 0 {
		return false
	}
	text = text[at:]
	for i := range c.letters {
		switch {
		case i >= len(text):
			return false
		case text[i] >= utf8.RuneSelf:
			return c.letters[i][2] != 0 || folded(text[i:min(len(text), i+longestFold)])
		case !c.letters[i].has(text[i]):
			return false
		}
	}
	return true
}

// `folded` reports whether a text has a character that folds to an ASCII letter.
func folded(text string) bool {
	for _, r := range foldsToASCII {
		if strings.ContainsRune(text, r) {
			return true
		}
	}
	return false
}
