package patch

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// git runs git in a directory that is no repository.
func git(t *testing.T, dir, input string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(input)
	cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// altered makes a content, another one, and the changes between them.
func altered(rng *rand.Rand) (before, after []byte, changes []Change) {
	var old, now []string
	line := func() string { return fmt.Sprintf("\tline %d\n", rng.IntN(1000)) }
	for range rng.IntN(5) {
		for range rng.IntN(12) {
			same := line()
			old, now = append(old, same), append(now, same)
		}
		gone, come := rng.IntN(4), rng.IntN(4)
		if gone+come == 0 {
			continue
		}
		c := Change{len(old) + 1, gone, len(now) + 1, come}
		if gone == 0 {
			c.OldStart--
		}
		if come == 0 {
			c.NewStart--
		}
		for range gone {
			old = append(old, line())
		}
		for range come {
			now = append(now, line())
		}
		changes = append(changes, c)
	}
	before, after = []byte(strings.Join(old, "")), []byte(strings.Join(now, ""))
	cut := func(text []byte) []byte {
		if rng.IntN(4) == 0 {
			return bytes.TrimSuffix(text, []byte("\n"))
		}
		return text
	}
	if n := len(changes); n > 0 { // the end is part of the last change, or there is none
		if last := changes[n-1]; last.NewCount > 0 && last.OldCount > 0 && last.NewStart+last.NewCount > len(now) &&
			last.OldStart+last.OldCount > len(old) {
			before, after = cut(before), cut(after)
		}
	}
	return before, after, changes
}

// git applies what is written, and what is drawn without a terminal; every change can be taken back by itself.
func TestGitAppliesThePatches(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(4, 2))
	applied := 0
	for range 60 {
		before, after, changes := altered(rng)
		if len(changes) == 0 || len(before) == 0 || len(after) == 0 {
			continue
		}
		file, err := Of("a b.txt", "a b.txt", before, after, changes)
		if err != nil {
			t.Fatal(err)
		}
		var written strings.Builder
		if err := file.Write(&written); err != nil {
			t.Fatal(err)
		}
		drawn, err := file.Draw(Style{})
		if err != nil {
			t.Fatal(err)
		}
		one, err := Of("a b.txt", "a b.txt", before, after, changes[:1])
		if err != nil {
			t.Fatal(err)
		}
		single, err := one.Draw(Style{})
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{written.String(), drawn} {
			dir := t.TempDir()
			name := filepath.Join(dir, "a b.txt")
			if err := os.WriteFile(name, before, 0o600); err != nil {
				t.Fatal(err)
			}
			if out, err := git(t, dir, text, "apply", "-"); err != nil {
				t.Fatalf("%s\n%s\nof %q", out, text, before)
			}
			if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, after) {
				t.Fatalf("applied is %q, not %q, by\n%s", got, after, text)
			}
			if out, err := git(t, dir, single, "apply", "-R", "-"); err != nil {
				t.Fatalf("taken back: %s\n%s\nof %q", out, single, after)
			}
			applied++
		}
	}
	if applied < 40 {
		t.Errorf("only %d were applied", applied)
	}
}

func draw(t *testing.T, style Style, oldPath, newPath, before, after string, changes ...Change) string {
	t.Helper()
	file, err := Of(oldPath, newPath, []byte(before), []byte(after), changes)
	if err != nil {
		t.Fatal(err)
	}
	text, err := file.Draw(style)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestFilesThatComeAndGo(t *testing.T) {
	t.Parallel()
	come := draw(t, Style{}, "", "new", "", "a\nb", Change{0, 0, 1, 2})
	if want := "--- /dev/null\n+++ b/new\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n"; come != want {
		t.Errorf("come:\n%s\nwant\n%s", come, want)
	}
	gone := draw(t, Style{}, "old", "", "a\n", "", Change{1, 1, 0, 0})
	if want := "--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"; gone != want {
		t.Errorf("gone:\n%s\nwant\n%s", gone, want)
	}
	moved := draw(t, Style{}, "old", "new", "a\nb\n", "a\nc\n", Change{2, 1, 2, 1})
	if want := "--- a/old\n+++ b/new\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"; moved != want {
		t.Errorf("moved:\n%s\nwant\n%s", moved, want)
	}
}

func TestTheWordsThatChangedAreReversed(t *testing.T) {
	t.Parallel()
	got := draw(t, Style{Terminal: true, Color: true}, "f", "f", "x := open(name)\n", "x := open(path)\nmore\n", Change{1, 1, 1, 2})
	for _, want := range []string{
		"\x1b[31m-x := open(\x1b[7mname\x1b[27m)\x1b[m\n", "\x1b[32m+x := open(\x1b[7mpath\x1b[27m)\x1b[m\n", "\x1b[32m+more\x1b[m\n",
		"\x1b[36m@@ -1 +1,2 @@\x1b[m\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%q", want, got)
		}
	}
	if plain := draw(t, Style{Terminal: true}, "f", "f", "a b\n", "a c\n", Change{1, 1, 1, 1}); strings.Contains(plain, "\x1b") {
		t.Errorf("without colour: %q", plain)
	}
}

