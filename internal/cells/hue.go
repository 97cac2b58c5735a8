package cells

import "hash/fnv"

// hues is the number of colours that distinguish conversations, on pages and in editors.
const hues = 12

// Hue returns the colour of a conversation, from 0 to 11. It is the same in every file and at every start.
func Hue(trace string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(trace))
	return int(h.Sum32() % hues)
}
