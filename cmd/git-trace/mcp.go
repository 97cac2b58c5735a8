package main

import "github.com/urfave/cli/v2"

func (a *app) mcpCommand() *cli.Command {
	return &cli.Command{
		Name:      "mcp",
		Usage:     "serve agents what is known, by the Model Context Protocol on standard input and output",
		UsageText: "git trace mcp",
		Description: "An agent's client starts it, in the repository. Its tools only read: blame, why, search, show, " +
			"lessons, handoff.\n" +
			"The server is the program git-trace-serve, which is looked for beside git-trace, then in PATH.",
		Action: a.mcp,
	}
}

func (a *app) mcp(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	return a.beCompanion(c.Context, "mcp")
}
