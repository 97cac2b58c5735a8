package redact

import (
	"context"
	"strings"
)

// leastDump is how many bytes a line without an offset has to hold, and a dump.
const leastDump = 10

// dumps are the readings of a text in which the bytes of dumps stand for what they are: as hexdump, xxd, od and lists
// of numbers show them. A line of a dump goes as a whole, with the letters beside its numbers.
type dumps struct {
	plain, swapped reading // the bytes in order, and with those of each group turned around, as od -x shows them
	bytes          int     // since the last line that is none of a dump
	wordy          bool    // groups have more than a byte
}

// inDumps finds secrets in dumps.
func (r *Redactor) inDumps(ctx context.Context, text string, m manner, layer int) ([]span, error) {
	d := r.readDumps(text)
	var found []span
	for _, v := range [...]*reading{&d.plain, &d.swapped} {
		if len(v.text) < leastDump {
			continue
		}
		list, err := r.secrets(ctx, string(v.text), m, layer+1)
		if err != nil {
			return nil, err
		}
		for _, s := range v.back(list) {
			found = append(found, span{start: s.start, end: s.end, rule: s.rule})
		}
	}
	return found, nil
}

// readDumps reads the lines that have a run of the bytes of lists. Another one ends a dump.
func (r *Redactor) readDumps(text string) *dumps {
	d := &dumps{}
	for next := 0; next < len(text); {
		run, _ := nextRun(text, next, leastList, &r.list)
		if run < 0 {
			run = len(text)
		}
		at := next + 1 + strings.LastIndexByte(text[next:run], '\n')
		if at > next || run == len(text) {
			d.close(endOfLine(text, next))
		}
		if run == len(text) {
			break
		}
		end := endOfLine(text, run)
		d.line(text, at, end)
		next = end + 1
	}
	if !d.wordy {
		d.swapped = reading{}
	}
	return d
}

// endOfLine is where the line ends that a place stands on.
func endOfLine(text string, at int) int {
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(text)
}

// line takes the line from start to end.
func (d *dumps) line(text string, start, end int) {
	if end-start < 4 {
		d.close(end)
		return
	}
	at := start
	if text[at] == '+' || text[at] == '-' || text[at] == '>' {
		at++
	}
	at = gutter(text[:end], at)
	groups, offset := groupsOf(text[at:end])
	if len(groups) == 0 {
		d.close(end)
		return
	}
	from := start
	if !offset { // a list of numbers beside other text
		from, end = at+groups[0].at, at+groups[len(groups)-1].end
	}
	for _, g := range groups {
		for i := range g.bytes {
			d.plain.add(shownByte(g.bytes[i]), from, end)
			d.swapped.add(shownByte(g.bytes[len(g.bytes)-1-i]), from, end)
		}
		d.wordy = d.wordy || len(g.bytes) > 1
		d.bytes += len(g.bytes)
	}
}

// close ends a dump: what follows does not belong to its bytes.
func (d *dumps) close(at int) {
	if d.bytes > 0 {
		d.plain.add('\n', at, at)
		d.swapped.add('\n', at, at)
	}
	d.bytes = 0
}

// shownByte keeps bytes that are no ASCII out of a text.
func shownByte(c byte) byte {
	if c > 0x7f {
		return ' '
	}
	return c
}

// group is what stands together on a line of a dump.
type group struct {
	at, end int
	bytes   []byte
}

// groupsOf reads the bytes of a line; offset tells that the line begins with its place in the file.
func groupsOf(line string) (groups []group, offset bool) {
	body, offset := cutOffset(line)
	if !offset {
		if !mayList(line) {
			return nil, false
		}
		if groups = numbers(line, 0, 16, false); groups == nil {
			groups = numbers(line, 0, 10, false)
		}
		return groups, false
	}
	if groups = cells(line, body); groups != nil {
		return groups, true
	}
	if groups = numbers(line, body, 16, true); groups == nil {
		groups = numbers(line, body, 8, true)
	}
	return groups, groups != nil
}

// leastList is how long what a dump or a list holds is at least: a number of one digit each, and what stands between.
// The offset of a line is as long.
const leastList = 2*leastNumbers - 1

// ofList tells the bytes that lists of numbers are made of.
func ofList(c byte) bool { return isHex(c) || c == 'x' || betweenNumbers(c) }

// mayList spares most lines the reading: a list has some numbers next to each other.
func mayList(line string) bool {
	near, digits := 0, 0
	for i := range len(line) {
		switch listKind[line[i]] {
		case aDigit:
			digits++
		case between:
			if digits > 0 && digits <= 8 {
				if near++; near >= leastNumbers {
					return true
				}
			} else if digits > 0 {
				near = 0
			}
			digits = 0
		default:
			near, digits = 0, -len(line)
		}
	}
	return digits > 0 && near+1 >= leastNumbers
}

// The kinds of bytes of lists of numbers.
const (
	aDigit = 1 + iota
	between
)

