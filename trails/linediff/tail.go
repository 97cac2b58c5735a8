package linediff

import "bytes"

// tailBlock is the block size in which git drops the common end of two files.
const tailBlock = 1024

// hiddenTail counts the last lines that git does not see when it makes hunks without context, as `git blame` and `git
// diff -U0` do. These lines are the common end in whole blocks of 1 KiB, from the first line that begins in it. Groups
// cannot slide into that end, which moves some hunks, so the same lines are left out here.
func hiddenTail(a, b [][]byte) int {
	common, whole := 0, 0 // bytes, lines
	for whole < len(a) && whole < len(b) {
		x, y := a[len(a)-1-whole], b[len(b)-1-whole]
		if !bytes.Equal(x, y) {
			// The line feed and the equal ends of two unequal lines belong to the common end as well.
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
