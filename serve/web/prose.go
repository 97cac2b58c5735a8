package web

import (
	"html"
	"html/template"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// The limits for Markdown. A longer text, or one with deeper nesting, is shown as plain text.
const (
	mostProse = 32 << 10 // bytes
	mostDepth = 100      // nested nodes
)

var proseParser = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough)).Parser()

// prose shows an agent's answer, which is Markdown, as a block. All markup comes from this function, never from the
// text: HTML in the text is shown as text, an image becomes a link, and a link shows its target.
func prose(said string) template.HTML {
	source := tidy(said)
	if out, read := readProse(source); read {
		return template.HTML(out) // all parts of the text were escaped by proseWriter.text
	}
	return template.HTML(`<div class="said">` + html.EscapeString(source) + `</div>`)
}

// readProse returns false if the text must be shown as plain text.
func readProse(source string) (string, bool) {
	if len(source) > mostProse {
		return "", false
	}
	p := &proseWriter{source: []byte(source)}
	p.out.WriteString(`<div class="prose">`)
	p.children(proseParser.Parse(text.NewReader(p.source)))
	p.out.WriteString(`</div>`)
	return p.out.String(), !p.tooDeep
}

// proseWriter writes a tree of Markdown as HTML.
type proseWriter struct {
	source  []byte
	out     strings.Builder
	depth   int
	tooDeep bool
	linked  bool // inside a link
}

// text writes a part of the source escaped.
func (p *proseWriter) text(s string) { p.out.WriteString(html.EscapeString(s)) }

func (p *proseWriter) children(n ast.Node) {
	if p.depth++; p.depth > mostDepth {
		p.tooDeep = true
	}
	for c := n.FirstChild(); c != nil && !p.tooDeep; c = c.NextSibling() {
		p.node(c)
	}
	p.depth--
}

// `within` writes an element around a node's content. The element never comes from the text.
func (p *proseWriter) within(n ast.Node, element string) {
	p.out.WriteString("<" + element + ">")
	p.children(n)
	name, _, _ := strings.Cut(element, " ")
	p.out.WriteString("</" + name + ">")
}

func (p *proseWriter) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.Heading:
		p.out.WriteString("<p>") // headings belong to the page, not to the text
		p.within(n, "b")
		p.out.WriteString("</p>")
	case *ast.Paragraph:
		p.within(n, "p")
	case *ast.Blockquote:
		p.within(n, "blockquote")
	case *ast.List:
		if n.IsOrdered() {
			p.within(n, `ol start="`+strconv.Itoa(n.Start)+`"`)
		} else {
			p.within(n, "ul")
		}
	case *ast.ListItem:
		p.within(n, "li")
	case *ast.ThematicBreak:
		p.out.WriteString("<hr>")
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		p.out.WriteString(`<pre tabindex="0">`)
		p.lines(n)
		p.out.WriteString("</pre>")
	case *ast.HTMLBlock:
		p.out.WriteString("<p>")
		if n.HasClosure() {
			p.lines(n, n.ClosureLine)
		} else {
			p.lines(n)
		}
		p.out.WriteString("</p>")
	case *tables.Table:
		p.out.WriteString(`<div class="scroll" tabindex="0"><table>`)
		p.children(n)
		p.out.WriteString("</table></div>")
	case *tables.TableHeader, *tables.TableRow:
		p.within(n, "tr")
	case *tables.TableCell:
		if n.Parent().Kind() == tables.KindTableHeader {
			p.within(n, "th")
		} else {
			p.within(n, "td")
		}
	default:
		p.inline(n)
	}
}

// lines writes the lines of a block, and the segments in `more`, unchanged.
func (p *proseWriter) lines(n ast.Node, more ...text.Segment) {
	var b strings.Builder
	for _, line := range append(n.Lines().Sliced(0, n.Lines().Len()), more...) {
		b.Write(line.Value(p.source))
	}
	p.text(strings.TrimSuffix(b.String(), "\n"))
}

func (p *proseWriter) inline(n ast.Node) {
	switch n := n.(type) {
	case *ast.Text:
		value := string(n.Segment.Value(p.source))
		if !n.IsRaw() {
			value = resolved(n.Segment.Value(p.source))
		}
		p.text(value)
		if n.SoftLineBreak() || n.HardLineBreak() {
			p.out.WriteString("\n") // the style sheet shows line breaks
		}
	case *ast.String:
		p.text(string(n.Value))
	case *ast.CodeSpan:
		p.within(n, "code")
	case *ast.Emphasis:
		p.within(n, []string{"em", "strong"}[min(n.Level, 2)-1])
	case *tables.Strikethrough:
		p.within(n, "s")
	case *ast.RawHTML:
		for i := range n.Segments.Len() {
			segment := n.Segments.At(i)
			p.text(string(segment.Value(p.source)))
		}
	case *ast.AutoLink:
		label, target := string(n.Label(p.source)), string(n.URL(p.source))
		if n.AutoLinkType == ast.AutoLinkEmail {
			target = "mailto:" + label
		}
		p.link(target, label, func() { p.text(label) })
	case *ast.Link:
		p.link(resolved(n.Destination), p.plain(n), func() { p.children(n) })
	case *ast.Image:
		p.link(resolved(n.Destination), p.plain(n), func() { p.text("image: "); p.children(n) })
	default: // a block without an element of its own, or a node of an extension
		p.children(n)
	}
}

// link writes a link. It adds the target if the link's words do not show it. Only addresses of the web and of mail
// become links.
func (p *proseWriter) link(target, words string, inner func()) {
	to, err := url.Parse(target)
	leads := err == nil && !p.linked
	switch {
	case !leads:
	case to.Scheme == "mailto":
		leads = to.Opaque != ""
	default:
		leads = (to.Scheme == "http" || to.Scheme == "https") && to.Host != ""
	}
	if leads {
		p.out.WriteString(`<a rel="noopener noreferrer nofollow" href="`)
		p.text(to.String())
		p.out.WriteString(`">`)
		p.linked = true
	}
	inner()
	if leads {
		p.out.WriteString("</a>")
		p.linked = false
	}
	if words != target && "mailto:"+words != target {
		p.text(" (" + target + ")")
	}
}

// `plain` returns the words of a link.
func (p *proseWriter) plain(n ast.Node) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Segment.Value(p.source))
		}
	}
	return b.String()
}

// escape matches an escaped punctuation mark, or a character by its name or number.
var escape = regexp.MustCompile("\\\\[!-/:-@\\[-`{-~]|&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]*);")

// `resolved` returns a text with Markdown's escapes replaced by their characters.
func resolved(source []byte) string {
	return escape.ReplaceAllStringFunc(string(source), func(found string) string {
		if found[0] == '\\' {
			return found[1:]
		}
		return html.UnescapeString(found)
	})
}
