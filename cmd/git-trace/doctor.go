package main

import (
	"context"
	"fmt"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/internal/companion"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/records/prices"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/records/waiting"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/report/health"
	"github.com/git-trace/git-trace/sharing"
	"github.com/git-trace/git-trace/upkeep/doctor"
	"github.com/git-trace/git-trace/upkeep/keeping"
	"github.com/git-trace/git-trace/upkeep/settings"
)

func doctorCommand() *command {
	return &command{
		Name: "doctor",
		Does: "check everything that recording depends on, and repair it",
		Form: "git trace doctor [--fix] [--json]",
		About: "Checks everything that recording depends on, and the whole log. --fix installs the hooks again,\n" +
			"appends waiting events to the log, recreates damaged state, and puts a moved repository back on\n" +
			"the list of recorded repositories. The exit status is 1 when problems remain.",
		Options: options("fix", "json", "color"),
		Examples: []example{
			{"git trace doctor", "all checks, each with the command that repairs it"},
			{"git trace doctor --fix", "repair what can be repaired"},
		},
		Run:    (*app).doctor,
		Traits: common | alone | seals | fetchless,
		Shows:  []string{"", "--json"},
		Tries:  []string{"--fix"},
		Unseen: "it names places of the machine; status.txtar and doctor's own tests hold what it says",
	}
}

// newDoctor makes the doctor of a work tree.
func newDoctor(repo *refs.Repo) (*doctor.Doctor, error) {
	env, err := companion.Env()
	return doctor.New(repo, env, doctor.Deeds{
		Start:  func(ctx context.Context) error { return startRecording(ctx, repo) },
		TakeIn: func(ctx context.Context) error { return runner.DoLater(ctx, repo, func() {}) },
		Store:  func(ctx context.Context, list []waiting.Session) error { return storeAgain(ctx, repo, list) },
		Settings: func(config refs.Config) (string, error) {
			_, err := prices.Configured(config)
			return "correct the file, or git config --unset " + prices.Key, err
		},
		Strays: func(ctx context.Context) ([]doctor.Stray, error) {
			strays, err := sharing.Strays(ctx, events.OpenLog(repo))
			var out []doctor.Stray
			for _, s := range strays {
				out = append(out, doctor.Stray{Remote: s.Label, Now: s.To, Logs: s.Refs})
			}
			return out, err
		},
		Gather: func(ctx context.Context) error {
			log := events.OpenLog(repo)
			strays, err := sharing.Strays(ctx, log)
			if err != nil {
				return err
			}
			return sharing.Gather(ctx, log, strays)
		},
		Remotes: func(ctx context.Context, now time.Time) ([]string, error) {
			return sharing.Notes(ctx, events.OpenLog(repo), now)
		},
		Wrong: func(ctx context.Context, config refs.Config) []doctor.Finding {
			return settings.Wrong(ctx, repo, config)
		},
	}), err
}

func (a *app) doctor(c *call, _ operands) error {
	repo, err := a.workTree()
	if err != nil {
		return err
	}
	d, err := newDoctor(repo)
	if err != nil {
		return err
	}
	screen, _, err := a.display(repo).Plain(c.String("color"))
	if err != nil {
		return err
	}
	var fine bool
	if c.Bool("json") {
		told, err := health.Examine(c.Context, d, c.Bool("fix"), time.Now())
		if err == nil {
			err = writeJSON(terminal.Quietly(a.std.out), told)
		}
		if err != nil {
			return err
		}
		fine = told.Recording && told.Problems == 0
	} else if fine, err = health.DrawDoctor(c.Context, screen, d, c.Bool("fix"), time.Now()); err != nil {
		return err
	}
	if !fine {
		return exit.Silent(exit.Finding)
	}
	return nil
}

// storeAgain stores conversations again, from the session files of their agents.
func storeAgain(ctx context.Context, repo *refs.Repo, list []waiting.Session) error {
	job, err := keeping.NewJob(ctx, repo)
	if err != nil {
		return err
	}
	defer job.Close()
	lock, err := job.Lock(ctx, store.Patience)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	for _, session := range list {
		if err := job.One(ctx, session, func(keeping.Outcome) {}); err != nil {
			return fmt.Errorf("conversation %.8s: %w", session.Trace, err)
		}
	}
	return nil
}
