package linediff

// Lineage maps each new line to the old line that is the same apart from white space, or to -1.
func Lineage(old, latest [][]byte) []int {
	out := make([]int, len(latest))
	at, from := 0, 0
	for _, h := range Diff(old, latest, Options{Key: NoSpace}).Hunks {
		for ; at < h.NewStart; at, from = at+1, from+1 {
			out[at] = from
		}
		for ; at < h.NewStart+h.NewCount; at++ {
			out[at] = -1
		}
		from = h.OldStart + h.OldCount
	}
	for ; at < len(latest); at, from = at+1, from+1 {
		out[at] = from
	}
	return out
}
