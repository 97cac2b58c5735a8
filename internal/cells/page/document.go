package page

import (
	"fmt"
	"strings"
)

// Document is a text made of parts. Some parts may be left out.
type Document struct {
	Part
	order []loose
}

// Part is a text, or parts between a head and a foot. If all its parts are left out, it is left out, too.
type Part struct {
	head, foot string
	parts      []*Part
	gone       bool
}

// loose is a part that may be left out, and its kind.
type loose struct {
	*Part
	what string
}

// Add adds a part, and returns it. In the text come its head, its own parts, then its foot.
func (p *Part) Add(head, foot string) *Part {
	part := &Part{head: head, foot: foot}
	p.parts = append(p.parts, part)
	return part
}

// Loose marks parts that may be left out: first the parts of earlier calls, then these parts, from the last to the
// first. The parameter `what` names the kind of part.
func (d *Document) Loose(what string, parts []*Part) {
	for i := len(parts) - 1; i >= 0; i-- {
		d.order = append(d.order, loose{parts[i], what})
	}
}

// `Left` gives a kind of part, the number of parts that were left out, and their total number.
type Left struct {
	What      string
	Parts, Of int
}

// TooSmallError means that the limit is too small even for the parts that must stay.
type TooSmallError struct{ Limit, Least int }

func (e *TooSmallError) Error() string {
	return fmt.Sprintf("%d bytes are too few: the least is %d", e.Limit, e.Least)
}

// `Within` returns the text in at most `limit` bytes; 0 means no limit. The function `tell` returns the text at the end
// about the parts that were left out.
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
	fits, over := len(d.order), 0 // leaving out fits parts is enough, leaving out over parts is not
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

// `least` returns the smallest possible limit. With a larger limit, the text of tell may be longer.
func (d *Document) least(tell func(int, []Left) string) int {
	for limit := 0; ; {
		n := len(d.without(len(d.order), func(left []Left) string { return tell(limit, left) }))
		if n <= limit {
			return limit
		}
		limit = n
	}
}

// `without` returns the text without the first n parts of the order.
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
