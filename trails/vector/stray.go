package vector

// bracket is a closing bracket of a new line that has no opening bracket before it in its hunk.
type bracket struct {
	part *part
	line int // number within the hunk
	sign byte
}

// strayBrackets makes a line new if it has only stray brackets, and more of them than the old lines have: formatters
// add brackets in pairs. For example: a person types a brace while a formatter breaks the lines around it.
func (c *Change) strayBrackets() {
	had := map[byte]int{} // stray brackets of the old lines
	var now []bracket
	reformed := func(b bracket) bool {
		return b.part.origins[b.line].why == Reformatted && !says(c.new[b.part.NewStart+b.line])
	}
	for k := range c.parts {
		p := &c.parts[k]
		eachUnopened(c.old.Lines[p.OldStart:p.Old().End], func(_ int, sign byte) { had[sign]++ })
		eachUnopened(c.new[p.NewStart:p.New().End], func(line int, sign byte) {
			if b := (bracket{p, line, sign}); reformed(b) {
				now = append(now, b)
			} else {
				had[sign]--
			}
		})
	}
	for _, b := range now {
		if had[b.sign]--; had[b.sign] < 0 {
			b.part.origins[b.line] = origin{}
		}
	}
}

// eachUnopened calls a function for each closing bracket that has no opening bracket before it.
func eachUnopened(lines [][]byte, call func(line int, sign byte)) {
	open := 0
	for i, line := range lines {
		for _, sign := range line {
			switch sign {
			case '(', '[', '{':
				open++
			case ')', ']', '}':
				if open == 0 {
					call(i, sign)
				}
				open = max(open-1, 0)
			}
		}
	}
}
