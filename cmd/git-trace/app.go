package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
	"github.com/git-trace/git-trace/version"
	"github.com/git-trace/git-trace/view"
)

// app is one call of the command line: its directory and its streams.
type app struct {
	std streams
	dir string // the directory that -C and the process's own give
	// life ends when the person interrupts the command, which signals heeds; line is the status line, nil for none.
	hinted  sync.Once       // see hintSilence
	life    context.Context // an app is one call
	signals interrupts
	line    *statusLine
	fold    int // see foldsAt
	leftOut refs.LeftOut
	grafts  string // see cutHistory
}

// runApp parses the options before the verb as git does, then hands over to the verb.
func runApp(args []string, std streams) int {
	a := &app{std: std, dir: "."}
	rest, err := a.globals(args)
	if err != nil {
		return report(std.err, err)
	}
	ctx, stop := a.signals.listen(context.Background())
	defer stop()
	if a.life = ctx; !slices.Contains(rest, "watch") { // which lives on while the user changes the configuration
		a.life = refs.SettingsOnce(ctx)
	}
	a.beginLine(rest)
	a.fold = a.foldsAt(rest)
	if len(rest) > 0 {
		boundMemory(rest[0], a.endWith)
	}
	a.std.out = a.folded(a.std.out)
	if _, terminal := terminalOf(a.std.out); terminal && printsJSON(rest) {
		a.std.out = &jsonScreen{to: a.std.out}
	}
	if err = a.command(rest); err != nil && a.cutHistory(rest, err) {
		err = a.command(rest)
		_ = os.Remove(a.grafts)
	}
	a.line.end()
	a.tellLeftOut()
	if errors.Is(err, context.Canceled) && ctx.Err() == nil { // git heard of the key before this process did
		select {
		case <-ctx.Done():
		case <-time.After(interruptGrace):
		}
	}
	if status := a.signals.status(); status != 0 && err != nil {
		return status
	}
	return report(std.err, err)
}

// command runs a verb. The options of some are git's, which no framework parses as git does.
func (a *app) command(args []string) error {
	switch {
	case len(args) > 0 && args[0] == "blame":
		return a.blame(args[1:])
	case len(args) > 0 && args[0] == "diff":
		return a.diff(args[1:])
	case len(args) > 0 && args[0] == "help":
		if ok, err := a.help(args[1:]); ok {
			return err
		}
	case len(args) > 0 && args[0] == "__complete":
		err := os.Setenv(view.Unasked, view.ByAgent)
		if err == nil {
			a.complete(args[1:])
		}
		return err
	}
	return a.program().RunContext(a.life, append([]string{"git-trace"}, args...))
}

// beginLine begins the status line, if there is a terminal for it and the person wants one.
func (a *app) beginLine(args []string) {
	file, isFile := a.std.err.(*os.File)
	if _, terminal := terminalOf(a.std.err); !isFile || !terminal || len(args) == 0 ||
		slices.Contains(args, "--no-progress") {
		return
	}
	a.line = newStatusLine(file, args[0])
	a.std.err = below{file, a.line, true}
	if out, isFile := a.std.out.(*os.File); isFile {
		if _, terminal := terminalOf(out); terminal {
			a.std.out = below{out, a.line, false}
		}
	}
}

// globals takes the options that stand before the verb: -C, --git-dir, --work-tree and --no-pager.
func (a *app) globals(args []string) ([]string, error) {
	for len(args) > 0 {
		arg := args[0]
		name, value, inline := strings.Cut(arg, "=")
		switch {
		case arg == "-C", name == "--git-dir", name == "--work-tree":
			args = args[1:]
			if !inline {
				if len(args) == 0 {
					return nil, usage("option '%s' needs a value", arg)
				}
				value, args = args[0], args[1:]
			}
			if err := a.setGlobal(name, value); err != nil {
				return nil, err
			}
		case arg == "--no-pager":
			if err := os.Setenv("GIT_PAGER", "cat"); err != nil {
				return nil, err
			}
			args = args[1:]
		default:
			return args, nil
		}
	}
	return args, nil
}

func (a *app) setGlobal(name, value string) error {
	switch name {
	case "-C":
		if value == "" {
			return nil // as git: no change
		}
		if err := os.Chdir(value); err != nil {
			var path *os.PathError
			if errors.As(err, &path) {
				err = path.Err
			}
			return fail(exitGit, fmt.Errorf("cannot change to '%s': %w", value, err), "")
		}
		return nil
	case "--git-dir":
		return os.Setenv("GIT_DIR", value)
	default:
		return os.Setenv("GIT_WORK_TREE", value)
	}
}

