package main

import (
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"

	"github.com/git-trace/git-trace/cells"
)

// helpWidth is the width of help: every terminal has as many columns.
const helpWidth = 80

// commandGroups returns the commands by purpose, as help lists them.
func (a *app) commandGroups() []commandGroup {
	return []commandGroup{
		{"record", []*cli.Command{a.initCommand(), a.setupCommand(), a.uninstallCommand(), a.statusCommand(),
			a.sealing(a.doctorCommand()), a.capabilitiesCommand(), a.configCommand(), a.watchCommand(), a.demoCommand(),
			a.completionCommand(), a.installDocsCommand()}},
		{"look at lines, commits and conversations", []*cli.Command{a.blameCommand(), a.diffCommand(), a.whyCommand(),
			a.logCommand(), a.showCommand(), a.graphCommand(), a.trackCommand(), a.searchCommand(), a.statsCommand(),
			a.reportCommand(), a.checkCommand(), a.restoreCommand(), a.revertCommand(), a.resumeCommand(),
			a.serveCommand(),
			a.lspCommand()}},
		{"learn from conversations", []*cli.Command{a.steeringCommand(), a.lessonsCommand(), a.handoffCommand(),
			a.mcpCommand(), a.qualityCommand()}},
		{"keep, complete, pass on and take out", []*cli.Command{a.sealing(a.backfillCommand()), a.convertCommand(),
			a.exportCommand(), a.sealing(a.importCommand()), a.trailersCommand(),
			a.sealing(a.noteCommand()),
			a.sealing(a.purgeCommand())}},
		{"share it", []*cli.Command{a.pushCommand(), a.pullCommand(), a.unshareCommand(), a.archiveCommand()}},
		{"trust the log", []*cli.Command{a.verifyCommand(), a.sealing(a.checkpointCommand())}},
		{"plumbing: doctor --fix does what is needed of it", []*cli.Command{a.sealing(a.recordCommand()),
			a.sealing(a.reconcileCommand()), a.rebuildCommand(), a.gcCommand(), a.eventsCommand(), a.snapshotCommand()}},
	}
}

// common are the commands that help shows; help --all shows all.
var common = []string{"init", "status", "doctor", "blame", "diff", "why", "log", "show", "graph", "search", "stats",
	"report", "restore", "revert", "serve", "backfill", "push", "pull"}

// allCommands is the member of the program's metadata that asks for the help of all commands.
const allCommands = "all commands"

// help shows the commands, all of them if the person asks, or hands over to the framework for one. ok is false if the
// person asks for something else.
func (a *app) help(words []string) (ok bool, err error) {
	program := a.program()
	program.Setup()
	switch {
	case len(words) != 1:
		return false, nil
	case words[0] == "--all" || words[0] == "-a":
		program.Metadata[allCommands] = true
		printHelp(a.std.out, "", program)
		return true, nil
	case strings.HasPrefix(words[0], "-") || program.Command(words[0]) != nil:
		return false, nil
	}
	return true, unknownVerb(program, words[0])
}

type commandGroup struct {
	name     string
	commands []*cli.Command
}

// fitHelp has the framework write help as printHelp does. Hooks never come here.
var fitHelp = sync.OnceFunc(func() { cli.HelpPrinter = printHelp })

// printHelp writes the help of the program or of a command, in columns that fit the screen. The framework's own lets
// long lines run over.
func printHelp(w io.Writer, _ string, of any) {
	var h helpText
	switch of := of.(type) {
	case *cli.App:
		h.section("NAME", of.Name+" - "+of.Usage)
		h.section("USAGE", of.UsageText)
		h.out.WriteString("\nCOMMANDS:\n")
		group, all := "", of.Metadata[allCommands] != nil
		for _, c := range of.VisibleCommands() {
			if c.Category == "" || !all && !slices.Contains(common, c.Name) {
				continue // the framework's own; the last line tells of it
			}
			if c.Category != group {
				group = c.Category
				h.out.WriteString("   " + group + "\n")
			}
			h.columns("      "+c.Name, 20, c.Usage)
		}
		h.out.WriteString("\n")
		if !all {
			h.out.WriteString("'git trace help --all' lists all commands.\n")
		}
		h.out.WriteString("'git trace help <command>' says more of one; git help trace is the manual.\n")
	case *cli.Command:
		h.section("NAME", "git trace "+of.Name+" - "+of.Usage)
		h.usage(of)
		h.section("DESCRIPTION", paragraphs(of.Description))
		h.options(of.VisibleFlags())
		h.examples(examplesOf(of.Name))
	}
	_, _ = io.WriteString(w, h.out.String())
}

// paragraphs makes one line of each paragraph. Indented lines stay as they are.
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

// usage writes the forms of a command. What does not fit stands below the first word behind the command's name.
func (h *helpText) usage(c *cli.Command) {
	const indent = "   "
	h.out.WriteString("\nUSAGE:\n")
	name := indent + "git trace " + c.Name
	for form := range strings.SplitSeq(c.UsageText, "\n") {
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

// formParts returns the parts of a form that each stay on one line: a bracket with its content, and an option with
// its value.
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

func (h *helpText) options(list []cli.Flag) {
	if len(list) == 0 {
		return
	}
	const most = 26
	names, texts, width := make([]string, len(list)), make([]string, len(list)), 0
	for i, f := range list {
		names[i], texts[i] = optionText(f)
		if n := len(names[i]); n <= most {
			width = max(width, n)
		}
	}
	h.out.WriteString("\nOPTIONS:\n")
	for i := range list {
		h.columns("   "+names[i], width+5, texts[i])
	}
}

// columns writes a name, and its description beside it, or below if the name is too long.
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
