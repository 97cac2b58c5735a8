package records_test

import (
	"github.com/git-trace/git-trace/records"
	"testing"
)

// The first three are measured with opentraces; the quick brown fox is the reference's own vector, the others were made
// with a second implementation.
func TestLineHashesAreThoseOfOpentraces(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                  "murmur3:00000000000000000000000000000000",
		"foo":               "murmur3:7eaf87e42bba7d87e271865701f54561",
		"hello":             "murmur3:5b1e906a48ae1d19cbd8a7b341bd9b02",
		"0123456789abcdef":  "murmur3:87c35b5c63a708da4be06d94cf4ad1a7",
		"0123456789abcdefg": "murmur3:0800f4c206c372ee8e32612daa45f9de",
		"The quick brown fox jumps over the lazy dog": "murmur3:7a433ca9c49a9347e34bbc7bbc071b6c",
		"ü\n\tend, 24 bytes long...":                  "murmur3:a8d5b488a6c379e8913b5956431a2555",
	} {
		if got := records.LineHash(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
	if records.JoinedHash([]string{"a", "b"}) != records.LineHash("a\nb") {
		t.Error("lines are not joined by line feeds")
	}
}
