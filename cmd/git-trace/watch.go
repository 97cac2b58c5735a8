package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
	"github.com/git-trace/git-trace/trails"
	"github.com/git-trace/git-trace/trails/snapshot"
	"github.com/git-trace/git-trace/upkeep/keeping"
	"github.com/git-trace/git-trace/upkeep/testimony"
)

// Times of a running watcher.
const (
	watchPause    = 2 * time.Second
	watchSessions = 15 * time.Second // between two searches for session files
	watchLimit    = 30 * time.Second // the longest time of one look
)

func watchCommand() *command {
	return &command{
		name: "watch",
		does: "notice changes and conversations that no hook reports",
		form: "git trace watch [--once] [--interval <duration>]\n" +
			"git trace watch --otlp [--port <number>] [--interval <duration>]",
		about: "Looks at the work trees of the repository every two seconds, and at the agents' session files.\n" +
			"Meanwhile the hooks of shell calls ask it what changed, and do not compare every file.\n" +
			"Changes get their owners as at any hook, and never only by their time. If no hook reports a\n" +
			"conversation, its session file is read and its record stored; other changes of that time are\n" +
			"unknown. With --otlp it also takes the telemetry of clients, on this machine alone, and prints the\n" +
			"lines for sh that make them send it. Telemetry is stored, redacted, if hooks know the conversation\n" +
			"and it has no session file.",
		options: options("once", "interval", "otlp", "port"),
		examples: []example{
			{"git trace watch --once", "look once for what no hook reported"},
		},
		run:    (*app).watch,
		traits: alone | verbatim,
		tries:  []string{"--once"},
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
	w, err := a.watcher(repo)
	if err != nil {
		return err
	}
	if c.Bool("once") {
		w.wait = watchLimit
		err := w.tick(c.Context, time.Now())
		if err == nil && !w.told && terminal.Is(a.std.err) {
			fmt.Fprintln(a.std.err, "git-trace: hint: hooks reported every change")
		}
		return err
	}
	if c.Bool("otlp") {
		if w.collector, err = keeping.StartCollector(c.Context, repo, c.Int("port"), a.std.out, a.std.err); err != nil {
			return err
		}
	}
	pause := max(c.Duration("interval"), 100*time.Millisecond)
	fmt.Fprintf(a.std.err, "git-trace: hint: looking at %s every %s until it is interrupted\n",
		cells.Message(repo.WorkTree), pause)
	a.line.End()
	err = w.run(c.Context, pause)
	if w.collector != nil {
		err = errors.Join(err, w.collector.End(watchLimit))
	}
	return err
}

// run looks again and again until it is stopped. It prints the error of a failed look, and continues.
func (w *watcher) run(ctx context.Context, pause time.Duration) error {
	monitors := map[string]*snapshot.Monitor{} // by git directory
	defer func() {
		for _, m := range monitors {
			m.Close()
		}
	}()
	for {
		for _, repo := range testimony.WorkTreesOf(w.repo) {
			if monitors[repo.GitDir] == nil {
				if m, err := trails.Monitor(repo); err == nil { // else every look compares all files, as without a watcher
					monitors[repo.GitDir] = m
				}
			}
		}
		err := w.tick(ctx, time.Now())
		var ended chan error
		if w.collector != nil {
			err = errors.Join(err, w.collector.Store(ctx))
			ended = w.collector.Ended
		}
		if err != nil && ctx.Err() == nil {
			fmt.Fprintf(w.err, "git-trace: warning: %s\n", cells.Message(err.Error()))
		}
		select {
		case <-ctx.Done():
			return nil
		case err := <-ended:
			ended <- nil
			return err
		case <-time.After(pause):
		}
	}
}

// tick looks at every work tree once.
func (w *watcher) tick(ctx context.Context, now time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, watchLimit)
	defer cancel()
	w.begin(now)
	var failed error
	noticed := false
	for _, repo := range testimony.WorkTreesOf(w.repo) {
		var active []trails.Unreported
		var err error
		if w.due {
			active, err = w.unreported(repo)
		}
		if err == nil {
			active, err = w.look(ctx, repo, active, now)
		}
		noticed = noticed || len(active) > 0
		failed = errors.Join(failed, err)
	}
	if noticed && failed == nil {
		failed = w.store(ctx)
	}
	return errors.Join(failed, w.save())
}

// store reads the session files of the noticed conversations and stores their records, as the background process of
// hooks does.
func (w *watcher) store(ctx context.Context) error {
	job, err := keeping.NewJob(ctx, w.repo)
	if err != nil {
		return err
	}
	defer job.Close()
	failed, err := job.TakeIn(ctx, w.wait, func(keeping.Outcome) {})
	return errors.Join(append(failed, err)...)
}

// look checks one work tree, and returns the conversations that no hook reported.
func (w *watcher) look(
	ctx context.Context, repo *refs.Repo, active []trails.Unreported, now time.Time,
) ([]trails.Unreported, error) {
	others := func() (list []trails.Unreported, err error) {
		active, err = w.unreported(repo)
		return active, err
	}
	if w.due { // active already lists them
		others = nil
	}
	engine := trails.New(repo, w.log(repo), nil)
	engine.Editing = runner.Editing(repo)
	changed, err := engine.Watch(ctx, now, active, others)
	if err != nil {
		return nil, err
	}
	if changed > 0 {
		w.told = true
		fmt.Fprintf(w.out, "%s changed in %s\n", numbers.Count(changed, "file"), cells.Message(repo.WorkTree))
	}
	for _, one := range active {
		if !one.Known {
			w.told = true
			fmt.Fprintf(w.out, "%s %s is not reported by hooks; its session file is read\n", one.Agent,
				cells.Message(one.Session))
		}
	}
	return active, nil
}
