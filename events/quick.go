package events

import "bytes"

// quickLine are the members by which lines are linked, as they stand in the line.
type quickLine struct {
	id, prev, writer []byte
	seq              int64
	idAt, idEnd      int // of the id member, from its name to behind its value
}

// readQuick finds the members; false for what is no object with them. It does not check what else the line holds.
func readQuick(line []byte) (q quickLine, ok bool) {
	if len(line) < 2 || line[0] != '{' {
		return q, false
	}
	for at := 1; at < len(line); at++ {
		start := at
		name, value, next, ok := quickMember(line, at)
		if !ok {
			return q, false
		}
		at = next
		switch string(name) {
		case "id":
			q.id, q.idAt, q.idEnd = unquoted(value), start, at
		case "prev":
			q.prev = unquoted(value)
		case "writer":
			q.writer = unquoted(value)
		case "seq":
			if q.seq, ok = quickInteger(value); !ok {
				return q, false
			}
		}
		if at == len(line)-1 && line[at] == '}' {
			return q, q.id != nil && q.seq > 0 && q.writer != nil
		}
		if at >= len(line) || line[at] != ',' {
			return q, false
		}
	}
	return q, false
}

// quickMember gives the name and the value of the member that begins at a place, and where it ends.
func quickMember(line []byte, at int) (name, value []byte, end int, ok bool) {
	name, colon, ok := quickString(line, at)
	if !ok || colon >= len(line) || line[colon] != ':' {
		return nil, nil, 0, false
	}
	if end, ok = quickValue(line, colon+1); !ok {
		return nil, nil, 0, false
	}
	return name, line[colon+1 : end], end, true
}

// quickString gives what is between the quotes of the string that begins at a place, and where it ends.
func quickString(line []byte, at int) (body []byte, end int, ok bool) {
	if at >= len(line) || line[at] != '"' {
		return nil, 0, false
	}
	i := at + 1
	for stop := min(i+shortString, len(line)); i < stop; i++ {
		switch line[i] {
		case '"':
			return line[at+1 : i], i + 1, true
		case '\\':
			i++
		}
	}
	for i < len(line) {
		n := bytes.IndexByte(line[i:], '"')
		if n < 0 {
			break
		}
		i += n
		slashes := 0
		for line[i-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return line[at+1 : i], i + 1, true
		}
		i++
	}
	return nil, 0, false
}

// shortString is up to where a string is searched byte by byte. For a name that takes less time than setting up a
// search in bulk.
const shortString = 12

// quickValue is where the value that begins at a place ends.
func quickValue(line []byte, at int) (end int, ok bool) {
	if at >= len(line) {
		return 0, false
	}
	switch line[at] {
	case '"':
		_, end, ok = quickString(line, at)
		return end, ok
	case '{', '[':
		return quickNested(line, at)
	}
	for ; at < len(line); at++ {
		if c := line[at]; c == ',' || c == '}' || c == ']' {
			return at, true
		}
	}
	return 0, false
}

// quickNested is where the object or list that begins at a place ends.
func quickNested(line []byte, at int) (end int, ok bool) {
	depth := 0
	for at < len(line) {
		switch line[at] {
		case '"':
			if _, at, ok = quickString(line, at); !ok {
				return 0, false
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return at + 1, true
			}
		}
		at++
	}
	return 0, false
}

func unquoted(value []byte) []byte {
	if len(value) < 2 || value[0] != '"' {
		return nil
	}
	return value[1 : len(value)-1]
}

func quickInteger(digits []byte) (n int64, ok bool) {
	for _, c := range digits {
		if c < '0' || c > '9' || n > MaxInt {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, len(digits) > 0
}
