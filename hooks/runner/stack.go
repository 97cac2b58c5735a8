package runner

// growStack makes the stack of this goroutine as large as a hook needs, while it is empty: at each later doubling the
// runtime would copy all frames. The size of the frame is enough, so the caller passes 0 and the array is not touched.
//
//go:noinline
func growStack(n int) byte {
	if n == 0 {
		return 0
	}
	var frame [100 << 10]byte
	frame[n] = 1
	return frame[n/2]
}
