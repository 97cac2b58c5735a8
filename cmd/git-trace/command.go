package main

import (
	"context"
	"io"
	"slices"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/internal/cli"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/refs"
)

// The words in which commands are declared.
type (
	command   = cli.Command[*app]
	call      = cli.Call
	operands  = cli.Operands
	optionUse = cli.Use
	example   = cli.Example
)

var (
	opt, options        = cli.Opt, cli.Options
	jsonFlag, colorFlag = cli.JSONFlag, cli.ColorFlag
	limitFlag           = cli.LimitFlag
	periodFlags         = cli.PeriodFlags
)

// Properties of some commands.
const (
	common    cli.Traits = 1 << iota // help lists it; help --all lists all commands
	alone                            // it takes no operand
	likeGit                          // it takes the options of git's command, too, and parses its arguments itself
	seals                            // it writes events, and seals them in the log when it ends
	bounded                          // it only reads or fetches, so it may end at any moment if it needs too much memory
	anew                             // it only reads, and can start again without a part of the history
	verbatim                         // its output contains lines of files
	fetchless                        // it fetches nothing in a partial clone
	atOnce                           // its first call searches nothing in the repository
)

// commandGroups returns the commands by purpose, in the order of help. Each has its own file.
func commandGroups() []commandGroup {
	return []commandGroup{
		{"record", []*command{initCommand(), setupCommand(), uninstallCommand(), statusCommand(), doctorCommand(),
			capabilitiesCommand(), configCommand(), watchCommand(), demoCommand(), completionCommand(),
			installDocsCommand()}},
		{"look at lines, commits and conversations", []*command{blameCommand(), diffCommand(), whyCommand(), logCommand(),
			showCommand(), graphCommand(), trackCommand(), searchCommand(), statsCommand(), reportCommand(),
			checkCommand(), compareCommand(), restoreCommand(), revertCommand(), resumeCommand(), serveCommand(), lspCommand()}},
		{"learn from conversations", []*command{steeringCommand(), lessonsCommand(), handoffCommand(), mcpCommand(),
			qualityCommand()}},
		{"store, complete, exchange and delete", []*command{backfillCommand(), convertCommand(), exportCommand(),
			importCommand(), capsuleCommand(), trailersCommand(), noteCommand(), purgeCommand()}},
		{"share it", []*command{pushCommand(), pullCommand(), unshareCommand(), archiveCommand()}},
		{"trust the log", []*command{verifyCommand(), checkpointCommand(), attestCommand()}},
		{"plumbing: doctor --fix runs these when needed", []*command{recordCommand(), reconcileCommand(),
			rebuildCommand(), gcCommand(), eventsCommand(), snapshotCommand()}},
	}
}

type commandGroup struct {
	name     string
	commands []*command
}

// allCommands returns the commands in the order of help.
func allCommands() []*command {
	var all []*command
	for _, group := range commandGroups() {
		all = append(all, group.commands...)
	}
	return all
}

// `called` returns the command that the arguments name; nil for none.
func called(args []string) *command {
	all := allCommands()
	if i := slices.IndexFunc(all, func(c *command) bool { return len(args) > 0 && c.Name == args[0] }); i >= 0 {
		return all[i]
	}
	return nil
}

// call runs a command with its arguments.
func (a *app) call(ctx context.Context, c *command, args []string) error {
	if c.Is(likeGit) {
		return c.Run(a, nil, operands{List: args})
	}
	made, ops, help, err := c.Read(ctx, args)
	switch {
	case err != nil:
		return err
	case help:
		_, err := io.WriteString(a.std.out, c.Help())
		return err
	case c.Is(alone) && len(ops.All()) > 0:
		return exit.Usage("unexpected argument '%s'", ops.All()[0])
	case c.Is(seals):
		return a.sealing(c, made, ops)
	}
	return c.Run(a, made, ops)
}

// sealing runs a command, and seals its new events in the log.
func (a *app) sealing(of *command, c *call, ops operands) error {
	unsealed := func() (*refs.Repo, int64) {
		repo, err := a.repo()
		if err != nil {
			return nil, 0
		}
		return repo, events.OpenLog(repo).Unsealed()
	}
	_, before := unsealed()
	err := of.Run(a, c, ops)
	if repo, now := unsealed(); now > before || c.Name == "record" && now > 0 { // the hook did not seal
		runner.Seal(c.Context, repo)
	}
	return err
}
