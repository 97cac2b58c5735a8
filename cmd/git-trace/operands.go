package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/refs"
)

// operands are the arguments of a verb that are not options.
type operands struct {
	list   []string // before "--"
	behind []string // behind "--"
	dashed bool     // "--" was given
}

// readingCommand prepares a verb whose options may stand anywhere before "--", as git's may. The framework stops
// looking for options at the first operand and swallows "--", so it is not asked.
func readingCommand(c *cli.Command, run func(*cli.Context, operands) error) *cli.Command {
	c.SkipFlagParsing, c.HideHelpCommand = true, true
	c.Action = func(ctx *cli.Context) error {
		ops, help, err := parseOperands(ctx)
		switch {
		case err != nil:
			return onUsageError(ctx, err, true)
		case help:
			return cli.ShowSubcommandHelp(ctx)
		}
		return run(ctx, ops)
	}
	return c
}

// sealing lets a command seal its new events in the log when it has ended.
func (a *app) sealing(c *cli.Command) *cli.Command {
	run := c.Action
	c.Action = func(ctx *cli.Context) error {
		unsealed := func() (*refs.Repo, int64) {
			repo, err := a.repo()
			if err != nil {
				return nil, 0
			}
			return repo, events.OpenLog(repo).Unsealed()
		}
		_, before := unsealed()
		err := run(ctx)
		if repo, now := unsealed(); now > before || c.Name == "record" && now > 0 { // whose hook has left that to it
			runner.Seal(ctx.Context, repo)
		}
		return err
	}
	return c
}

// parseOperands sets the options of the verb and returns the rest; help is true if they ask for help.
func parseOperands(c *cli.Context) (ops operands, help bool, err error) {
	args := c.Args().Slice()
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			ops.dashed, ops.behind = true, args[i+1:]
			return ops, false, nil
		case arg == "-h" || arg == "--help":
			return ops, true, nil
		case len(arg) < 2 || arg[0] != '-':
			ops.list = append(ops.list, arg)
			continue
		}
		o, err := findOption(c.Command.Flags, arg)
		if err != nil {
			return ops, false, err
		}
		if o.needsValue {
			if i++; i == len(args) {
				return ops, false, usage("option '%s' needs a value", arg)
			}
			o.value = args[i]
		}
		if err := c.Set(o.name, o.value); err != nil {
			return ops, false, usage("option '%s': '%s' is no such value", arg, o.value)
		}
	}
	return ops, false, nil
}

// option is an option as it was given.
type option struct {
	name       string // the first name of its flag
	value      string
	needsValue bool // it is the next argument
}

// findOption reads --name, --name=value, -n, -nvalue and, where there is a limit, -3.
func findOption(flags []cli.Flag, arg string) (option, error) {
	name, value, inline := strings.Cut(strings.TrimPrefix(arg[1:], "-"), "=")
	if !strings.HasPrefix(arg, "--") {
		name, value, inline = arg[1:2], arg[2:], len(arg) > 2
		if strings.Trim(arg[1:], "0123456789") == "" {
			name, value, inline = "n", arg[1:], true
		}
	}
	switch {
	case name == "color" && !inline:
		value, inline = "always", true
	case name == "no-color" && !inline:
		name, value, inline = "color", "never", true
	}
	for _, flag := range flags {
		if !slices.Contains(flag.Names(), name) {
			continue
		}
		o := option{name: flag.Names()[0], value: value}
		if _, isBool := flag.(*cli.BoolFlag); isBool {
			if inline {
				return o, usage("option '%s' takes no value", "--"+name)
			}
			o.value = "true"
			return o, nil
		}
		o.needsValue = !inline
		return o, nil
	}
	return option{}, usage("unknown option '%s'", arg)
}

// none refuses operands of a verb that takes none.
func (o operands) none() error {
	if all := o.all(); len(all) > 0 {
		return usage("unexpected argument '%s'", all[0])
	}
	return nil
}

// all returns the operands of a verb for which "--" only ends the options.
func (o operands) all() []string { return slices.Concat(o.list, o.behind) }
