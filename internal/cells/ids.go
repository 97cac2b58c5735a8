package cells

import "slices"

// UniqueLength returns the smallest number of leading bytes, but at least fewest, that distinguishes all ids.
func UniqueLength(ids []string, fewest int) int {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	for i := 1; i < len(ids); i++ {
		a, b := ids[i-1], ids[i]
		same := 0
		for same < len(a) && same < len(b) && a[same] == b[same] {
			same++
		}
		fewest = max(fewest, same+1)
	}
	return fewest
}
