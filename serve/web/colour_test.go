package web

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The words of a text are the text, and a keyword, a string and a comment have kinds.
func TestCodeIsDividedIntoWordsByItsLanguage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want []word
	}{
		"a/b.go":    {"// é\nfunc f() string { return \"x\" + `y\nz` }", []word{{"c", "// é\n"}, {"k", "func"}, {"f", "f"}, {"s", `"x"`}, {"s", "z`"}}},
		"b.py":      {"def f(a):\n\treturn 12 # no\n", []word{{"k", "def"}, {"k", "return"}, {"n", "12"}, {"c", "# no"}}},
		"c.js":      {"const a = 'b';\n\n\n", []word{{"k", "const"}, {"s", "'b'"}}},
		"Makefile":  {"all: # x\n\tcc a.c\n", nil},
		"broken.go": {"func \"\n`\x00 \"", nil},
	} {
		lines := colours(languageOf(name), c.text)
		text, words := "", slices.Concat(lines...)
		for _, w := range words {
			text += w.Text
		}
		if text != c.text || len(lines) != strings.Count(c.text, "\n")+1 {
			t.Errorf("%s: %d lines, %q", name, len(lines), text)
		}
		for _, w := range c.want {
			if !slices.ContainsFunc(words, func(o word) bool {
				return o.Kind == w.Kind && strings.Trim(o.Text, " \n") == strings.Trim(w.Text, " \n")
			}) {
				t.Errorf("%s: no %q in %q", name, w, words)
			}
		}
	}
}

func TestWhatIsNotColoured(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a.nothing": "func", "a.go": "", "bytes.go": "func \xff", "wide.js": strings.Repeat("a+", longestColours),
		"long.go": strings.Repeat("func f() {}\n", mostColoured/10),
	} {
		if got := colours(languageOf(name), text); got != nil {
			t.Errorf("%s is divided into %d lines", name, len(got))
		}
	}
}

// A changed line of a diff keeps the marks of its changes below its colours.
func TestMarkedPartsKeepTheirColours(t *testing.T) {
	t.Parallel()
	list := readPatch([]byte("diff --git a/x.go b/x.go\n--- a/x.go\n+++ b/x.go\n@@ -1,1 +1,1 @@\n-return \"one\"\n+return \"two\"\n"))
	colour(list)
	rows := list[0].Hunks[0].Rows
	for i, want := range [][]part{
		{{"return", false, "k"}, {" ", false, ""}, {`"`, false, "s"}, {"one", true, "s"}, {`"`, false, "s"}},
		{{"return", false, "k"}, {" ", false, ""}, {`"`, false, "s"}, {"two", true, "s"}, {`"`, false, "s"}},
	} {
		if !slices.Equal(rows[i].Parts, want) {
			t.Errorf("row %d is %v, want %v", i, rows[i].Parts, want)
		}
	}
}

// Code can be read in its colours on what it stands on, in light and in dark.
func TestTheColoursOfCodeCanBeRead(t *testing.T) {
	t.Parallel()
	css := string(ready()["page.css"].plain)
	all := func(name string) [][]string {
		return regexp.MustCompile(`--`+name+`:#([0-9a-f]{6})`).FindAllStringSubmatch(css, -1)
	}
	grounds := regexp.MustCompile(`--ground:#([0-9a-f]+);--paper:#([0-9a-f]+)`).FindAllStringSubmatch(css, -1)
	for _, name := range []string{"k", "s", "n", "f", "soft"} {
		for i, scheme := range []string{"light", "dark"} {
			for on, ground := range map[string]string{"the ground": grounds[i][1], "paper": grounds[i][2], "a new line": all("plusbg")[i][1],
				"an old line": all("lessbg")[i][1]} {
				if got := contrast(hexed(t, all(name)[i][1]), hexed(t, ground)); got < 4.5 {
					t.Errorf("--%s in %s on %s: contrast %.2f", name, scheme, on, got)
				}
			}
		}
	}
}
