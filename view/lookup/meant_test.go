package lookup

import "testing"

func TestAnIDIsNearWhenOneOrTwoEditsMakeIt(t *testing.T) {
	t.Parallel()
	const id = "4f2a9c01d7e3b856"
	for word, want := range map[string]bool{
		"4f2b": true, "42fa": true, "4f29": true, "f2a9": true, "4ff2a": true, // one edit of its beginning
		"4f3b": false, "af24": false, // two of four say nothing
		"4f2a9d02": true, "4f3b9d02": false,
		"4f2": false, "": false, id + "00": false, "no such": false,
	} {
		if got := nearID(word, id); got != want {
			t.Errorf("%q: %v", word, got)
		}
	}
}
