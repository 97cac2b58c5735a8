package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/refs/recorded"
	"github.com/git-trace/git-trace/upkeep/keeping"
)

func watchCommand() *command {
	return &command{
		Name: "watch",
		Does: "notice changes and conversations that no hook reports",
		Form: "git trace watch [--once] [--interval <duration>]\n" +
			"git trace watch --otlp [--port <number>] [--interval <duration>]",
		About: "Looks at the work trees of the repository every two seconds, and at the agents' session files.\n" +
			"Meanwhile the hooks of shell calls ask it what changed, and do not compare every file.\n" +
			"Changes get their owners as at any hook, and never only by their time. If no hook reports a\n" +
			"conversation, its session file is read and its record stored; other changes of that time are\n" +
			"unknown. With --otlp it also takes the telemetry of clients, on this machine alone, and prints the\n" +
			"lines for sh that make them send it. Telemetry is stored, redacted, if hooks know the conversation\n" +
			"and it has no session file.",
		Options: options("once", "interval", "otlp", "port"),
		Examples: []example{
			{"git trace watch --once", "look once for what no hook reported"},
		},
		Run:    (*app).watch,
		Traits: alone | verbatim,
		Tries:  []string{"--once"},
	}
}

func (a *app) watch(c *call, _ operands) error {
	repo, err := a.workTree()
	if err != nil {
		return err
	}
	if !recorded.Is(repo) {
		return exit.Fail(exit.Finding, errors.New("nothing is recorded here"), "git trace init")
	}
	switch port := c.Int("port"); {
	case c.Bool("otlp") && c.Bool("once"):
		return exit.Usage("options '--otlp' and '--once' exclude each other")
	case c.IsSet("port") && !c.Bool("otlp"):
		return exit.Usage("option '--port' needs --otlp")
	case port < 0 || port > 65535:
		return exit.Usage("option '--port': there is no port %d", port)
	}
	w, err := keeping.NewWatcher(repo, a.std.out, a.std.err)
	if err != nil {
		return err
	}
	if c.Bool("once") {
		told, err := w.Once(c.Context)
		if err == nil && !told && terminal.Is(a.std.err) {
			fmt.Fprintln(a.std.err, "git-trace: hint: hooks reported every change")
		}
		return err
	}
	if c.Bool("otlp") {
		if w.Collector, err = keeping.StartCollector(c.Context, repo, c.Int("port"), a.std.out, a.std.err); err != nil {
			return err
		}
	}
	pause := max(c.Duration("interval"), 100*time.Millisecond)
	fmt.Fprintf(a.std.err, "git-trace: hint: looking at %s every %s until it is interrupted\n",
		cells.Message(repo.WorkTree), pause)
	a.line.End()
	return w.Run(c.Context, pause)
}
