package conformance

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/git-trace/git-trace/internal/cells/page"
)

// pieces are what foreign texts are made of.
var pieces = []string{
	"@team", "fixes #1", "/merge", "::set-output a", "##[group]", "![x](http://e.com/p.png)", "[a](http://e.com)", "<img src=x>", "</details>", "</code>", "<!--", "-->",
	"|", `\`, "`", "``", "```", "~~~", "#", "-", ">", "***", "===", "<http://e.com>", "http://e.com", "www.e.com", "me@e.com", "&lt;", "$", "[^1]", "[x]: http://e.com", "\n", "\n\n",
	" ", "    ", "\t", "\r", "a", "word", "\x1b[1m", "\u2028", "\xff", "| - |", "1. ", "[ ] ",
}

// allowed are the tags of ours, with nothing in <code> that could end it.
var allowed = regexp.MustCompile(`^(<details><summary><code>[^<>]*</code> more</summary>|</details>)\n$`)

// A CommonMark parser with GitHub's additions finds in a page nothing of foreign text but code.
func TestForeignTextIsNothingButCode(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	parser := goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote)).Parser()
	for range 5000 {
		var made strings.Builder
		for range 1 + random.IntN(12) {
			made.WriteString(pieces[random.IntN(len(pieces))])
		}
		foreign := made.String()
		source := []byte(fmt.Sprintf("### head\n\nin %s there\n\n| a | b |\n|---|---|\n| %s | 1 |\n\n<details><summary>%s more</summary>\n\n%s\n</details>\n\nend\n",
			page.Code(foreign), page.Cell(foreign), page.HTML(foreign), page.Fence(foreign)))
		kinds := map[string]int{}
		_ = ast.Walk(parser.Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if !entering {
				return ast.WalkContinue, nil
			}
			kinds[n.Kind().String()]++
			if n.Kind() == ast.KindHTMLBlock {
				block := string(n.Lines().Value(source))
				if !allowed.MatchString(block) {
					t.Errorf("%q gives the block %q", foreign, block)
				}
			}
			return ast.WalkContinue, nil
		})
		for kind, most := range map[string]int{"Heading": 1, "FencedCodeBlock": 1, "Table": 1, "TableRow": 1, "TableCell": 4, "HTMLBlock": 2, "CodeSpan": 2, "Paragraph": 2} {
			if kinds[kind] > most || kinds[kind] == 0 && kind != "CodeSpan" {
				t.Errorf("%q gives %d times %s", foreign, kinds[kind], kind)
			}
			delete(kinds, kind)
		}
		for _, kind := range []string{"Document", "Text", "TableHeader"} {
			delete(kinds, kind)
		}
		if len(kinds) > 0 {
			t.Errorf("%q gives %v in\n%s", foreign, kinds, source)
		}
		if t.Failed() {
			return
		}
	}
}
