package cli

import (
	"slices"
	"strings"

	"github.com/git-trace/git-trace/internal/cells"
)

// Width is the width of help in columns: every terminal has this many.
const Width = 80

func (c *Command[A]) Help() string {
	var h Page
	h.Section("NAME", "git trace "+c.Name+" - "+c.Does)
	h.usage(c.Name, c.Form)
	h.Section("DESCRIPTION", paragraphs(c.About))
	h.options(append(slices.Clone(c.Options), helpOption))
	h.examples(c.Examples)
	return h.out.String()
}

// helpOption is an option of every command. No command's own list contains it.
var helpOption = Use{Form: Form{[]string{"help", "h"}, TakesNothing, "show help"}}

// paragraphs joins the lines of each paragraph, but not indented lines.
func paragraphs(text string) string {
	var out strings.Builder
	for i, line := range strings.Split(text, "\n") {
		switch {
		case i == 0:
		case line == "" || strings.HasPrefix(line, " ") || strings.HasSuffix(out.String(), "\n"):
			out.WriteString("\n")
		default:
			out.WriteString(" ")
		}
		out.WriteString(line)
	}
	return out.String()
}

// Page is a text with sections and columns, at most helpWidth wide.
type Page struct{ out strings.Builder }

func (h *Page) Write(text string) { h.out.WriteString(text) }

func (h *Page) Text() string { return h.out.String() }

func (h *Page) Section(title, text string) {
	const indent, most = "   ", 100
	if text == "" {
		return
	}
	if h.out.Len() > 0 {
		h.out.WriteString("\n")
	}
	h.out.WriteString(title + ":\n")
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, " ") {
			h.out.WriteString(indent + line + "\n")
			continue
		}
		for _, row := range cells.Wrap(line, Width-len(indent), most) {
			h.out.WriteString(strings.TrimRight(indent+row, " ") + "\n")
		}
	}
}

// usage writes the forms of a command. Continuation lines are indented to the first word after the command's name.
func (h *Page) usage(command, forms string) {
	const indent = "   "
	h.out.WriteString("\nUSAGE:\n")
	name := indent + "git trace " + command
	for form := range strings.SplitSeq(forms, "\n") {
		row := name
		for _, part := range FormParts(strings.TrimPrefix(form, strings.TrimSpace(name))) {
			if cells.Width(row)+1+cells.Width(part) > Width {
				h.out.WriteString(row + "\n")
				row = strings.Repeat(" ", len(name))
			}
			row += " " + part
		}
		h.out.WriteString(row + "\n")
	}
}

// FormParts splits a form into the parts that stay on one line: a bracket with its content, an option with its value.
func FormParts(form string) []string {
	var parts []string
	depth := 0
	for _, field := range strings.Fields(form) {
		inside := depth > 0
		depth += strings.Count(field, "[") + strings.Count(field, "(") - strings.Count(field, "]") - strings.Count(field, ")")
		last := len(parts) - 1
		if inside || last >= 0 && strings.HasPrefix(field, "<") && strings.HasPrefix(parts[last], "--") {
			parts[last] += " " + field
			continue
		}
		parts = append(parts, field)
	}
	return parts
}

func (h *Page) options(list []Use) {
	if len(list) == 0 {
		return
	}
	const most = 26
	names, texts, width := make([]string, len(list)), make([]string, len(list)), 0
	for i, f := range list {
		names[i], texts[i] = f.Text()
		if n := len(names[i]); n <= most {
			width = max(width, n)
		}
	}
	h.out.WriteString("\nOPTIONS:\n")
	for i := range list {
		h.Columns("   "+names[i], width+5, texts[i])
	}
}

// Columns writes a name and its description. The description goes below the name if the name is too long.
func (h *Page) Columns(name string, width int, text string) {
	const most = 20
	if len(name)+2 > width {
		h.out.WriteString(name + "\n")
		name = ""
	}
	for _, row := range cells.Wrap(text, Width-width, most) {
		h.out.WriteString(cells.Pad(name, width) + row + "\n")
		name = ""
	}
}

// examples writes each call, and its purpose below it.
func (h *Page) examples(list []Example) {
	if len(list) == 0 {
		return
	}
	h.out.WriteString("\nEXAMPLES:\n")
	for _, e := range list {
		h.out.WriteString("   " + e[0] + "\n        " + e[1] + "\n")
	}
}
