package main

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/refs"
)

// command describes a command: its texts for help, the manual, docs/cli.md and completion, its function, and the calls
// that tests make.
type command struct {
	name, does string
	form       string // one line for each form; completion derives operands from it
	about      string
	options    []optionUse
	examples   []example
	run        func(*app, *call, operands) error
	traits     trait
	// Calls without the command's name, made in a directory with the file a and two commits. The first call searches the
	// repository.
	shows  []string // calls that only show data; the data may be hostile
	tries  []string // all other calls; they also leave no file in a repository that is not recorded
	waits  string   // a call that searches the repository, if the first call does not
	leaves string   // the reason why a call leaves files there
	unseen string   // the reason why views.txtar does not show this coloured output
}

// example is a call that help, the manual and docs/cli.md show. All names come from one small project: the conversation
// 4f2a with three prompts, the file server.go, the remote origin. A test makes that project and runs every example.
type example struct{ call, does string }

// trait is a property of some commands.
type trait uint

const (
	common    trait = 1 << iota // help lists it; help --all lists all commands
	alone                       // it takes no operand
	likeGit                     // it takes the options of git's command, too, and parses its arguments itself
	seals                       // it writes events, and seals them in the log when it ends
	bounded                     // it only reads or fetches, so it may end at any moment if it needs too much memory
	anew                        // it only reads, and can start again without a part of the history
	verbatim                    // its output contains lines of files
	fetchless                   // it fetches nothing in a partial clone
	atOnce                      // its first call searches nothing in the repository
)

func (c *command) is(t trait) bool { return c != nil && c.traits&t != 0 }

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

// called returns the command that the arguments name; nil for none.
func called(args []string) *command {
	all := allCommands()
	if i := slices.IndexFunc(all, func(c *command) bool { return len(args) > 0 && c.name == args[0] }); i >= 0 {
		return all[i]
	}
	return nil
}

// call runs a command with its arguments.
func (a *app) call(ctx context.Context, c *command, args []string) error {
	made := &call{Context: ctx, command: c, given: map[string][]string{}}
	if c.is(likeGit) {
		return c.run(a, made, operands{list: args})
	}
	ops, help, err := made.parse(args)
	switch {
	case err != nil:
		return c.misused(err)
	case help:
		_, err := io.WriteString(a.std.out, c.help())
		return err
	case c.is(alone) && len(ops.all()) > 0:
		return exit.Usage("unexpected argument '%s'", ops.all()[0])
	case c.is(seals):
		return a.sealing(made, ops)
	}
	return c.run(a, made, ops)
}

// sealing runs a command, and seals its new events in the log.
func (a *app) sealing(c *call, ops operands) error {
	unsealed := func() (*refs.Repo, int64) {
		repo, err := a.repo()
		if err != nil {
			return nil, 0
		}
		return repo, events.OpenLog(repo).Unsealed()
	}
	_, before := unsealed()
	err := c.command.run(a, c, ops)
	if repo, now := unsealed(); now > before || c.command.name == "record" && now > 0 { // the hook did not seal
		runner.Seal(c.Context, repo)
	}
	return err
}

// misused adds a hint to an error in the arguments: the option that was probably meant, and the command that lists all.
func (c *command) misused(err error) error {
	hint := "git trace help " + c.name + " lists its options"
	if name, ok := strings.CutPrefix(err.Error(), "unknown option '"); ok {
		var options []string
		for _, o := range c.options {
			for _, name := range o.names {
				options = append(options, dashed(name))
			}
		}
		name, _, _ = strings.Cut(strings.TrimSuffix(name, "'"), "=")
		if near := exit.Nearest(name, options); near != "" && len(name) > len("--x") {
			hint = "did you mean " + near + "? " + hint
		}
	}
	return &exit.Failure{Code: exit.Misuse, Err: err, Hint: hint}
}
