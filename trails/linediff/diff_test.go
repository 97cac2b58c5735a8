package linediff_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/trails/linediff"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, content string
		want          []string
		terminated    bool
	}{
		{"empty content has no lines", "", nil, true},
		{"a final line feed starts no line", "a\nb\n", []string{"a", "b"}, true},
		{"a last line may lack its line feed", "a\nb", []string{"a", "b"}, false},
		{"blank lines are lines", "\n\n", []string{"", ""}, true},
		{"a carriage return stays", "a\r\nb\r", []string{"a\r", "b\r"}, false},
		{"any byte may be in a line", "\x00\xff\n", []string{"\x00\xff"}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, line := range linediff.Split([]byte(test.content)) {
				got = append(got, string(line))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("lines %q, want %q", got, test.want)
			}
			if terminated := linediff.Terminated([]byte(test.content)); terminated != test.terminated {
				t.Errorf("terminated is %v", terminated)
			}
		})
	}
}

func TestStripSpace(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"":               "",
		"plain":          "plain",
		" \ta b\v\fc\r ": "abc",
		"no\u00a0break":  "no\u00a0break",
	} {
		if got := string(linediff.StripSpace([]byte(line))); got != want {
			t.Errorf("%q becomes %q, want %q", line, got, want)
		}
		if got := linediff.StripLines([][]byte{[]byte(line)}); string(got[0]) != want {
			t.Errorf("%q among lines becomes %q, want %q", line, got[0], want)
		}
	}
}

func TestDiff(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		old, new string // lines, separated by spaces; a dot is a blank line
		want     string
	}{
		{"equal texts have no hunk", "a b c", "a b c", ""},
		{"nothing becomes something", "", "a b", "@@ -0,0 +1,2 @@"},
		{"something becomes nothing", "a b", "", "@@ -1,2 +0,0 @@"},
		{"a line in the middle is replaced", "a b c", "a x c", "@@ -2 +2 @@"},
		{"a line is inserted", "a b", "a x b", "@@ -1,0 +2 @@"},
		{"a line is deleted", "a x b", "a b", "@@ -2 +1,0 @@"},
		{"two places change", "a b c d e", "x b c d y", "@@ -1 +1 @@;@@ -5 +5 @@"},
		{"of equal lines the last is the new one", "a a b", "a a a b", "@@ -2,0 +3 @@"},
		{"an inserted block stands after the blank line", "f1 } . f2 }", "f1 } . g } . f2 }", "@@ -3,0 +4,3 @@"},
		{"a group joins the deletion it can face", "a x b", "a y y b", "@@ -2 +2,2 @@"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := headers(linediff.Diff(words(test.old), words(test.new), linediff.Options{}).Hunks)
			if got != test.want {
				t.Errorf("hunks %s, want %s", got, test.want)
			}
		})
	}
}

func TestDiffWithoutSpace(t *testing.T) {
	t.Parallel()
	old := linediff.Split([]byte("if x {\r\n\treturn  y\r\n}\r\n"))
	new := linediff.Split([]byte("if x{\n    return y\n}"))
	options := linediff.Options{Key: linediff.NoSpace}
	if script := linediff.Diff(old, new, options); len(script.Hunks) != 0 {
		t.Errorf("white space alone makes hunks: %v", script.Hunks)
	}
	new = linediff.Split([]byte("if x{\n    return z\n}"))
	if got := headers(linediff.Diff(old, new, options).Hunks); got != "@@ -2 +2 @@" {
		t.Errorf("hunks %s", got)
	}
}

// Every script rebuilds the new lines, on texts that repeat themselves a little, much, and not at all.
func TestHunksRebuildTheNewLines(t *testing.T) {
	t.Parallel()
	for seed := range uint64(1000) {
		random := rand.New(rand.NewPCG(seed, 1))
		old, new := randomTexts(random, 60)
		for _, options := range []linediff.Options{{}, {Minimal: true}} {
			rebuilds(t, old, new, linediff.Diff(old, new, options))
			if t.Failed() {
				t.Fatalf("seed %d, minimal %v", seed, options.Minimal)
			}
		}
	}
}

func TestMinimalScriptsAreShortest(t *testing.T) {
	t.Parallel()
	for seed := range uint64(1000) {
		random := rand.New(rand.NewPCG(seed, 2))
		old, new := randomTexts(random, 40)
		kept := longestCommon(old, new)
		got := linediff.Diff(old, new, linediff.Options{Minimal: true})
		if want := len(old) + len(new) - 2*kept; size(got) != want {
			t.Fatalf("seed %d: script of %d lines, want %d", seed, size(got), want)
		}
		// Without that option only common lines among foreign ones may be given up.
		if usual := size(linediff.Diff(old, new, linediff.Options{})); usual > size(got)+size(got)/2+4 {
			t.Fatalf("seed %d: script of %d lines, the shortest has %d", seed, usual, size(got))
		}
	}
}

