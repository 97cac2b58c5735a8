package linediff

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestMergeAsGitDoes merges random changes and asks git for the same: whatever is merged cleanly, git merges alike.
func TestMergeAsGitDoes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 69))
	change := func(lines [][]byte, name string) [][]byte {
		var out [][]byte
		for i, l := range lines {
			switch rng.IntN(12) {
			case 0: // deleted
			case 1:
				out = append(out, l, fmt.Appendf(nil, "%s below %d", name, i))
			case 2:
				out = append(out, fmt.Appendf(nil, "%s for %d", name, i))
			default:
				out = append(out, l)
			}
		}
		return out
	}
	dir, clean := t.TempDir(), 0
	file := func(name string, lines [][]byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, joined(lines), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for range 60 {
		var base [][]byte
		for i := range 6 + rng.IntN(10) {
			base = append(base, fmt.Appendf(nil, "line %d", i))
		}
		ours, theirs := change(base, "ours"), change(base, "theirs")
		got, ok := Merge(base, ours, theirs)
		if !ok {
			continue
		}
		clean++
		out, err := exec.Command("git", "merge-file", "-p", file("ours", ours), file("base", base), file("theirs", theirs)).Output()
		if err != nil || !bytes.Equal(out, joined(got)) {
			t.Fatalf("base %q\nours %q\ntheirs %q\ngit %v\n%s\nhere\n%s", base, ours, theirs, err, out, joined(got))
		}
	}
	if clean < 10 {
		t.Fatalf("%d of 60 were merged cleanly; too few to tell", clean)
	}
}

func joined(lines [][]byte) []byte {
	var out []byte
	for _, l := range lines {
		out = append(append(out, l...), '\n')
	}
	return out
}

func TestMergeOfTheSameAndOfAConflict(t *testing.T) {
	lines := func(s string) [][]byte { return Split([]byte(s)) }
	base := lines("a\nb\nc\nd\n")
	for _, c := range []struct {
		ours, theirs, want string
		clean              bool
	}{
		{"a\nB\nc\nd\n", "a\nB\nc\nD\n", "a\nB\nc\nD\n", true},
		{"a\nB\nc\nd\n", "a\nX\nc\nd\n", "", false},
		{"a\nB\nc\nd\n", "a\nb\nC\nd\n", "", false}, // they touch
		{"", "a\nb\nc\nd\n", "", true},
		{"a\nb\nc\nd\ne\n", "_\na\nb\nc\nd\n", "_\na\nb\nc\nd\ne\n", true},
	} {
		got, clean := Merge(base, lines(c.ours), lines(c.theirs))
		if clean != c.clean || string(joined(got)) != c.want {
			t.Errorf("%q and %q: %q, %t", c.ours, c.theirs, joined(got), clean)
		}
	}
}
