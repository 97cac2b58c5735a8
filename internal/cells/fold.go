package cells

import "strings"

// Fold breaks a line that is wider than n cells. The line may have colours. It breaks before a part, which begins after
// two blanks or with "·". If such a part is too wide, it breaks at single blanks. Continuation lines are indented to
// the second part, so that a label keeps its column. A word that is wider than a line stays whole, so that it can be
// pasted.
func Fold(line string, n int) string {
	if len(line) <= n {
		return line
	}
	f := folder{n: n}
	parts := f.parse(line)
	if f.total <= n {
		return line
	}
	for i := range parts {
		f.part(&parts[i])
	}
	return f.out.String()
}

// word is the text between two blanks, with the blanks before it (gap).
type word struct {
	gap, text string // text has colours, gap does not
	width     int
}

// part is a group of words that stay on one line if it is wide enough.
type part struct {
	words []word
	width int // without the gap before the part
}

type folder struct {
	n      int
	total  int // width of the unfolded line
	indent int // indentation of the first line
	hang   int // indentation of continuation lines
	at     int // width of the current line so far
	out    strings.Builder
	colour string // active colours
}

const (
	partGap   = 2 // blanks between parts
	hangBelow = 2 // default, added to the first line's indent
)

// `parse` cuts a line into parts.
func (f *folder) parse(line string) []part {
	var parts []part
	start := 0
	for rest := line; rest != ""; {
		text := strings.TrimLeft(rest, " ")
		gap := rest[:len(rest)-len(text)]
		end := strings.IndexByte(text, ' ')
		if end < 0 {
			end = len(text)
		}
		w := word{gap, text[:end], Width(plain(text[:end]))}
		rest = text[end:]
		if len(parts) == 0 || len(gap) >= partGap || w.text == "·" {
			if len(parts) == 0 {
				f.indent = len(gap)
			} else if f.total += len(gap); start == 0 && len(gap) >= partGap {
				start = f.total
			}
			parts = append(parts, part{words: []word{w}, width: w.width})
		} else {
			p := &parts[len(parts)-1]
			p.words, p.width = append(p.words, w), p.width+len(gap)+w.width
			f.total += len(gap)
		}
		f.total += w.width
	}
	f.total += f.indent
	if f.hang = start + f.indent; start == 0 || f.hang > f.n/2 {
		f.hang = min(f.indent+hangBelow, f.n/2)
	}
	return parts
}

// part writes a part on this line, on the next one, or word by word.
func (f *folder) part(p *part) {
	whole := p.width <= f.n-f.hang
	for i, w := range p.words {
		width := w.width
		if i == 0 && whole {
			width = p.width
		}
		f.word(w, width)
	}
}

// word writes a word. It starts a new line if this one has no room for the word and its punctuation.
func (f *folder) word(w word, width int) {
	if f.at > 0 && f.at+len(w.gap)+width > f.n && (width <= f.n-f.hang || w.width <= f.n-f.indent-hangBelow) {
		indent := f.hang
		if w.width > f.n-indent {
			indent = f.indent + hangBelow
		}
		if f.colour != "" {
			f.out.WriteString("\x1b[m")
		}
		f.out.WriteString("\n" + strings.Repeat(" ", indent) + f.colour)
		w.gap, f.at = "", indent
	}
	f.out.WriteString(w.gap + w.text)
	f.at += len(w.gap) + w.width
	for rest := w.text; ; {
		_, found, more := strings.Cut(rest, "\x1b[")
		code, after, ends := strings.Cut(found, "m")
		if !more || !ends {
			return
		}
		if f.colour += "\x1b[" + code + "m"; code == "" || code == "0" {
			f.colour = ""
		}
		rest = after
	}
}

// `plain` returns a text without its colours.
func plain(text string) string {
	before, rest, _ := strings.Cut(text, "\x1b[")
	if _, after, ends := strings.Cut(rest, "m"); ends {
		return before + plain(after)
	}
	return text
}
