package page

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// hostile are texts that would do something if they got out.
var hostile = []string{
	"@team please", "hello @dependabot merge", "fixes #1", "Closes: #12", "resolved o/r#3", "closing https://example.com/o/r/issues/1",
	"Implements group/project!7", "/merge", "/close\n/assign @you", "  /label ~bug", "::set-output name=a::b", "a ##[add-mask]b", "##vso[task.x]",
	"![x](https://example.com/pixel.png)", "[text](javascript:alert(1))", "<img src=x onerror=alert(1)>", "<!-- -->", "</details><h1>", "</code></summary>",
	"a | b | c", `a \| b`, `\`, "`", "``", "a`b", "```\nout\n```", "~~~\nout", "````\n# out\n````", "# heading", "- item", "> quote", "***\n---", "===",
	"<https://example.com>", "https://example.com", "www.example.com", "me@example.com", "GH-1", "0123456789abcdef0123456789abcdef01234567", "&lt;b&gt;", "$a$", "$$\na\n$$",
	":tada:", "[[Home]]", "[^1]: note", "[x]: https://example.com", "| --- |", "\x1b[31mred", "a\u202eb", "\xff\xfe", "", " ", "  ", "\n\n", "\t/merge", "\r/merge", "a\r\n/merge\r\n",
	"\u2028/merge", "bors r+", "```suggestion\nx\n```", "{- a -}", "[ ] task",
}

// The programs that read the source: each would act on a line, or on what stands anywhere in it.
var acting = map[string]*regexp.Regexp{
	"a bot's command":            regexp.MustCompile(`(?m)^\s*/[a-zA-Z]`),
	"a runner's command":         regexp.MustCompile(`(?m)^\s*::|##\[|##vso\[`),
	"a mention":                  regexp.MustCompile(`(^|[^\w/])@[A-Za-z0-9_-]`),
	"an issue that is closed":    regexp.MustCompile(`(?i)\b(clos(e[sd]?|ing)|fix(e[sd]|ing)?|resolv(e[sd]?|ing)|implement(s|ed|ing)?):? +(\S*[#!]\d|https?:)`),
	"an escape sequence":         regexp.MustCompile(`\x1b|\x{202e}`),
	"a row that ends in between": regexp.MustCompile(`(?m)^\| [^|]*\|[^|\n]*\|`),
}

func TestForeignTextActsOnNothingThatReadsTheSource(t *testing.T) {
	t.Parallel()
	for _, text := range hostile {
		for name, out := range map[string]string{"Code": Code(text), "Cell": "| " + Cell(text) + " |\n", "HTML": HTML(text), "Fence": Fence(text)} {
			for what, find := range acting {
				if found := find.FindString(out); found != "" {
					t.Errorf("%s of %q has %s: %q in %q", name, text, what, found, out)
				}
			}
		}
	}
}

// What the text said can still be read.
func TestForeignTextIsShownAsItIs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a.go": "`a.go`", "two  blanks": "`two  blanks`", "a`b": "``a`b``", "`a`": "`` `a` ``", " a ": "`  a  `", " a": "` a`",
		"node_modules/@types/x": "`node_modules/@types/x`", "a@b": "`a@b`", "@a": "`@\u2060a`", "fix it": "`fix\u00a0it`", "prefix it": "`prefix it`",
		"a#1": "`a#1`", "## a": "`## a`", "##[a": "`##\u00a0[a`", "a\nb": "`a^Jb`", "": "",
	} {
		if got := Code(text); got != want {
			t.Errorf("Code(%q) = %q, want %q", text, got, want)
		}
	}
	if got, want := Cell("a|b"), "`a¦b`"; got != want {
		t.Errorf("Cell = %q, want %q", got, want)
	}
	if got, want := Fence("a\n\n```\n"), "````\n│ a\n│\n│ ```\n````\n"; got != want {
		t.Errorf("Fence = %q, want %q", got, want)
	}
	if got, want := HTML("<b> & 'c'"), "<code>&lt;b&gt; &amp; &#39;c&#39;</code>"; got != want {
		t.Errorf("HTML = %q, want %q", got, want)
	}
}

func told(_ int, left []Left) string { return fmt.Sprintln(left) }

// The longest text that fits is given, whatever the limit; sections without rows go with them.
func TestADocumentIsKeptToItsLimit(t *testing.T) {
	t.Parallel()
	build := func() *Document {
		d := &Document{}
		d.Add("head\n", "")
		list := d.Add("list\n", "end\n")
		var rows, notes []*Part
		for i := range 9 {
			row := list.Add(fmt.Sprintf("row %d\n", i), "")
			row.Add("", "")
			rows = append(rows, row)
			notes = append(notes, row.Add(fmt.Sprintf("note %d\n", i), ""))
		}
		d.Loose("note", notes)
		d.Loose("row", rows)
		return d
	}
	whole, err := build().Within(0, told)
	if err != nil || strings.Contains(whole, "[") || strings.Count(whole, "note") != 9 {
		t.Fatalf("%v\n%s", err, whole)
	}
	least := 0
	for limit := len(whole); limit > 0; limit-- {
		text, err := build().Within(limit, told)
		var small *TooSmallError
		if errors.As(err, &small) {
			if least = small.Least; limit != least-1 {
				t.Errorf("%d is refused; the least is %d", limit, least)
			}
			break
		}
		if err != nil || len(text) > limit {
			t.Fatalf("%d bytes for a limit of %d: %v", len(text), limit, err)
		}
		if strings.Contains(text, "list") != strings.Contains(text, "end") || strings.Contains(text, "list") != strings.Contains(text, "row 0") {
			t.Errorf("a section is not whole:\n%s", text)
		}
		if strings.Contains(text, "note 0\n") && !strings.Contains(text, "row 8\n") {
			t.Errorf("rows went before the notes:\n%s", text)
		}
	}
	var small *TooSmallError
	_, err = build().Within(1, func(limit int, left []Left) string { return fmt.Sprint(limit, told(limit, left)) })
	if !errors.As(err, &small) || small.Least != least+2 {
		t.Errorf("where the limit is said: %v; without it the least is %d", err, least)
	}
	text, err := build().Within(least, told)
	if want := "head\n[{note 9 9} {row 9 9}]\n"; err != nil || text != want {
		t.Errorf("the least is %q, %v; want %q", text, err, want)
	}
}
