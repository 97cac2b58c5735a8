package linediff

import "bytes"

// tailBlock is the size of the blocks in which git removes the common end of two files.
const tailBlock = 1024

// hiddenTail returns the number of last lines that git does not compare when it makes hunks without context, as
// `git blame` and `git diff -U0` do. These lines are in the whole blocks of 1 KiB of the common end, from the first
// line that begins there. Groups cannot slide into these lines, which changes some hunks, so they are left out here
// too.
func hiddenTail(a, b [][]byte) int {
	common, whole := 0, 0 // in bytes, in lines
	for whole < len(a) && whole < len(b) {
		x, y := a[len(a)-1-whole], b[len(b)-1-whole]
		if !bytes.Equal(x, y) {
			// The line feed, and the equal ends of two different lines, belong to the common end too.
			common += 1 + commonSuffix(x, y)
			break
		}
		common += len(x) + 1
		whole++
	}
	hidden := common / tailBlock * tailBlock
	lines, size := 0, 0
	for lines < whole {
		size += len(a[len(a)-1-lines]) + 1
		if size >= hidden {
			break
		}
		lines++
	}
	return lines
}

func commonSuffix(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}
