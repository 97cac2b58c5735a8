package numbers

import (
	"slices"
	"strings"
)

// SomeOf joins the first elements of a list, and counts the others.
func SomeOf(list []string) string {
	const most = 3
	if n := len(list) - most; n > 0 {
		list = append(slices.Clone(list[:most]), Thousands(n)+" more")
	}
	return strings.Join(list, ", ")
}