// repo finds the repository that the command is about.
func (a *app) repo() (*refs.Repo, error) {
	r, err := refs.Discover(a.dir)
	if err == nil {
		r.LeftOut, r.Grafts = &a.leftOut, a.grafts
	}
	if asks := os.Getenv(view.Unasked); err == nil && asks != "" {
		err = a.unasked(r, asks)
	}
	return r, err
}

// unasked prevents that a command which no person typed starts programs of a stranger's repository.
func (a *app) unasked(repo *refs.Repo, asks string) error {
	listed := recorded.Is(repo)
	if asks == view.ByEditor && !listed && !repo.MayHaveRefs("refs/traces/") {
		return fail(exitUnchecked, errors.New("nothing is recorded here, and no traces were pulled"),
			"git trace init records it; git trace blame answers whoever asks")
	}
	if asks == view.ByPage && listed {
		return nil
	}
	return repo.StartNothing(a.life)
}

// workTree returns the repository for commands that need files.
func (a *app) workTree() (*refs.Repo, error) {
	r, err := a.repo()
	if err == nil && r.Bare() {
		err = refs.ErrBare
	}
	if err == nil {
		a.tellEnrolled(r)
	}
	return r, err
}

// program lists the verbs. Each stands in a file of its own.
func (a *app) program() *cli.App {
	fitHelp()
	program := &cli.App{
		Name:      "git-trace",
		Usage:     "who wrote this line, and in which conversation",
		UsageText: "git trace [--version] [-C <path>] [--git-dir=<path>] [--no-pager] <command> [<args>]",
		Version:   version.Number,
		Writer:    a.std.out, ErrWriter: a.std.err, Reader: a.std.in,
		HideVersion:               true,
		UseShortOptionHandling:    true,
		DisableSliceFlagSeparator: true, // a comma belongs to the text or the path that has it
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return unknownVerb(c.App, c.Args().First())
			}
			if err := cli.ShowAppHelp(c); err != nil {
				return err
			}
			return silent(exitFinding) // as git without a command
		},
		OnUsageError:    onUsageError,
		ExitErrHandler:  func(*cli.Context, error) {}, // report prints, once
		CommandNotFound: nil,
	}
	for _, group := range a.commandGroups() {
		for _, c := range group.commands {
			c.Category, c.OnUsageError = group.name, onUsageError
			program.Commands = append(program.Commands, c)
		}
	}
	return program
}

// onUsageError turns the framework's complaint into ours; it would print the whole help otherwise.
func onUsageError(c *cli.Context, err error, _ bool) error {
	if name, ok := strings.CutPrefix(err.Error(), "flag needs an argument: -"); ok {
		err = fmt.Errorf("option '%s' needs a value", dashed(name))
	} else if _, name, ok := strings.Cut(err.Error(), " for -"); ok && strings.HasPrefix(err.Error(), "invalid boolean ") {
		name, _, _ = strings.Cut(name, ":")
		err = fmt.Errorf("option '%s' takes no value", dashed(name))
	} else if name, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: -"); ok {
		err = fmt.Errorf("unknown option '%s'", dashed(name))
	}
	command, options := "<command>", []string(nil)
	if c != nil && c.Command != nil && c.Command.Name != "" {
		command = c.Command.Name
		for _, flag := range c.Command.Flags {
			for _, name := range shownNames(flag) {
				options = append(options, dashed(name))
			}
		}
	}
	hint := "git trace help " + command + " lists its options"
	if name, ok := strings.CutPrefix(err.Error(), "unknown option '"); ok {
		name, _, _ = strings.Cut(strings.TrimSuffix(name, "'"), "=")
		if near := nearest(name, options); near != "" && len(name) > len("--x") {
			hint = "did you mean " + near + "? " + hint
		}
	}
	return &failure{code: exitUsage, err: err, hint: hint}
}

// dashed returns an option as it is typed.
func dashed(name string) string {
	name = strings.TrimLeft(name, "-")
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// noArguments refuses arguments of a verb that takes none.
func noArguments(c *cli.Context) error {
	if c.NArg() > 0 {
		return usage("unexpected argument '%s'", c.Args().First())
	}
	return nil
}
