package main

import (
	"fmt"

	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/sharing"
)

func unshareCommand() *command {
	return &command{
		Name: "unshare",
		Does: "do not share the texts of a conversation",
		Form: "git trace unshare [--undo] <conversation>…",
		About: "The texts of the conversation no longer leave with a push, and the next push removes them\n" +
			"from the remote, with their history. The owners of its lines stay published. Others who have\n" +
			"fetched the texts keep them until their next pull; a remote may keep unreachable objects for\n" +
			"weeks.",
		Options: options("undo"),
		Examples: []example{
			{"git trace unshare 4f2a", "stop pushing the texts of a conversation"},
		},
		Run:   (*app).unshare,
		Tries: []string{"1234", "--undo 1234"},
	}
}

func (a *app) unshare(c *call, ops operands) error {
	if len(ops.All()) == 0 {
		return exit.Usage("which conversation?")
	}
	repo, err := a.repo()
	if err != nil {
		return err
	}
	traces, err := a.findAll(c.Context, repo, ops.All())
	if err != nil {
		return err
	}
	for _, trace := range traces {
		if err := sharing.KeepPrivate(repo, trace, c.Bool("undo")); err != nil {
			return err
		}
		text := "is kept to yourself; git trace push removes it from a remote that has it"
		if c.Bool("undo") {
			text = "leaves with the next git trace push at the level conversations"
		}
		fmt.Fprintf(terminal.Quietly(a.std.out), "%s %s\n", trace[:8], text)
	}
	return nil
}