func TestNothingForeignReachesATerminal(t *testing.T) {
	t.Parallel()
	const bad = "\x1b[31mred\x07\u202e\xff\t|\r\n"
	for _, style := range []Style{{}, {Terminal: true}, {Terminal: true, Color: true}} {
		got := draw(t, style, "a\x1bb", "a\nb", bad, "same\n"+bad, Change{0, 0, 1, 1})
		rest := strings.NewReplacer(red, "", green, "", cyan, "", "\x1b[m", "").Replace(got)
		if strings.ContainsAny(rest, "\x1b\x07\u202e") || strings.Contains(rest, "\xff") {
			t.Errorf("%+v: %q", style, got)
		}
		if style.Terminal == strings.Contains(rest, "\t") {
			t.Errorf("%+v: tabs in %q", style, got)
		}
	}
}

// Owners stand before the lines: those of the old content before what went, those of the new one before the rest.
func TestTheMarginKnowsTheLine(t *testing.T) {
	t.Parallel()
	margin := func(removed bool, line int) string {
		switch {
		case line == 0:
			return "    | "
		case removed:
			return fmt.Sprintf("-%2d | ", line)
		}
		return fmt.Sprintf(" %2d | ", line)
	}
	before := strings.Repeat("x\n", 10) + "old\n"
	after := "new\n" + strings.Repeat("x\n", 10) + "changed\nadded"
	for _, color := range []bool{false, true} {
		got := draw(t, Style{Color: color, Margin: margin}, "f", "f", before, after, Change{0, 0, 1, 1}, Change{11, 1, 12, 2})
		got = strings.NewReplacer(red, "", green, "", cyan, "", "\x1b[m", "", reverse, "", forward, "").Replace(got)
		want := strings.Join([]string{
			"    | --- a/f", "    | +++ b/f", "    | @@ -1,3 +1,4 @@", "  1 | +new", "  2 |  x", "  3 |  x", "  4 |  x",
			"    | @@ -8,4 +9,5 @@", "  9 |  x", " 10 |  x", " 11 |  x", "-11 | -old", " 12 | +changed", " 13 | +added",
			`    | \ No newline at end of file`, "",
		}, "\n")
		if got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

func TestChangesOfLinesThatAreNotThere(t *testing.T) {
	t.Parallel()
	for _, c := range []Change{{1, 2, 1, 1}, {1, 1, 1, 2}, {-1, 1, 1, 1}, {1, 1, 0, 1}, {1, -1, 1, 1}, {9, 1 << 30, 1, 1}} {
		if _, err := Of("f", "f", []byte("a\n"), []byte("b\n"), []Change{c}); !errors.Is(err, ErrRange) {
			t.Errorf("%v: %v", c, err)
		}
	}
	if _, err := Of("f", "f", []byte("a\nb\n"), []byte("c\n"), []Change{{1, 1, 1, 1}, {2, 1, 1, 1}}); !errors.Is(err, ErrRange) {
		t.Errorf("twice the same line: %v", err)
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ before, after, old, now string }{
		{"the old name", "the new name", "the [old] name", "the [new] name"},
		{"same", "same", "same", "same"},
		{"entirely", "0123456789", "entirely", "0123456789"},
		{"", "x", "", "x"},
		{"f(a)", "f(a, b)", "f(a)", "f(a[, b])"},
		{"\xff old", "\xff new", "\xff old", "\xff new"},
		{strings.Repeat("x", 2000), strings.Repeat("x", 1999), strings.Repeat("x", 2000), strings.Repeat("x", 1999)},
	} {
		got := Words(test.before, test.after)
		if show(got[0]) != test.old || show(got[1]) != test.now {
			t.Errorf("%.20q, %.20q: %.60q, %.60q", test.before, test.after, show(got[0]), show(got[1]))
		}
	}
}

func show(pieces []Piece) string {
	var out strings.Builder
	for _, p := range pieces {
		if p.Changed {
			out.WriteString("[" + p.Text + "]")
		} else {
			out.WriteString(p.Text)
		}
	}
	return out.String()
}

// The pieces of each side are that side, whatever the lines.
func FuzzWords(f *testing.F) {
	f.Add("a b c", "a x c")
	f.Add("Zoë", "Zoe\u0301")
	f.Fuzz(func(t *testing.T, before, after string) {
		for i, line := range []string{before, after} {
			var text string
			for _, p := range Words(before, after)[i] {
				text += p.Text
			}
			if text != line {
				t.Fatalf("%q is %q", line, text)
			}
		}
	})
}
