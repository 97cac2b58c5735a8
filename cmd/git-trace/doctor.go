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
	if c.Bool("json") {
		return a.doctorJSON(c, d)
	}
	remain, recording, err := d.Examine(c.Context, c.Bool("fix"), func(r doctor.Result) error {
		return drawResult(screen, r)
	})
	if err != nil {
		return err
	}
	if !recording {
		return exit.Silent(exit.Finding)
	}
	t := rows{screen: screen}
	for _, note := range d.Notes(c.Context, time.Now()) {
		t.row("note", note, "")
	}
	if err := t.write(); err != nil {
		return err
	}
	if remain > 0 {
		return exit.Silent(exit.Finding)
	}
	return nil
}

// doctorSchema names the form of the JSON output; docs/schema/doctor-1.schema.json describes it.
const doctorSchema = "git-trace.doctor/1"

// doctorTold holds the findings of doctor, in JSON.
type doctorTold struct {
	Schema    string        `json:"schema"`
	Recording bool          `json:"recording"` // if false, only the first check and the checks of fetched logs were made
	Problems  int           `json:"problems"`  // number of problems that remain
	Checks    []doctorCheck `json:"checks"`
	Notes     []string      `json:"notes"`
}

type doctorCheck struct {
	Name   string           `json:"name"`
	Fine   *string          `json:"fine"` // a line about the state, if nothing is and nothing was wrong
	Mended []doctor.Finding `json:"mended"`
	Left   []doctor.Finding `json:"left"`
}

func (a *app) doctorJSON(c *call, d *doctor.Doctor) error {
	told := doctorTold{Schema: doctorSchema, Checks: []doctorCheck{}, Notes: []string{}}
	var err error
	told.Problems, told.Recording, err = d.Examine(c.Context, c.Bool("fix"), func(r doctor.Result) error {
		one := doctorCheck{Name: r.Name, Mended: append([]doctor.Finding{}, r.Mended...),
			Left: append([]doctor.Finding{}, r.Left...)}
		if len(r.Mended)+len(r.Left) == 0 {
			one.Fine = &r.Fine
		}
		told.Checks = append(told.Checks, one)
		return nil
	})
	if err != nil {
		return err
	}
	if told.Recording {
		told.Notes = append(told.Notes, d.Notes(c.Context, time.Now())...)
	}
	if err := writeJSON(terminal.Quietly(a.std.out), told); err != nil {
		return err
	}
	if told.Problems > 0 || !told.Recording {
		return exit.Silent(exit.Finding)
	}
	return nil
}

func drawResult(s *terminal.Screen, r doctor.Result) error {
	t := rows{screen: s}
	if len(r.Mended)+len(r.Left) == 0 {
		t.row("ok", r.Name+": "+r.Fine, "")
	}
	t.findings("mended", r.Mended)
	t.findings("problem", r.Left)
	return t.write()
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
