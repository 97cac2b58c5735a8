package web

import (
	"html"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/harm"
)

func TestAnswersAreReadAsMarkdown(t *testing.T) {
	t.Parallel()
	const link = `<a rel="noopener noreferrer nofollow" href="`
	for said, want := range map[string]string{
		"Done.\nTwo lines.":                    "<p>Done.\nTwo lines.</p>",
		"# A heading\n\nand *so* **on**":       `<p><b>A heading</b></p><p>and <em>so</em> <strong>on</strong></p>`,
		"- one\n- two\n  - three":              "<ul><li>one</li><li>two<ul><li>three</li></ul></li></ul>",
		"3. three\n4. four":                    `<ol start="3"><li>three</li><li>four</li></ol>`,
		"> quoted\n\n---":                      "<blockquote><p>quoted</p></blockquote><hr>",
		"```go\nif a < b {\n\t\"x\"\n}\n```\n": "<pre tabindex=\"0\">if a &lt; b {\n\t&#34;x&#34;\n}</pre>",
		"    indented\n\n      more":           "<pre tabindex=\"0\">indented\n\n  more</pre>",
		"run `go test ./... <x>` ~~not~~":      "<p>run <code>go test ./... &lt;x&gt;</code> <s>not</s></p>",
		"|a|b|\n|-|-|\n|1|`2`|": `<div class="scroll" tabindex="0"><table><tr><th>a</th><th>b</th></tr>` +
			"<tr><td>1</td><td><code>2</code></td></tr></table></div>",
		// HTML is text.
		"<script>alert(1)</script>":     "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>",
		"<div onclick=x>\n\n*so*</div>": "<p>&lt;div onclick=x&gt;</p><p><em>so</em>&lt;/div&gt;</p>",
		"a <b>c</b> <!-- d -->":         "<p>a &lt;b&gt;c&lt;/b&gt; &lt;!-- d --&gt;</p>",
		`&lt;b&gt; \&lt; a&copy=1 \*`:   "<p>&lt;b&gt; &amp;lt; a&amp;copy=1 *</p>",
		"<pre>\nx\n</pre>":              "<p>&lt;pre&gt;\nx\n&lt;/pre&gt;</p>",
		// Links say where they lead, and lead to the web or to a person.
		"[the manual](https://a.example/x?a=1&b=2)":    "<p>" + link + `https://a.example/x?a=1&amp;b=2">the manual</a> (https://a.example/x?a=1&amp;b=2)</p>`,
		"<https://a.example/>, <me@a.example>":         "<p>" + link + `https://a.example/">https://a.example/</a>, ` + link + `mailto:me@a.example">me@a.example</a></p>`,
		"![a chart](http://a.example/i.png)":           "<p>" + link + `http://a.example/i.png">image: a chart</a> (http://a.example/i.png)</p>`,
		"[![x](http://a.example/i)](http://a.example)": "<p>" + link + `http://a.example">image: x (http://a.example/i)</a> (http://a.example)</p>`,
		"[x](javascript:alert(1))":                     "<p>x (javascript:alert(1))</p>",
		"[x](JaVa&#115;cript:alert)":                   "<p>x (JaVascript:alert)</p>",
		"[x](data:text/html,y) [y](//a.example/)":      "<p>x (data:text/html,y) y (//a.example/)</p>",
		"[x](/commit/HEAD) [y](#s1) [z](file:///etc)":  "<p>x (/commit/HEAD) y (#s1) z (file:///etc)</p>",
	} {
		if got := string(prose(said)); got != `<div class="prose">`+want+"</div>" {
			t.Errorf("%q:\n%s, not\n%s", said, got, want)
		}
	}
}

// What is too long, or nested too deep, is shown as it was written.
func TestAnswersOfAnySizeAreShown(t *testing.T) {
	t.Parallel()
	for name, said := range map[string]string{"long": strings.Repeat("*a* <b> ", 5000), "deep": strings.Repeat("> ", 300) + "a"} {
		if got, want := string(prose(said)), `<div class="said">`+html.EscapeString(tidy(said))+"</div>"; got != want {
			t.Errorf("%s: %.100s", name, got)
		}
	}
}

// No text makes the reader of Markdown work for long.
func TestAnswersAreReadInTime(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"[", "![", "*a **a ", "[a](<b", "`", "<!--", "a](", "> ", "- ", "&#1;", "**_", "|a", "<a ", "~~", "\\", "[a]: b\n", "1. "} {
		start := time.Now()
		prose(strings.Repeat(part, mostProse/len(part)))
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%q takes %v", part, took)
		}
	}
}

var (
	element = regexp.MustCompile(`<(?:/?(?:div|p|b|em|strong|s|code|pre|ul|ol|li|blockquote|table|tr|th|td|a)|hr|div class="(?:prose|said|scroll)"` +
		`(?: tabindex="0")?|pre tabindex="0"|ol start="[0-9]+"|a rel="noopener noreferrer nofollow" href="(?:https?://|mailto:)[^"<>]*")>`)
	voided = "hr"
)

// soundProse fails unless all markup is the program's own, and what begins ends.
func soundProse(t *testing.T, said, out string) {
	t.Helper()
	if rest := element.ReplaceAllString(out, ""); strings.ContainsAny(rest, `<>"'`) {
		t.Fatalf("%q: foreign markup in %q", said, out)
	}
	var open []string
	for _, tag := range element.FindAllString(out, -1) {
		name, _, _ := strings.Cut(strings.Trim(tag, "<>"), " ")
		ends, closing := strings.CutPrefix(name, "/")
		switch {
		case !closing && name != voided:
			open = append(open, name)
		case closing && (len(open) == 0 || open[len(open)-1] != ends):
			t.Fatalf("%q: %s ends %v in %q", said, tag, open, out)
		case closing:
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Fatalf("%q: %v without end in %q", said, open, out)
	}
}

func TestNoAnswerMakesMarkup(t *testing.T) {
	t.Parallel()
	for _, text := range harm.Markup() {
		for _, around := range []string{"%", "- %", "> %", "[a](%)", "![%](b)", "`%`", "```%\n%", "|%|\n|-|\n|%|", "<%>", "[a](<%> \"%\")", "# %", "\\%"} {
			said := strings.ReplaceAll(around, "%", text)
			soundProse(t, said, string(prose(said)))
		}
	}
}

func FuzzProse(f *testing.F) {
	for _, text := range harm.Markup() {
		f.Add(text)
	}
	f.Add("# a\n\n- [x](https://a.example) `b`\n\n|a|\n|-|\n|1|\n\n```go\nc\n```\n![i](http://a.example/i) <b> &lt; \\*")
	f.Fuzz(func(t *testing.T, said string) {
		soundProse(t, said, string(prose(said)))
	})
}
