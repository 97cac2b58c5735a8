package graph

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
)

// The page loads nothing and runs no scripts, and its policy tells the browser so.
const pageHead = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>git trace graph</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: #222; }
ol { list-style: none; padding: 0; }
li.commit { border-left: 2px solid #ccc; padding: 0 0 1rem 1rem; }
.id { font-family: monospace; color: #8a6d00; }
.ref { font-size: 85%; background: #e6f4e6; border-radius: 3px; padding: 0 .3em; }
.by, .parents { color: #666; font-size: 90%; }
.bar { display: flex; height: 6px; margin: .3rem 0; background: #eee; max-width: 24rem; }
.ai { background: #4a6fd8; } .human { background: #4f9d5d; } .unknown { background: #bbb; } .older { background: #ddd; }
table { border-collapse: collapse; font-size: 90%; } td { padding: 0 .8em 0 0; vertical-align: top; }
td.lines { text-align: right; font-family: monospace; }
@media (prefers-color-scheme: dark) { body { background: #1c1c1c; color: #ddd; } .bar { background: #333; } }
</style>
</head>
<body>
<h1>git trace graph</h1>
<ol>
`

// WriteHTML writes a graph as one HTML page without scripts or other files. It shows each commit with its parents, its
// shares and the owners of its lines.
func WriteHTML(w io.Writer, g *Graph, style Style) error {
	p := page{b: bufio.NewWriter(w), style: &style}
	p.raw(pageHead)
	if g.Uncommitted != nil {
		p.commit(g.Uncommitted)
	}
	for i := range g.Commits {
		p.commit(&g.Commits[i])
	}
	p.raw("</ol>\n</body>\n</html>\n")
	if err := p.b.Flush(); err != nil {
		return fmt.Errorf("write graph: %w", err)
	}
	return nil
}

// page writes a page. The buffer returns its first error at the end.
type page struct {
	b     *bufio.Writer
	style *Style
}

// raw writes text of the page itself.
func (p *page) raw(s string) { _, _ = p.b.WriteString(s) }

// print formats text of the page itself. Foreign text must be passed through the function `text` first.
func (p *page) print(format string, args ...any) { _, _ = fmt.Fprintf(p.b, format, args...) }

// text escapes foreign text for use inside an element.
func text(s string) string { return html.EscapeString(cells.Line(s)) }

func (p *page) commit(c *Commit) {
	p.raw(`<li class="commit"`)
	if !c.ID.IsZero() {
		p.print(` id="c%s"><span class="id">%s</span>`, c.ID, text(c.Short))
	} else {
		p.raw(`>`)
	}
	p.print(" %s", text(c.Subject))
	for _, name := range c.Refs {
		p.print(` <span class="ref">%s</span>`, text(name))
	}
	if !c.ID.IsZero() {
		p.print("\n<div class=\"by\">%s, %s</div>", text(c.Author), c.Time.Format(time.RFC1123Z))
	}
	p.parents(c)
	p.bar(c)
	p.contributors(c)
	p.raw("\n</li>\n")
}

func (p *page) parents(c *Commit) {
	if len(c.Parents) == 0 {
		return
	}
	links := make([]string, len(c.Parents))
	for i, id := range c.Parents {
		links[i] = fmt.Sprintf(`<a href="#c%s">%.8s</a>`, id, id.String())
	}
	p.print("\n<div class=\"parents\">after %s</div>", strings.Join(links, ", "))
}

// bar draws the shares of the added lines.
func (p *page) bar(c *Commit) {
	if c.Added == 0 {
		return
	}
	p.print("\n<div class=\"bar\" title=\"%s\">", c.Owned())
	for _, part := range c.Owned().Parts() {
		if part.Lines > 0 {
			p.print(`<span class="%s" style="flex: %d"></span>`, part.Kind, part.Lines)
		}
	}
	p.raw("</div>")
}

func (p *page) contributors(c *Commit) {
	if len(c.Contributors) == 0 {
		return
	}
	p.raw("\n<table>")
	for i := range c.Contributors {
		who := &c.Contributors[i]
		files := make([]string, len(who.Files))
		for k, f := range who.Files {
			files[k] = fmt.Sprintf("%s +%d", text(f.Path), f.Lines)
		}
		p.print("\n<tr><td>%s</td><td class=\"lines\">+%d</td><td>%s</td></tr>", p.name(who), who.Lines,
			strings.Join(files, "<br>"))
	}
	p.raw("\n</table>")
}

func (p *page) name(who *Contributor) string {
	switch {
	case who.Kind == events.OwnerHuman:
		return "people"
	case !who.Kind.Known():
		return string(who.Kind)
	case who.Trace == "":
		return "one of several conversations"
	}
	label := text(who.Agent) + " " + text(p.style.short(who.Trace))
	if who.Prompt > 0 {
		label += fmt.Sprintf("#%d", who.Prompt)
	}
	if who.Model != "" {
		label += ` <span class="by">` + text(who.Model) + "</span>"
	}
	return label
}
