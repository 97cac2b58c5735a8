package main

import (
	"io"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/internal/cells"
)

// helpWidth is the width of help in columns: every terminal has this many.
const helpWidth = 80

// help writes the help of the program, or of a command.
func (a *app) help(topic ...string) error {
	c, all := called(topic), len(topic) > 0 && (topic[0] == "--all" || topic[0] == "-a")
	text := programHelp(all)
	switch {
	case c != nil:
		text = c.help()
	case len(topic) > 0 && !all && topic[0] != "help" && !strings.HasPrefix(topic[0], "-"):
		return unknownVerb(topic[0])
	}
	_, err := io.WriteString(a.std.out, text)
	return err
}

const (
	purpose     = "who wrote this line, and in which conversation"
	programForm = "git trace [--version] [-C <path>] [--git-dir=<path>] [--no-pager] <command> [<args>]"
)

// programHelp returns the help of the program, at most helpWidth wide, with the common commands or with all.
func programHelp(all bool) string {
	var h helpText
	h.section("NAME", "git-trace - "+purpose)
	h.section("USAGE", programForm)
	h.out.WriteString("\nCOMMANDS:\n")
	for _, group := range commandGroups() {
		name := "   " + group.name + "\n"
		for _, c := range group.commands {
			if all || c.is(common) {
				h.out.WriteString(name)
				h.columns("      "+c.name, 20, c.does)
				name = ""
			}
		}
	}
	h.out.WriteString("\n")
	if !all {
		h.out.WriteString("'git trace help --all' lists all commands.\n")
	}
	h.out.WriteString("'git trace help <command>' explains one; git help trace shows the manual.\n")
	return h.out.String()
}

func (c *command) help() string {
	var h helpText
	h.section("NAME", "git trace "+c.name+" - "+c.does)
	h.usage(c)
	h.section("DESCRIPTION", paragraphs(c.about))
	h.options(append(slices.Clone(c.options), helpOption))
	h.examples(c.examples)
	return h.out.String()
}

// helpOption is an option of every command. No command's own list contains it.
var helpOption = optionUse{optionForm: optionForm{[]string{"help", "h"}, takesNothing, "show help"}}

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

type helpText struct{ out strings.Builder }

func (h *helpText) section(title, text string) {
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
		for _, row := range cells.Wrap(line, helpWidth-len(indent), most) {
			h.out.WriteString(strings.TrimRight(indent+row, " ") + "\n")
		}
	}
}

// usage writes the forms of a command. Continuation lines are indented to the first word after the command's name.
func (h *helpText) usage(c *command) {
	const indent = "   "
	h.out.WriteString("\nUSAGE:\n")
	name := indent + "git trace " + c.name
	for form := range strings.SplitSeq(c.form, "\n") {
		row := name
		for _, part := range formParts(strings.TrimPrefix(form, strings.TrimSpace(name))) {
			if cells.Width(row)+1+cells.Width(part) > helpWidth {
				h.out.WriteString(row + "\n")
				row = strings.Repeat(" ", len(name))
			}
			row += " " + part
		}
		h.out.WriteString(row + "\n")
	}
}

// formParts splits a form into the parts that stay on one line: a bracket with its content, an option with its value.
func formParts(form string) []string {
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

func (h *helpText) options(list []optionUse) {
	if len(list) == 0 {
		return
	}
	const most = 26
	names, texts, width := make([]string, len(list)), make([]string, len(list)), 0
	for i, f := range list {
		names[i], texts[i] = f.text()
		if n := len(names[i]); n <= most {
			width = max(width, n)
		}
	}
	h.out.WriteString("\nOPTIONS:\n")
	for i := range list {
		h.columns("   "+names[i], width+5, texts[i])
	}
}

// columns writes a name and its description. The description goes below the name if the name is too long.
func (h *helpText) columns(name string, width int, text string) {
	const most = 20
	if len(name)+2 > width {
		h.out.WriteString(name + "\n")
		name = ""
	}
	for _, row := range cells.Wrap(text, helpWidth-width, most) {
		h.out.WriteString(cells.Pad(name, width) + row + "\n")
		name = ""
	}
}

// examples writes each call, and its purpose below it.
func (h *helpText) examples(list []example) {
	if len(list) == 0 {
		return
	}
	h.out.WriteString("\nEXAMPLES:\n")
	for _, e := range list {
		h.out.WriteString("   " + e.call + "\n        " + e.does + "\n")
	}
}
