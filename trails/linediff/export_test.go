package linediff

import "fmt"

// String returns the hunk's header as `git diff -U0` writes it.
func (h Hunk) String() string {
	oldStart, oldCount, newStart, newCount := h.Numbers()
	return "@@ -" + side(oldStart, oldCount) + " +" + side(newStart, newCount) + " @@"
}

func side(start, count int) string {
	if count == 1 {
		return fmt.Sprint(start)
	}
	return fmt.Sprintf("%d,%d", start, count)
}
