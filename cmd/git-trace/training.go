package main

import (
	"os"
	"strings"

	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/records/tracestate"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view/exchange"
)

// trainingFlags returns the options of states and pairs.
func trainingFlags() []optionUse {
	return options("history", "messages", "max-tokens", "system", "subagents", "active", "thinking", "per-call", "only",
		"min-chars", "reverted", "stats", "teachers")
}

// training reads the options. It returns nil for any other format, which takes none of these options.
func (a *app) training(c *call, format exchange.Format) (*exchange.Training, error) {
	if !exchange.IsTraining(format) {
		for _, f := range append(trainingFlags(), options("include-human")...) {
			if name := f.Names[0]; c.IsSet(name) {
				return nil, exit.Usage("option '--%s' needs --format %s or %s", name, tracestate.Name, tracestate.PairsName)
			}
		}
		return nil, nil
	}
	t := &exchange.Training{Err: a.std.err, Count: c.Bool("stats"), Human: c.Bool("include-human"),
		Options: tracestate.Options{
			History: tracestate.History(c.String("history")), Messages: tracestate.Dialect(c.String("messages")),
			MaxTokens: c.Int64("max-tokens"),
			Subagents: c.Bool("subagents"), Active: c.Bool("active"), Thinking: c.Bool("thinking"),
			Reverted: c.Bool("reverted"), PerCall: c.Bool("per-call"),
			Only: tracestate.Kind(c.String("only")), MinChars: c.Int("min-chars"),
		}}
	for _, name := range []string{"reverted", "teachers"} {
		if format.Name != tracestate.PairsName && c.IsSet(name) {
			return nil, exit.Usage("option '--%s' needs --format %s", name, tracestate.PairsName)
		}
	}
	t.Files = c.StringSlice("teachers")
	for _, name := range []string{"per-call", "only", "min-chars"} {
		if format.Name == tracestate.PairsName && c.IsSet(name) {
			return nil, exit.Usage("option '--%s' needs --format %s", name, tracestate.Name)
		}
	}
	switch name := c.String("system"); name {
	case "":
	case "recorded":
		t.Options.Recorded = true
	default:
		raw, err := os.ReadFile(name)
		if err != nil {
			return nil, exit.Fail(exit.Unchecked, exchange.FileFault(name, refs.PathCause(err)), "")
		}
		t.Options.System = strings.TrimSpace(string(raw))
	}
	if err := t.Options.Check(); err != nil {
		return nil, exit.Usage("%s", err)
	}
	return t, nil
}
