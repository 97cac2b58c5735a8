package cli

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/internal/exit"
)

// Operands are the arguments of a command that are not options.
type Operands struct {
	List   []string // before "--"
	Behind []string // after "--"
	Dashed bool     // "--" was given
}

// Call is one call of a command, with its options.
type Call struct {
	Context context.Context     // a call lives for one command
	Name    string              // of the command
	options []Use               // of the command
	given   map[string][]string // the values of each option, by the first of its names
}

// IsSet reports whether an option was given.
func (c *Call) IsSet(name string) bool { return c.given[name] != nil }

// Bool is IsSet for an option without a value.
func (c *Call) Bool(name string) bool { return c.IsSet(name) }

// StringSlice returns all values of an option.
func (c *Call) StringSlice(name string) []string { return c.given[name] }

// String returns the last value of an option, or its default.
func (c *Call) String(name string) string {
	if values := c.given[name]; len(values) > 0 {
		return values[len(values)-1]
	}
	for _, o := range c.options {
		if o.Names[0] == name {
			return o.byDefault
		}
	}
	return ""
}

// Int64 returns the value of an option as a number.
func (c *Call) Int64(name string) int64 {
	n, _ := strconv.ParseInt(c.String(name), 0, 64) // parse has checked the number
	return n
}

// Int returns the value of an option as a number.
func (c *Call) Int(name string) int { return int(c.Int64(name)) }

// Duration returns the value of an option as a period.
func (c *Call) Duration(name string) time.Duration {
	d, _ := time.ParseDuration(c.String(name)) // parse has checked it
	return d
}

// parse reads the options, and returns the other arguments. As in git, options may be anywhere before "--". `help` is
// true if the options ask for help.
func (c *Call) parse(args []string) (ops Operands, help bool, err error) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			ops.Dashed, ops.Behind = true, args[i+1:]
			return ops, false, nil
		case arg == "-h" || arg == "--help":
			return ops, true, nil
		case len(arg) < 2 || arg[0] != '-':
			ops.List = append(ops.List, arg)
			continue
		}
		o, value, whole, err := findOption(c.options, arg)
		if err != nil {
			return ops, false, err
		}
		if !whole {
			if i++; i == len(args) {
				return ops, false, exit.Usage("option '%s' needs a value", arg)
			}
			value = args[i]
		}
		if !o.Kind.has(value) {
			return ops, false, exit.Usage("option '%s': '%s' is not allowed", arg, value)
		}
		c.given[o.Names[0]] = append(c.given[o.Names[0]], value)
	}
	return ops, false, nil
}

// findOption reads --name, --name=value, -n, -nvalue and, if the command has a limit, -3. If `whole` is false, the next
// argument is the value.
func findOption(known []Use, arg string) (o Use, value string, whole bool, err error) {
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
	for _, o := range known {
		switch {
		case !slices.Contains(o.Names, name) && !slices.Contains(o.Also, name):
			continue
		case o.Kind == TakesNothing && inline:
			return o, "", false, exit.Usage("option '%s' takes no value", "--"+name)
		}
		return o, value, inline || o.Kind == TakesNothing, nil
	}
	return o, "", false, exit.Usage("unknown option '%s'", arg)
}

// `All` returns the operands of a command for which "--" only ends the options.
func (o Operands) All() []string { return slices.Concat(o.List, o.Behind) }