func TestHopelessTextsAreCapped(t *testing.T) {
	t.Parallel()
	old, new := hopeless(10_000, 100)
	script := linediff.Diff(old, new, linediff.Options{})
	if !script.Capped {
		t.Error("the search was not cut short")
	}
	rebuilds(t, old, new, script)
	if script := linediff.Diff(old[:100], new[:100], linediff.Options{}); script.Capped {
		t.Error("a small search was cut short")
	}
}

func FuzzDiff(f *testing.F) {
	f.Add([]byte("a\nb\nc\n"), []byte("a\nc\n"))
	f.Add([]byte("}\n}\n\n}\n"), []byte("}\n\n}\n}"))
	f.Add([]byte(""), []byte("\r\n"))
	f.Add([]byte("\ta\n b\n"), []byte("a \n\n\nb\n"))
	f.Add(bytes.Repeat([]byte("x\n"), 1500), bytes.Repeat([]byte("x\n"), 1400))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		old, new := linediff.Split(a), linediff.Split(b)
		rebuilds(t, old, new, linediff.Diff(old, new, linediff.Options{}))
		old, new = linediff.StripLines(old), linediff.StripLines(new)
		script := linediff.Diff(linediff.Split(a), linediff.Split(b), linediff.Options{Key: linediff.NoSpace})
		rebuilds(t, old, new, script)
	})
}

// rebuilds checks that the hunks are in order, do not touch, and turn old into new.
func rebuilds(t *testing.T, old, new [][]byte, script linediff.Script) {
	t.Helper()
	var built [][]byte
	done := 0
	for i, h := range script.Hunks {
		if h.OldCount == 0 && h.NewCount == 0 || h.OldStart < done || i > 0 && h.OldStart == done {
			t.Errorf("hunk %d %v after old line %d", i, h, done)
			return
		}
		built = append(built, old[done:h.OldStart]...)
		if len(built) != h.NewStart {
			t.Errorf("hunk %d %v starts at new line %d", i, h, len(built))
			return
		}
		built = append(built, new[h.NewStart:h.NewStart+h.NewCount]...)
		done = h.OldStart + h.OldCount
	}
	built = append(built, old[done:]...)
	if !slices.EqualFunc(built, new, bytes.Equal) {
		t.Errorf("the hunks %v give %q, want %q", script.Hunks, built, new)
	}
}

func size(script linediff.Script) int {
	n := 0
	for _, h := range script.Hunks {
		n += h.OldCount + h.NewCount
	}
	return n
}

// longestCommon is the textbook table for the longest common subsequence.
func longestCommon(a, b [][]byte) int {
	row := make([]int, len(b)+1)
	for i := range a {
		diagonal := 0
		for j := range b {
			above := row[j+1]
			if bytes.Equal(a[i], b[j]) {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

func headers(hunks []linediff.Hunk) string {
	var list []string
	for _, h := range hunks {
		list = append(list, h.String())
	}
	return strings.Join(list, ";")
}

func words(text string) [][]byte {
	var lines [][]byte
	for word := range strings.FieldsSeq(text) {
		lines = append(lines, []byte(strings.Trim(word, ".")))
	}
	return lines
}

// randomTexts makes a text of a small alphabet and an edited copy of it.
func randomTexts(random *rand.Rand, most int) (old, new [][]byte) {
	alphabet := 1 + random.IntN(20)
	word := func() []byte { return fmt.Appendf(nil, "w%d", random.IntN(alphabet)) }
	for range random.IntN(most) {
		old = append(old, word())
	}
	for _, line := range old {
		switch random.IntN(8) {
		case 0:
		case 1:
			new = append(new, word())
		case 2:
			new = append(new, word(), line)
		default:
			new = append(new, line)
		}
	}
	return old, new
}

// hopeless makes two unrelated texts over one alphabet.
func hopeless(lines, alphabet int) (old, new [][]byte) {
	random := rand.New(rand.NewPCG(7, 7))
	for range lines {
		old = append(old, fmt.Appendf(nil, "line %d", random.IntN(alphabet)))
		new = append(new, fmt.Appendf(nil, "line %d", random.IntN(alphabet)))
	}
	return old, new
}
