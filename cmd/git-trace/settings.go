package main

import (
	"context"
	"fmt"

	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/upkeep/settings"
)

// configSchema names the form of the JSON output; docs/schema/config-1.schema.json describes it.
const configSchema = "git-trace.config/1"

type configTold struct {
	Schema   string        `json:"schema"`
	Settings []settingTold `json:"settings"`
}

type settingTold struct {
	Key     string           `json:"key"`
	Set     []settings.Value `json:"set"`
	Default string           `json:"default"`
	Type    settings.Form    `json:"type,omitempty"`
	Means   string           `json:"means"`
}

func configCommand() *command {
	return &command{
		Name: "config",
		Does: "every setting, with its value, its default and what it does",
		Form: "git trace config [--json] [<setting>…]",
		About: "Settings are keys of git's configuration: git config KEY VALUE sets one here, and git config\n" +
			"--global KEY VALUE for all repositories. This command only reads.",
		Options: append(options("json"), colorFlag()),
		Examples: []example{
			{"git trace config", "every setting with its value"},
			{"git trace config promptExpire", "one of them"},
		},
		Run:    (*app).config,
		Traits: atOnce,
		Shows:  []string{"", "--json"},
		Tries:  []string{"trace.nosuch"},
		Unseen: "a list that settings.txtar and docs/settings.md hold",
	}
}

func (a *app) config(c *call, ops operands) error {
	list, err := settings.Named(ops.All())
	if err != nil {
		return err
	}
	values, repo := refs.Config{}, (*refs.Repo)(nil)
	if found, err := a.repo(); err == nil { // a repository is optional: without one the settings are listed without values
		repo = found
		if values, err = repo.Config(context.WithoutCancel(c.Context)); err != nil {
			return err
		}
	}
	if c.Bool("json") {
		told := configTold{configSchema, []settingTold{}}
		for _, s := range list {
			told.Settings = append(told.Settings, settingTold{s.Key, s.Set(values), s.Default, s.Takes, s.Means})
		}
		return writeJSON(terminal.Quietly(a.std.out), told)
	}
	screen, err := a.screen(repo, c.String("color"))
	if err != nil {
		return err
	}
	for i, s := range list {
		if i > 0 {
			fmt.Fprintln(screen.Out)
		}
		s.Draw(screen, values)
	}
	return screen.Close()
}
