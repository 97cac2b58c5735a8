package page

import (
	"fmt"
	"strings"
)

// Document is text in parts. Some parts may be left out.
type Document struct {
	Part
	order []loose
}

// Part is text, or parts between a head and a foot. A part that loses all its parts is left out itself.
type Part struct {
	head, foot string
	parts      []*Part
	gone       bool
}

// loose is a part that may be left out, with its kind.
type loose struct {
	*Part
	what string
}

// Add adds a part: head, then its own parts, then foot.
func (p *Part) Add(head, foot string) *Part {
	part := &Part{head: head, foot: foot}
	p.parts = append(p.parts, part)
	return part
}

// Loose marks parts that may be left out, the last one first, after the parts of earlier calls. what is the name of one
// part.
func (d *Document) Loose(what string, parts []*Part) {
	for i := len(parts) - 1; i >= 0; i-- {
		d.order = append(d.order, loose{parts[i], what})
	}
}

// Left has a kind of part, the number of parts left out, and their total.
type Left struct {
	What      string
	Parts, Of int
}

// TooSmallError reports a limit that is too small even for the fixed parts.
type TooSmallError struct{ Limit, Least int }

func (e *TooSmallError) Error() string {
	return fmt.Sprintf("%d bytes are too few: the least is %d", e.Limit, e.Least)
}

// Within returns the text in at most limit bytes; 0 is no limit. tell describes at the end what was left out for the
// limit.
func (d *Document) Within(limit int, tell func(limit int, left []Left) string) (string, error) {
	told := func(left []Left) string { return tell(limit, left) }
	text := d.without(0, told)
	if limit == 0 || len(text) <= limit {
		return text, nil
	}
	least := d.without(len(d.order), told)
	if len(least) > limit {
		return "", &TooSmallError{limit, d.least(tell)}
	}
	fits, over := len(d.order), 0 // this many parts left out are too few, or too many
	text = least
	for fits-over > 1 {
		middle := (fits + over) / 2
		if some := d.without(middle, told); len(some) <= limit {
			fits, text = middle, some
		} else {
			over = middle
		}
	}
	return text, nil
}

// least returns the smallest limit that can be kept. The text of tell for a larger one may be longer.
func (d *Document) least(tell func(int, []Left) string) int {
	for limit := 0; ; {
		n := len(d.without(len(d.order), func(left []Left) string { return tell(limit, left) }))
		if n <= limit {
			return limit
		}
		limit = n
	}
}

// without returns the text without the first parts of the order.
func (d *Document) without(n int, told func([]Left) string) string {
	var left []Left
	for i, one := range d.order {
		one.gone = i < n
		at := len(left) - 1
		for at >= 0 && left[at].What != one.what {
			at--
		}
		if at < 0 {
			at, left = len(left), append(left, Left{What: one.what})
		}
		left[at].Of++
		if i < n {
			left[at].Parts++
		}
	}
	kept := left[:0]
	for _, one := range left {
		if one.Parts > 0 {
			kept = append(kept, one)
		}
	}
	var out strings.Builder
	d.write(&out)
	if len(kept) > 0 {
		out.WriteString(told(kept))
	}
	return out.String()
}

func (p *Part) write(out *strings.Builder) {
	if p.gone || len(p.parts) > 0 && !p.any() {
		return
	}
	out.WriteString(p.head)
	for _, part := range p.parts {
		part.write(out)
	}
	out.WriteString(p.foot)
}

func (p *Part) any() bool {
	for _, part := range p.parts {
		if !part.gone && (len(part.parts) == 0 || part.any()) {
			return true
		}
	}
	return false
}
