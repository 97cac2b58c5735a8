package payload

import "math"

// Process returns the agent's process id; 0 if the number cannot be one.
func Process(n int) int {
	if n < 2 || n > math.MaxInt32 { // 1 is never an agent: it means that the id is unknown
		return 0
	}
	return n
}

// Milliseconds returns the duration of a call; 0 if the number cannot be one.
func Milliseconds(n float64) int64 {
	if n >= 1 && n < math.MaxInt32 {
		return int64(n)
	}
	return 0
}
