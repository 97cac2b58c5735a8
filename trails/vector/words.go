package vector

// trivial is the number of letters and digits from which a text is evidence. Braces and blank lines have less.
const trivial = 4

// letters counts the ASCII letters and digits of a text. It counts each byte that can begin another character in UTF-8,
// or be one in Latin-1.
func letters(text []byte) int {
	n := 0
	for _, c := range text {
		if '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0xC0 {
			n++
		}
	}
	return n
}

func lettersIn(lines [][]byte) int {
	n := 0
	for _, line := range lines {
		n += letters(line)
	}
	return n
}

// hasWords reports whether lines together are not trivial.
func hasWords(lines [][]byte) bool {
	n := 0
	for _, line := range lines {
		if n += letters(line); n >= trivial {
			return true
		}
	}
	return false
}

// newTextLines is the least number of lines with a word that a text must have lost to count as new.
const newTextLines = 3

// isNewText reports whether a change keeps only punctuation of a longer text. Then somebody deleted everything and
// wrote something else, and the braces of the two texts are different braces. For example: a person replaces an agent's
// file by their own. The closing braces are the person's.
func (c *Change) isNewText() bool {
	if len(c.new) == 0 {
		return false
	}
	lost, at := 0, 0
	for _, p := range append(c.parts[:len(c.parts):len(c.parts)], c.end()) {
		for ; at < p.OldStart; at++ {
			if letters(c.old.Lines[at]) > 0 {
				return false
			}
		}
		for i, fate := range p.fates {
			if letters(c.old.Lines[at+i]) == 0 {
				continue
			}
			if fate == kept {
				return false
			}
			lost++
		}
		at += len(p.fates)
	}
	return lost >= newTextLines
}
