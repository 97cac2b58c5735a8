package gitblame

import (
	"strconv"
	"strings"
)

// lineRange is the range of -L (git-blame(1)) if it is given in numbers. The zero value means the whole file.
type lineRange struct {
	first, last int // lines from 1; 0 means the first or last line of the file
}

// parseRange reads the values of an -L option: "3", "3,", "3,5", "3,+2", ",5". It returns false for any other form.
func parseRange(words []string) (lineRange, bool) {
	spec := words[len(words)-1]
	if len(words) == 1 {
		spec = strings.TrimPrefix(spec, "-L")
	}
	start, end, _ := strings.Cut(spec, ",")
	if start == "" && end == "" {
		return lineRange{}, false
	}
	var r lineRange
	var ok bool
	if start != "" {
		if r.first, ok = rangeNumber(start); !ok {
			return r, false
		}
	}
	count, relative := strings.CutPrefix(end, "+")
	switch {
	case end == "":
		return r, true
	case relative && start == "":
		return r, false
	}
	if r.last, ok = rangeNumber(count); !ok {
		return r, false
	}
	if relative {
		r.last += r.first - 1
	}
	if r.last < r.first {
		r.first, r.last = r.last, r.first
	}
	return r, true
}

func rangeNumber(text string) (int, bool) {
	const digits = 9
	if len(text) > digits || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	return n, err == nil && n > 0
}

// `in` limits the range to a content with the given number of lines. It returns false if git would refuse the range.
func (r lineRange) in(lines int) (first, last int, ok bool) {
	first, last = max(r.first, 1), lines
	if r.last > 0 {
		last = min(r.last, lines)
	}
	return first, last, first <= lines
}
