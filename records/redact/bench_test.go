package redact

import (
	"os"
	"testing"
)

func BenchmarkText(b *testing.B) {
	raw, err := os.ReadFile("redact_test.go")
	if err != nil {
		b.Fatal(err)
	}
	r := newRedactor(b, Options{Names: []string{"alice"}})
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		redacted(b, r, string(raw))
	}
}
