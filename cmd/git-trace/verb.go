package main

import (
	"fmt"

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
		names = append(names, c.name)
	}
	return exit.Fail(exit.Misuse, fmt.Errorf("'%s' is not a git-trace command", verb),
		exit.Meant(verb, names, "git trace help --all lists the commands"))
}
