package rawjson

// skip returns the offset after the value that begins at `pos`; white space may precede the value.
func skip(data []byte, pos, depth int) (int, error) {
	var stack [MaxDepth]byte
	open := 0
	for {
		// A value begins here.
		for pos < len(data) && isSpace(data[pos]) {
			pos++
		}
		if pos == len(data) {
			return pos, at(ErrTruncated, pos)
		}
		switch c := data[pos]; c {
		case '"':
			end, _ := stringEnd(data, pos)
			if end < 0 {
				return len(data), at(ErrTruncated, len(data))
			}
			pos = end
		case '{', '[':
			if open >= depth {
				return pos, at(ErrDepth, pos)
			}
			stack[open] = c
			open++
			var closed bool
			var err error
			if pos, closed, err = enter(data, pos+1, c); err != nil {
				return pos, err
			}
			if !closed {
				continue
			}
			open--
		default:
			end := scalarEnd(data, pos)
			if end < 0 {
				return pos, scalarFault(data, pos)
			}
			pos = end
		}
		// A value has ended: close its containers, or find the next value.
		for {
			if open == 0 {
				return pos, nil
			}
			var closed bool
			var err error
			if pos, closed, err = follow(data, pos, stack[open-1]); err != nil {
				return pos, err
			}
			if !closed {
				break
			}
			open--
		}
	}
}

// enter reads the text after an opening brace or bracket: the closing one, or everything before the first value.
func enter(data []byte, pos int, kind byte) (next int, closed bool, err error) {
	for pos < len(data) && isSpace(data[pos]) {
		pos++
	}
	if pos < len(data) && data[pos] == kind+2 { // the codes of '{' and '}', and of '[' and ']', differ by two
		return pos + 1, true, nil
	}
	if kind == '[' {
		return pos, false, nil
	}
	pos, err = skipKey(data, pos)
	return pos, false, err
}

// follow reads the text after a value in an object or array.
func follow(data []byte, pos int, kind byte) (next int, closed bool, err error) {
	for pos < len(data) && isSpace(data[pos]) {
		pos++
	}
	if pos == len(data) {
		return pos, false, at(ErrTruncated, pos)
	}
	switch data[pos] {
	case kind + 2:
		return pos + 1, true, nil
	case ',':
		if kind == '[' {
			return pos + 1, false, nil
		}
		pos++
		for pos < len(data) && isSpace(data[pos]) {
			pos++
		}
		pos, err = skipKey(data, pos)
		return pos, false, err
	}
	return pos, false, at(ErrSyntax, pos)
}

// skipKey reads a member's name and its colon.
func skipKey(data []byte, pos int) (int, error) {
	if pos == len(data) {
		return pos, at(ErrTruncated, pos)
	}
	if data[pos] != '"' {
		return pos, at(ErrSyntax, pos)
	}
	end, _ := stringEnd(data, pos)
	if end < 0 {
		return len(data), at(ErrTruncated, len(data))
	}
	for end < len(data) && isSpace(data[end]) {
		end++
	}
	if end == len(data) {
		return end, at(ErrTruncated, end)
	}
	if data[end] != ':' {
		return end, at(ErrSyntax, end)
	}
	return end + 1, nil
}

// scalarEnd returns the offset after the literal or number at `pos`; -1 if there is none.
func scalarEnd(data []byte, pos int) int {
	for _, word := range [...]string{"true", "false", "null"} {
		if data[pos] == word[0] {
			if len(data)-pos >= len(word) && string(data[pos:pos+len(word)]) == word {
				return pos + len(word)
			}
			return -1
		}
	}
	return numberEnd(data, pos)
}

func numberEnd(data []byte, pos int) int {
	if data[pos] == '-' {
		pos++
	}
	switch from := pos; {
	case pos < len(data) && data[pos] == '0':
		pos++
	default:
		if pos = digitsEnd(data, pos); pos == from {
			return -1
		}
	}
	if pos < len(data) && data[pos] == '.' {
		from := pos + 1
		if pos = digitsEnd(data, from); pos == from {
			return -1
		}
	}
	if pos < len(data) && data[pos]|0x20 == 'e' {
		pos++
		if pos < len(data) && (data[pos] == '+' || data[pos] == '-') {
			pos++
		}
		from := pos
		if pos = digitsEnd(data, from); pos == from {
			return -1
		}
	}
	return pos
}

func digitsEnd(data []byte, pos int) int {
	for pos < len(data) && '0' <= data[pos] && data[pos] <= '9' {
		pos++
	}
	return pos
}

// scalarFault returns the error for a wrong literal or number, or for one that the end of the text cut off.
func scalarFault(data []byte, pos int) error {
	end := pos
	for end < len(data) && (data[end] == '-' || data[end] == '+' || data[end] == '.' ||
		'0' <= data[end] && data[end] <= '9' || 'a' <= data[end]|0x20 && data[end]|0x20 <= 'z') {
		end++
	}
	if end == len(data) && end > pos {
		return at(ErrTruncated, end)
	}
	return at(ErrSyntax, pos)
}
