package cli

import (
	"context"
	"strings"

	"github.com/git-trace/git-trace/internal/exit"
)

// Command describes a command of a program A: its texts for help, the manual, docs/cli.md and completion, its
// function, and the calls that tests make.
type Command[A any] struct {
	Name, Does string
	Form       string // one line for each form; completion derives operands from it
	About      string
	Options    []Use
	Examples   []Example
	Run        func(A, *Call, Operands) error
	Traits     Traits
	// Arguments of calls that tests make, in a directory with the file a and two commits. The first call searches the
	// repository.
	Shows  []string // calls that only show data; the data may be hostile
	Tries  []string // all other calls; they also leave no file in a repository that is not recorded
	Waits  string   // a call that searches the repository, if the first call does not
	Leaves string   // the reason why a call leaves files there
	Unseen string   // the reason why views.txtar does not show this coloured output
}

// Example is a call that help, the manual and docs/cli.md show, and its effect. All names come from one small project:
// the conversation 4f2a with three prompts, the file server.go, the remote origin. A test makes that project and runs
// every example.
type Example [2]string

// Traits holds properties of a command, which the program gives.
type Traits uint

// `Is` reports whether the command has one of these properties.
func (c *Command[A]) Is(t Traits) bool { return c != nil && c.Traits&t != 0 }

// misused adds a hint to an error in the arguments: the option that was probably meant, and the command that lists all.
func (c *Command[A]) misused(err error) error {
	hint := "git trace help " + c.Name + " lists its options"
	if name, ok := strings.CutPrefix(err.Error(), "unknown option '"); ok {
		var options []string
		for _, o := range c.Options {
			for _, name := range o.Names {
				options = append(options, Dashed(name))
			}
		}
		name, _, _ = strings.Cut(strings.TrimSuffix(name, "'"), "=")
		if near := exit.Nearest(name, options); near != "" && len(name) > len("--x") {
			hint = "did you mean " + near + "? " + hint
		}
	}
	return &exit.Failure{Code: exit.Misuse, Err: err, Hint: hint}
}

// Read reads the arguments of a call. `help` is true if they ask for help.
func (c *Command[A]) Read(ctx context.Context, args []string) (made *Call, ops Operands, help bool, err error) {
	made = &Call{Context: ctx, Name: c.Name, options: c.Options, given: map[string][]string{}}
	if ops, help, err = made.parse(args); err != nil {
		err = c.misused(err)
	}
	return made, ops, help, err
}
