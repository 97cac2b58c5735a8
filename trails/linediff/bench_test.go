package linediff_test

import (
	"fmt"
	"testing"

	"github.com/git-trace/git-trace/trails/linediff"
)

func BenchmarkDiff(b *testing.B) {
	var large [][]byte
	for i := range 50_000 {
		large = append(large, fmt.Appendf(nil, "\tcall(%d, %d)", i, i%7))
	}
	edited := append([][]byte(nil), large...)
	for i := range 10 {
		edited[i*4_900+50] = fmt.Appendf(nil, "\tanother(%d)", i)
	}
	randomOld, randomNew := hopeless(10_000, 100)
	for _, bench := range []struct {
		name     string
		old, new [][]byte
	}{
		{"50k-lines-10-changed", large, edited},
		{"50k-lines-1-inserted", large, append([][]byte{[]byte("x")}, large...)},
		{"10k-random-lines", randomOld, randomNew},
	} {
		b.Run(bench.name, func(b *testing.B) {
			for b.Loop() {
				linediff.Diff(bench.old, bench.new, linediff.Options{})
			}
		})
	}
}
