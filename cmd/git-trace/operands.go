package main

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/internal/exit"
)

// operands are the arguments of a command that are not options.
type operands struct {
	list   []string // before "--"
	behind []string // after "--"
	dashed bool     // "--" was given
}

// call is one call of a command, with its options.
type call struct {
	Context context.Context // a call lives for one command
	command *command
	given   map[string][]string // the values of each option, by the first of its names
}

// IsSet reports whether an option was given.
func (c *call) IsSet(name string) bool { return c.given[name] != nil }

// Bool is IsSet for an option without a value.
func (c *call) Bool(name string) bool { return c.IsSet(name) }

// StringSlice returns all values of an option.
func (c *call) StringSlice(name string) []string { return c.given[name] }

// String returns the last value of an option, or its default.
func (c *call) String(name string) string {
	if values := c.given[name]; len(values) > 0 {
		return values[len(values)-1]
	}
	for _, o := range c.command.options {
		if o.names[0] == name {
			return o.byDefault
		}
	}
	return ""
}

// Int64 returns the value of an option as a number.
func (c *call) Int64(name string) int64 {
	n, _ := strconv.ParseInt(c.String(name), 0, 64) // parse has checked the number
	return n
}

// Int returns the value of an option as a number.
func (c *call) Int(name string) int { return int(c.Int64(name)) }

// Duration returns the value of an option as a period.
func (c *call) Duration(name string) time.Duration {
	d, _ := time.ParseDuration(c.String(name)) // parse has checked it
	return d
}

// parse reads the options, and returns the other arguments. As in git, options may be anywhere before "--". help is
// true if the options ask for help.
func (c *call) parse(args []string) (ops operands, help bool, err error) {
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
		o, value, whole, err := findOption(c.command.options, arg)
		if err != nil {
			return ops, false, err
		}
		if !whole {
			if i++; i == len(args) {
				return ops, false, exit.Usage("option '%s' needs a value", arg)
			}
			value = args[i]
		}
		if !o.kind.has(value) {
			return ops, false, exit.Usage("option '%s': '%s' is not allowed", arg, value)
		}
		c.given[o.names[0]] = append(c.given[o.names[0]], value)
	}
	return ops, false, nil
}

// findOption reads --name, --name=value, -n, -nvalue and, if the command has a limit, -3. If whole is false, the next
// argument is the value.
func findOption(known []optionUse, arg string) (o optionUse, value string, whole bool, err error) {
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
		case !slices.Contains(o.names, name) && !slices.Contains(o.also, name):
			continue
		case o.kind == takesNothing && inline:
			return o, "", false, exit.Usage("option '%s' takes no value", "--"+name)
		}
		return o, value, inline || o.kind == takesNothing, nil
	}
	return o, "", false, exit.Usage("unknown option '%s'", arg)
}

// all returns the operands of a command for which "--" only ends the options.
func (o operands) all() []string { return slices.Concat(o.list, o.behind) }
