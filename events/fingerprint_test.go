package events

import (
	"bytes"
	"slices"
	"testing"
)

func TestFingerprintIgnoresWhiteSpaceAndNothingElse(t *testing.T) {
	t.Parallel()
	base := FingerprintOf([]byte("if a == b {"))
	for _, same := range []string{"\tif a == b {\n", "ifa==b{", "if  a\u00a0==\u2003b {\r\n", "if a\v==\fb {\u0085", "if a == b\u3000{\u2028\u2029"} {
		if FingerprintOf([]byte(same)) != base {
			t.Errorf("%q differs", same)
		}
	}
	for _, other := range []string{"if a != b {", "If a == b {", "if a == b {\ufeff", "if a == b {\u200b", "if a == b {\xa0", "if a == b {\x00"} {
		if FingerprintOf([]byte(other)) == base {
			t.Errorf("%q is the same", other)
		}
	}
	for _, blank := range []string{"", " \t", "\r\n", "\u2003\u00a0"} {
		if !FingerprintOf([]byte(blank)).Blank() {
			t.Errorf("%q is not blank", blank)
		}
	}
	if base.Blank() {
		t.Error("a line with ink is blank")
	}
	long := bytes.Repeat([]byte("long line "), 1000)
	if FingerprintOf(long) != FingerprintOf(bytes.ReplaceAll(long, []byte(" "), nil)) {
		t.Error("a long line differs")
	}
}

func FuzzFingerprints(f *testing.F) {
	for _, seed := range []string{"", "AAAAAAAA", "AAAAAAAAAAAA", "________--------", "AAAA\nAAA", "AAAAAAA=", "a line\u00a0\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if lines, err := DecodeFingerprints(text); err == nil && EncodeFingerprints(lines) != text {
			t.Fatalf("%q is written back as %q", text, EncodeFingerprints(lines))
		}
		lines := []Fingerprint{FingerprintOf([]byte(text)), {}, FingerprintOf([]byte("x" + text))}
		back, err := DecodeFingerprints(EncodeFingerprints(lines))
		if err != nil || !slices.Equal(back, lines) {
			t.Fatalf("%v comes back as %v, %v", lines, back, err)
		}
	})
}
