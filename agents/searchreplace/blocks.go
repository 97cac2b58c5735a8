// Package searchreplace reads the edits that models of several agents write as blocks of text: old and new lines
// between marker lines.
//
//	<<<<<<< SEARCH
//	old lines
//	=======
//	new lines
//	>>>>>>> REPLACE
//
// Cline writes "------- SEARCH" and "+++++++ REPLACE"; Roo first writes the line number at which the old text begins. A
// block without an end is ignored.
package searchreplace

import (
	"strconv"
	"strings"
)

// Block is one block.
type Block struct {
	At      int // the line at which the block begins, from 0
	Old     string
	New     string
	OldLine int // the line of the file at which the old text begins, according to the model; 0 if unknown
}

// `mark` reports whether a line consists of 5 to 9 copies of one of the signs, followed by a word.
func mark(line, signs, word string) bool {
	n := 0
	for n < len(line) && strings.IndexByte(signs, line[n]) >= 0 && line[n] == line[0] {
		n++
	}
	return n >= 5 && n <= 9 && strings.TrimRight(line[n:], " >\t\r") == word
}

// Blocks returns the blocks in the lines, at most `most` of them.
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

// `placed` removes the lines that say where the old text begins.
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

// `Until` returns the index of the first line, from a given one on, for which the function `found` returns true; the
// number of lines if there is none.
func Until(lines []string, from int, found func(line string) bool) int {
	for i := from; i < len(lines); i++ {
		if found(lines[i]) {
			return i
		}
	}
	return len(lines)
}

// Joined joins lines, each with a line feed.
func Joined(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}
