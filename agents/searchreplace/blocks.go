// Package searchreplace reads the edits that models of several agents write as blocks of text: old and new lines
// between lines of signs.
//
//	<<<<<<< SEARCH
//	old lines
//	=======
//	new lines
//	>>>>>>> REPLACE
//
// Cline writes "------- SEARCH" and "+++++++ REPLACE"; Roo writes the line that the old ones begin at first. A
// block that does not end is none.
package searchreplace

import (
	"strconv"
	"strings"
)

// Block is one block.
type Block struct {
	At      int // the line that it begins at, from 0
	Old     string
	New     string
	OldLine int // the line of the file that the old text begins at, as the model says; 0 where it does not
}

// mark reports whether a line is 5 to 9 times one of the signs, followed by a word.
func mark(line, signs, word string) bool {
	n := 0
	for n < len(line) && strings.IndexByte(signs, line[n]) >= 0 && line[n] == line[0] {
		n++
	}
	return n >= 5 && n <= 9 && strings.TrimRight(line[n:], " >\t\r") == word
}

// Blocks lists the blocks among some lines, at most this many.
func Blocks(lines []string, most int) []Block {
	var blocks []Block
	for i := 0; i < len(lines) && len(blocks) < most; i++ {
		if !mark(lines[i], "<-", " SEARCH") {
			continue
		}
		middle := Until(lines, i+1, func(line string) bool { return mark(line, "=", "") })
		end := Until(lines, middle+1, func(line string) bool {
			return mark(line, ">+", " REPLACE") || mark(line, "=", "")
		})
		if end >= len(lines) {
			continue
		}
		b := Block{At: i, New: Joined(lines[middle+1 : end])}
		old := lines[i+1 : middle]
		b.OldLine, old = placed(old)
		b.Old = Joined(old)
		blocks = append(blocks, b)
		i = end
	}
	return blocks
}

// placed takes the lines that say where the old text begins off it.
func placed(old []string) (line int, rest []string) {
	for i := range min(len(old), 4) {
		if n, found := strings.CutPrefix(strings.TrimSpace(old[i]), ":start_line:"); found && i == 0 {
			line, _ = strconv.Atoi(strings.TrimSpace(n))
		}
		if i > 0 && mark(old[i], "-", "") && strings.HasPrefix(strings.TrimSpace(old[0]), ":start_line:") {
			return max(line, 0), old[i+1:]
		}
	}
	return 0, old
}

// Until returns the first line, from one on, that passes a test; the number of lines if none does.
func Until(lines []string, from int, found func(line string) bool) int {
	for i := from; i < len(lines); i++ {
		if found(lines[i]) {
			return i
		}
	}
	return len(lines)
}

// Joined puts lines together, each with its line feed.
func Joined(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}
