package vector_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/vector"
)

// large makes a file of n lines with many owners, and the same file with ten lines changed.
func large(n int) (vector.Content, [][]byte) {
	var before, after bytes.Buffer
	var b vector.Builder
	for i := range n {
		line := fmt.Sprintf("\tcall(%d, %d)\n", i, i%7)
		before.WriteString(line)
		b.Add(vector.ParseOwner(fmt.Sprintf("%032x", i/40%9)), 1)
		if i%(n/10) == n/20 {
			line = fmt.Sprintf("\tanother(%d)\n", i)
		}
		after.WriteString(line)
	}
	return vector.Content{Lines: linediff.Split(before.Bytes()), Owners: b.Vector()}, linediff.Split(after.Bytes())
}

func BenchmarkCarry(b *testing.B) {
	old, new := large(50_000)
	owner := vector.ParseOwner("human")
	b.Run("50k-lines-10-changed", func(b *testing.B) {
		for b.Loop() {
			vector.Carry(old, new, owner)
		}
	})
	b.Run("50k-lines-all-indented", func(b *testing.B) {
		indented := make([][]byte, len(old.Lines))
		for i, line := range old.Lines {
			indented[i] = append([]byte("  "), line...)
		}
		for b.Loop() {
			vector.Carry(old, indented, owner)
		}
	})
	b.Run("50k-lines-moved-to-another-file", func(b *testing.B) {
		for b.Loop() {
			from, to := vector.Compare(old, nil), vector.Compare(vector.Content{}, old.Lines)
			vector.Moves(from, to)
			to.Resolve(vector.By(owner))
		}
	})
	b.Run("50k-lines-created", func(b *testing.B) {
		for b.Loop() {
			vector.Carry(vector.Content{}, old.Lines, owner)
		}
	})
}

func BenchmarkCodec(b *testing.B) {
	old, _ := large(50_000)
	raw := vector.Encode(old.Owners)
	b.Run("encode", func(b *testing.B) {
		for b.Loop() {
			vector.Encode(old.Owners)
		}
	})
	b.Run("decode", func(b *testing.B) {
		for b.Loop() {
			if _, err := vector.Decode(raw); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkCompose(b *testing.B) {
	old, new := large(50_000)
	for b.Loop() {
		vector.Compose(new, []vector.Content{old, {Lines: old.Lines[:40_000], Owners: old.Owners}}, nil)
	}
}
