package cells

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestSafeShowsWhatActsOnATerminal(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ in, want string }{
		"plain text stays":                      {"server.go +3", "server.go +3"},
		"letters of other scripts stay":         {"žluťoučký 日本", "žluťoučký 日本"},
		"an escape sequence is shown":           {"a\x1b[31mb", "a^[[31mb"},
		"a line feed cannot start a line":       {"a\nb\tc", "a^Jb^Ic"},
		"a C1 control is shown":                 {"a\u009bb", "a<U+009B>b"},
		"the direction of text is not changed":  {"a\u202eb", "a<U+202E>b"},
		"an isolate is shown":                   {"\u2066x\u2069", "<U+2066>x<U+2069>"},
		"bytes that are not UTF-8 are shown":    {"caf\xe9", "caf<E9>"},
		"a zero width space is shown":           {"a\u200bb", "a<U+200B>b"},
		"a joiner of an emoji sequence stays":   {"\U0001f469\u200d\U0001f4bb", "\U0001f469\u200d\U0001f4bb"},
		"a line separator cannot start a line":  {"a\u2028b", "a<U+2028>b"},
		"a delete character is shown":           {"a\x7f", "a^?"},
		"the replacement character itself stay": {"\ufffd", "\ufffd"},
	} {
		if got := Safe(test.in); got != test.want {
			t.Errorf("%s: Safe(%q) = %q, want %q", name, test.in, got, test.want)
		}
	}
}

func TestTabsOfAFilesLineStay(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"\ttab":            "\ttab",
		"a\tb\t":           "a\tb\t",
		"\ta\x00b\x1b[m\t": "\ta^@b^[[m\t",
		"a\rb":             "a^Mb",
		"":                 "",
	} {
		if got := SafeTabs(in); got != want {
			t.Errorf("SafeTabs(%q) = %q, want %q", in, got, want)
		}
	}
}

const (
	family = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
	thumb  = "\U0001f44d\U0001f3fd"
	flag   = "\U0001f1e8\U0001f1ff"
)

func TestWhatIsShownAsOneCharacterIsMeasuredAsOne(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text string
		want int
	}{
		"plain text":                      {"abc", 3},
		"nothing":                         {"", 0},
		"letters with accents":            {"e\u0301\u0323x", 2},
		"wide letters":                    {"日本", 4},
		"half width katakana":             {"ｱ", 1},
		"full width letters":              {"Ａ", 2},
		"Hangul written in parts":         {"\u1112\u1161\u11ab", 2},
		"an ambiguous character":          {"±", 1},
		"an ellipsis":                     {"…", 1},
		"a line of the graph":             {"│├─", 3},
		"a family":                        {family, 2},
		"a skin tone":                     {thumb, 2},
		"a flag":                          {flag, 2},
		"two flags":                       {flag + flag, 4},
		"a profession":                    {"\U0001f469\u200d\U0001f4bb", 2},
		"emoji between letters":           {"a" + family + "b" + thumb, 6},
		"letters of a script with joiner": {"क्\u200dष", 2},
	} {
		if got := Width(test.text); got != test.want {
			t.Errorf("%s: %q takes %d cells, want %d", name, test.text, got, test.want)
		}
	}
}

func TestWidthsDoNotFollowTheLocale(t *testing.T) {
	t.Setenv("LC_ALL", "ja_JP.UTF-8")
	t.Setenv("RUNEWIDTH_EASTASIAN", "1")
	if got := Width("±…│"); got != 3 {
		t.Errorf("three ambiguous characters take %d cells", got)
	}
}

func TestCutKeepsToTheCells(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		got, want string
	}{
		"what fits is not cut":               {Cut("abc", 3), "abc"},
		"an ellipsis takes the last cell":    {Cut("abcd", 3), "ab…"},
		"a wide character is never split":    {Cut("日本語", 4), "日…"},
		"no cells, no text":                  {Cut("abc", 0), ""},
		"one cell is the ellipsis":           {Cut("abc", 1), "…"},
		"a path keeps its end":               {CutLeft("internal/server/close.go", 12), "…/close.go"},
		"a long name keeps its end":          {CutLeft("averylongfilename.go", 8), "…name.go"},
		"a path that fits stays":             {CutLeft("a/b", 3), "a/b"},
		"fit pads":                           {Fit("ab", 4), "ab  "},
		"fit cuts":                           {Fit("abcdef", 4), "abc…"},
		"combining characters take no cells": {Fit("e\u0301", 2), "e\u0301 "},
		"a family is never split":            {Cut(family+"ab", 3), family + "…"},
		"nor is a skin tone":                 {Cut("a"+thumb+"b", 3), "a…"},
		"nor a flag, from the left":          {CutLeft("ab"+flag+flag, 4), "…" + flag},
		"a path of emoji keeps its end":      {CutLeft("docs/"+family+"/a.go", 7), "…/a.go"},
	} {
		if test.got != test.want {
			t.Errorf("%s: %q, want %q", name, test.got, test.want)
		}
	}
}

