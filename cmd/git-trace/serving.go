package main

import "github.com/urfave/cli/v2"

const servedBy = "The server is the program git-trace-serve, which is looked for beside git-trace, then in PATH."

func (a *app) mcpCommand() *cli.Command {
	return &cli.Command{
		Name:      "mcp",
		Usage:     "serve agents what is known, by the Model Context Protocol on standard input and output",
		UsageText: "git trace mcp",
		Description: "An agent's client starts it, in the repository. Its tools only read: blame, why, search, show, " +
			"lessons, handoff.\n" +
			servedBy,
		Action: a.serve("mcp"),
	}
}

func (a *app) lspCommand() *cli.Command {
	return &cli.Command{
		Name:      "lsp",
		Usage:     "serve editors who wrote a line and why, by the Language Server Protocol",
		UsageText: "git trace lsp [--stdio]",
		Description: "An editor starts it, and talks to it on standard input and output: why a line is there when the\n" +
			"pointer rests on it, the prompt behind the first of its lines, and commands that show the conversation.\n" +
			"docs/editors.md tells how each editor is set up.\n" +
			servedBy,
		Flags:  options("stdio"),
		Action: a.serve("lsp"),
	}
}

// serve has the companion serve on standard input and output.
func (a *app) serve(verb string) cli.ActionFunc {
	return func(c *cli.Context) error {
		if err := noArguments(c); err != nil {
			return err
		}
		return a.beCompanion(c.Context, verb)
	}
}
