package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/git-trace/git-trace/internal/cli"
	"github.com/git-trace/git-trace/internal/exit"
)

// otherWords maps words that people know from other programs to our commands.
var otherWords = map[string]string{
	"annotate": "blame", "cost": "stats", "costs": "stats", "conversations": "log", "delete": "purge",
	"disable": "uninstall", "enable": "setup", "explain": "why", "fetch": "pull", "find": "search",
	"forget": "purge", "grep": "search",
	"history": "log", "install": "init", "list": "log", "rewind": "restore", "sessions": "log",
	"share": "push", "start": "init", "stop": "uninstall", "sync": "pull", "timeline": "graph", "undo": "revert",
	"upload": "push", "usage": "stats",
}

func unknownVerb(verb string) error {
	if word := otherWords[verb]; word != "" {
		return exit.Fail(exit.Misuse, fmt.Errorf("'%s' is not a git-trace command", verb), "git trace "+word+" does that")
	}
	var names []string
	for _, c := range allCommands() {
		names = append(names, c.Name)
	}
	return exit.Fail(exit.Misuse, fmt.Errorf("'%s' is not a git-trace command", verb),
		exit.Meant(verb, names, "git trace help --all lists the commands"))
}

// help writes the help of the program, or of a command.
func (a *app) help(topic ...string) error {
	c, all := called(topic), len(topic) > 0 && (topic[0] == "--all" || topic[0] == "-a")
	text := programHelp(all)
	switch {
	case c != nil:
		text = c.Help()
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
	var h cli.Page
	h.Section("NAME", "git-trace - "+purpose)
	h.Section("USAGE", programForm)
	h.Write("\nCOMMANDS:\n")
	for _, group := range commandGroups() {
		name := "   " + group.name + "\n"
		for _, c := range group.commands {
			if all || c.Is(common) {
				h.Write(name)
				h.Columns("      "+c.Name, 20, c.Does)
				name = ""
			}
		}
	}
	h.Write("\n")
	if !all {
		h.Write("'git trace help --all' lists all commands.\n")
	}
	h.Write("'git trace help <command>' explains one; git help trace shows the manual.\n")
	return h.Text()
}