func TestWrapBreaksAtBlanks(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		in    string
		n     int
		limit int
		want  []string
	}{
		"short text is one line":        {"one two", 10, 3, []string{"one two"}},
		"lines break between words":     {"one two three", 7, 3, []string{"one two", "three"}},
		"a long word of wide letters":   {"ab " + strings.Repeat("漢", 12) + " cd", 10, 9, []string{"ab", "漢漢漢漢漢", "漢漢漢漢漢", "漢漢 cd"}},
		"a long word of emoji":          {thumb + family + flag, 4, 5, []string{thumb + family, flag}},
		"what is wider than the line":   {family + "a", 1, 5, []string{family, "a"}},
		"a long word is broken":         {"abcdefgh ij", 4, 5, []string{"abcd", "efgh", "ij"}},
		"more than the limit is marked": {"aa bb cc dd", 2, 2, []string{"aa", "b…"}},
		"nothing gives nothing":         {" ", 4, 2, nil},
	} {
		if got := Wrap(test.in, test.n, test.limit); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func TestLineJoinsLines(t *testing.T) {
	t.Parallel()
	if got, want := Line("  add\n\n a \x1b[2Jtest "), "add a ^[[2Jtest"; got != want {
		t.Errorf("Line = %q, want %q", got, want)
	}
}

func TestIdsAreToldApart(t *testing.T) {
	t.Parallel()
	if n := UniqueLength([]string{"aaaa", "aaab", "aaaa", "b"}, 2); n != 4 {
		t.Errorf("four letters tell them apart, not %d", n)
	}
	if n := UniqueLength([]string{"a", "b"}, 3); n != 3 {
		t.Errorf("at least three were wanted, not %d", n)
	}
}

func FuzzSafe(f *testing.F) {
	for _, seed := range []string{"", "plain", "\x1b]0;x\x07", "\xff\xfe", "a\u202eb", "日本\u0301", "a" + family + thumb + flag + flag} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		safe := Safe(text)
		if !utf8.ValidString(safe) || strings.ContainsFunc(safe, unicode.IsControl) {
			t.Fatalf("Safe(%q) = %q", text, safe)
		}
		if SafeTabs(text) != strings.ReplaceAll(Safe(strings.ReplaceAll(text, "\t", "\ue000")), "<U+E000>", "\t") && !strings.Contains(text, "\ue000") {
			t.Fatalf("SafeTabs(%q) = %q", text, SafeTabs(text))
		}
		if utf8.ValidString(text) && Safe(safe) != safe {
			t.Fatalf("Safe is not stable on %q", text)
		}
		for n := range 6 {
			if got := Width(Cut(safe, n)); got > n {
				t.Fatalf("Cut(%q, %d) takes %d cells", safe, n, got)
			}
			if got := Width(CutLeft(safe, n)); got > n {
				t.Fatalf("CutLeft(%q, %d) takes %d cells", safe, n, got)
			}
		}
	})
}

func TestFoldKeepsLabelsColoursAndWords(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ line, want string }{
		{"short", "short"},
		{"subject       it is safe to close it twice", "subject       it is safe\n  to close it twice"},
		{"date      2026-11-26 20:38, 1 minute ago", "date      2026-11-26\n          20:38, 1\n          minute ago"},
		{"4f2a  agent  5 prompts  41 calls", "4f2a  agent  5 prompts\n      41 calls"},
		{"10 lines in 2 files · 9 lines in 1 commit", "10 lines in 2 files\n  · 9 lines in 1 commit"},
		{"a b \x1b[2mquiet text that goes on\x1b[m and on", "a b \x1b[2mquiet text that goes\x1b[m\n  \x1b[2mon\x1b[m and on"},
		{"id  0123456789012345678901", "id\n  0123456789012345678901"},
		{"id  01234567890123456789012345678901234567", "id  01234567890123456789012345678901234567"},
		{"  漢字 漢字 漢字 漢字 漢字 漢字", "  漢字 漢字 漢字 漢字\n    漢字 漢字"},
	} {
		got := Fold(tc.line, 24)
		if got != tc.want {
			t.Errorf("%q folded\ngot  %q\nwant %q", tc.line, got, tc.want)
		}
		if !slices.Equal(strings.Fields(plain(got)), strings.Fields(plain(tc.line))) {
			t.Errorf("%q lost words: %q", tc.line, got)
		}
	}
}