// listKind is the kind of each byte; 0 for one that no list has.
var listKind = func() (kinds [256]uint8) {
	for c := range 256 {
		if b := byte(c); isHex(b) || b == 'x' {
			kinds[c] = aDigit
		} else if betweenNumbers(b) {
			kinds[c] = between
		}
	}
	return kinds
}()

// leastNumbers is how many numbers make a list.
const leastNumbers = 4

func betweenNumbers(c byte) bool {
	return c == ' ' || c == ',' || c == ':' || c == '\t' || c == '[' || c == ']' || c == '{' || c == '}' || c == '<' ||
		c == '>' || c == '(' || c == ')' || c == '"'
}

// cutOffset gives where a line goes on behind its offset: 6 to 16 digits, a colon and space.
func cutOffset(line string) (at int, offset bool) {
	i := 0
	for i < len(line) && isHex(line[i]) {
		i++
	}
	digits := i
	if i < len(line) && line[i] == ':' {
		i++
	}
	if digits < 6 || digits > 16 || i >= len(line) || line[i] != ' ' {
		return 0, false
	}
	return i, true
}

// lineBytes is how many bytes a line with an offset has: what follows are the letters beside them.
const lineBytes = 16

// numbers reads a list of numbers of a base; nil when there is none. Behind an offset it begins at once; otherwise it
// is looked for.
func numbers(line string, at, base int, offset bool) []group {
	var groups []group
	total, digits := 0, 0
	for at < len(line) && !(offset && total >= lineBytes) {
		gap := at
		for at < len(line) && betweenNumbers(line[at]) {
			at++
		}
		if offset && len(groups) > 0 && at-gap > 2 {
			break
		}
		comma := strings.IndexByte(line[gap:at], ',') >= 0
		marked := base == 16 && strings.HasPrefix(line[at:], "0x")
		if marked {
			at += 2
		}
		start := at
		for at < len(line) && !betweenNumbers(line[at]) {
			at++
		}
		value, ok := bytesOf(line[start:at], base, marked)
		switch {
		case !ok || base == 16 && comma && !marked && len(groups) > 0 || base != 10 && !marked && len(groups) > 0 &&
			at-start > digits:
			if offset || total >= leastDump {
				return enough(groups, total, offset)
			}
			groups, total = nil, 0
		default:
			if len(groups) == 0 {
				digits = at - start
			}
			groups = append(groups, group{start, at, value})
			total += len(value)
		}
	}
	return enough(groups, total, offset)
}

// enough gives a list that is long enough to be one.
func enough(groups []group, total int, offset bool) []group {
	if !offset && total < leastDump {
		return nil
	}
	return groups
}

// bytesOf reads a number of a base as bytes, the most significant first. Marked tells that it stands behind 0x.
func bytesOf(digits string, base int, marked bool) ([]byte, bool) {
	value, ok := number(digits, base)
	switch base {
	case 16:
		if marked && ok && value < 1<<8 {
			return []byte{byte(value)}, true
		}
		return hexGroup(digits)
	case 8:
		switch {
		case ok && len(digits) == 3 && value < 1<<8:
			return []byte{byte(value)}, true
		case ok && len(digits) == 6 && value < 1<<16:
			return []byte{byte(value >> 8), byte(value)}, true
		}
	default:
		if ok && len(digits) <= 3 && value < 1<<8 {
			return []byte{byte(value)}, true
		}
	}
	return nil, false
}

// hexGroup reads 2, 4, 8 or 16 hexadecimal digits.
func hexGroup(digits string) ([]byte, bool) {
	switch len(digits) {
	case 2, 4, 8, 16:
	default:
		return nil, false
	}
	var out []byte
	for i := 0; i < len(digits); i += 2 {
		if !isHex(digits[i]) || !isHex(digits[i+1]) {
			return nil, false
		}
		out = append(out, hexDigit(digits[i])<<4|hexDigit(digits[i+1]))
	}
	return out, true
}

// cellWidth is how wide od -c and hexdump -c write a byte.
const cellWidth = 4

// cells reads a line of od -c and hexdump -c: letters, escapes and octal numbers, right-aligned in cells of the same
// width.
func cells(line string, at int) []group {
	var groups []group
	for rest := line[at:]; len(rest) >= cellWidth; rest = rest[cellWidth:] {
		cell := strings.TrimLeft(rest[:cellWidth], " ")
		value, ok := cellByte(cell)
		if rest[0] != ' ' || !ok {
			return nil
		}
		groups = append(groups, group{0, 0, []byte{value}})
	}
	if len(groups) < 1 || len(line[at:])%cellWidth > 0 {
		return nil
	}
	return groups
}

func cellByte(cell string) (byte, bool) {
	switch len(cell) {
	case 0:
		return ' ', true
	case 1:
		return cell[0], cell[0] > ' ' && cell[0] < 0x7f
	case 2:
		if i := strings.IndexByte("0abtnvfr", cell[1]); cell[0] == '\\' && i >= 0 {
			return "\x00\a\b\t\n\v\f\r"[i], true
		}
	case 3:
		value, ok := number(cell, 8)
		return byte(value), ok && value < 1<<8
	}
	return 0, false
}
