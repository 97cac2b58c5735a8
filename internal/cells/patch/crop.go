package patch

import (
	"fmt"
	"strconv"
)

// crop keeps the rows around the line, in the hunk that contains it, or else in the last hunk before it.
func (s Style) crop(hunks []hunk) []hunk {
	if len(hunks) == 0 {
		return nil
	}
	at := 0
	for i := range hunks {
		if hunks[i].rows[0].now <= s.Crop.Line {
			at = i
		}
	}
	rows := hunks[at].rows
	middle := 0
	for i := range rows {
		if removed, number := rows[i].number(); !removed && number > 0 && number <= s.Crop.Line {
			middle = i
		}
	}
	from := max(min(middle-s.Crop.Rows/2, len(rows)-s.Crop.Rows), 0)
	to := min(from+s.Crop.Rows, len(rows))
	for to < len(rows) && rows[to].sign == '\\' { // it belongs to the previous line
		to++
	}
	out := hunk{rows: s.leftOut(hunks[:at], rows[:from])}
	out.rows = append(append(out.rows, rows[from:to]...), s.leftOut(hunks[at+1:], rows[to:])...)
	out.head = s.ranges(rows[from:to])
	return []hunk{out}
}

// leftOut draws the number of changed lines that are left out, if there are any.
func (s Style) leftOut(hunks []hunk, rows []row) []row {
	for _, h := range hunks {
		rows = append(rows[:len(rows):len(rows)], h.rows...)
	}
	n := 0
	for i := range rows {
		if rows[i].sign == '+' || rows[i].sign == '-' {
			n++
		}
	}
	if n == 0 || s.Crop.LeftOut == nil {
		return nil
	}
	return []row{{text: s.Crop.LeftOut(n), sign: '\\'}}
}

// ranges returns the line ranges of the rows of a window.
func (s Style) ranges(rows []row) string {
	old, now := 0, 0
	for i := range rows {
		if rows[i].sign == '-' || rows[i].sign == ' ' {
			old++
		}
		if rows[i].sign == '+' || rows[i].sign == ' ' {
			now++
		}
	}
	text := fmt.Sprintf("@@ -%s +%s @@", span(rows[0].old, old), span(rows[0].now, now))
	if s.Crop.Ranges != "" {
		text = "@@ " + s.Crop.Ranges + " @@"
	}
	if s.Color {
		text = cyan + text + "\x1b[m"
	}
	if s.Crop.Title != "" {
		text += " " + s.Crop.Title
	}
	return text + "\n"
}

// span returns a range in the form of a unified diff.
func span(start, count int) string {
	switch count {
	case 0:
		return strconv.Itoa(start-1) + ",0"
	case 1:
		return strconv.Itoa(start)
	}
	return strconv.Itoa(start) + "," + strconv.Itoa(count)
}
