package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
	"github.com/git-trace/git-trace/sharing"
	"github.com/git-trace/git-trace/upkeep/keeping"
)

// setting is a key of git's configuration that git-trace reads. Takes is the form of its values. A setting without a
// form takes any text, or is checked where it is used.
type setting struct {
	key, byDefault, means string
	takes                 valueForm
}

// valueForm is the form of a setting's value. The first three forms are git's types (git-config(1), --type).
type valueForm string

const (
	aTruth  valueForm = "bool"
	aNumber valueForm = "int"
	aDate   valueForm = "expiry-date"
	anAgent valueForm = "agent"
	aLevel  valueForm = "level"
)

// settingForms lists all settings. docs/settings.md and the manual are generated from it.
var settingForms = []setting{
	{"advice.traceSigns", "true", "false: blame does not explain its signs on the terminal", aTruth},
	{"trace.allowAdopt", "false", "true: others may publish this clone's digest with git trace push --adopt; " +
		"read only from your own configuration", aTruth},
	{sharing.AskKey, "true", "false: git-trace does not ask remotes once a day for traces that were never pulled", aTruth},
	{"trace.autoPush", "false", "true: git push is followed by git trace push; init then adds the hook; " +
		"read only from your own configuration", aTruth},
	{"trace.fetchOnDemand", "false", "true: show, why and blame --prompts fetch the texts of a conversation from " +
		"the remote where it is kept; read only from your own configuration", aTruth},
	{"trace.hooksPath", "", "the value of core.hooksPath before init; init writes it and uninstall reads it", ""},
	{"trace.ignoreAgent", "", "an agent, or an editor that completes; may be given several times. " +
		"init skips it unless you name it, and status does not mention it", anAgent},
	{recorded.IgnoreKey, "", "a directory whose repositories git trace setup leaves out; may be given several times; " +
		"read only from your own configuration", ""},
	{"trace.maxFetched", "2g", "pull ends when more bytes arrive; k, m and g as in git", aNumber},
	{"trace.prices", "", "a file with prices of models that replaces the table of git-trace", ""},
	{"trace.promptExpire", keeping.DefaultPromptExpire, "when typed prompts that are in no record are deleted", aDate},
	{"trace.pushSubject", "", "the subject of the commits that push makes, if a remote has rules for subjects", ""},
	{recorded.RecordKey, "", "a directory whose repositories are enrolled when you start an agent in them; may be given " +
		"several times; git trace setup writes it; read only from your own configuration", ""},
	{"trace.records", "true", "false: conversations are not stored", aTruth},
	{"trace.redactAllow", "", "an expression (RE2) for texts that are not secrets; may be given several times", ""},
	{"trace.redactFile", "git-trace/redact in your configuration directory", "your rules of redaction", ""},
	{"trace.redactName", "", "a name that redaction removes; may be given several times", ""},
	{"trace.redactSecret", "", "an expression (RE2) for secrets; may be given several times", ""},
	{"trace.remote", "", "the default remote of push", ""},
	{servePortKey, "0", "the port of git trace serve; 0 takes a free one", aNumber},
	{"trace.shareTimes", "exact", "minute or day: push cuts the times of prompts to this unit before they leave, except " +
		"in whole logs", ""},
	{"trace.signPush", "commit.gpgSign", "true: the commits that push makes are signed", aTruth},
	{"trace.snapshotExpire", defaultExpire, "when gc removes contents of snapshots that are in no last snapshot; " +
		"written as for gc.pruneExpire", aDate},
	{runner.SummaryKey, "", "true: one line after your commits at a terminal says whose lines they added; " +
		"init and setup ask once", aTruth},
	{"trace.trailers", "", "assisted-by or co-author: commit messages name the agents of their lines; init then adds " +
		"the hook", ""},
	{"trace.trust", "all", "the fetched logs that commands read: all, signed (with a key that git trusted at the pull) " +
		"or own", ""},
	{"remote.<name>.traceCode", "", "another remote: push publishes here the owners of its commits' lines", ""},
	{"remote.<name>.tracePrefix", "refs/traces/writers/", "the prefix of the refs of traces on this remote", ""},
	{"remote.<name>.traceShare", "", "how much push sends to this remote: commits, conversations or " +
		"log; push asks for it and writes it", aLevel},
	{"remote.<name>.traceUrl", "", "the URL for which traceShare was chosen; for another URL push asks again", ""},
}

// configSchema names the form of the JSON output; docs/schema/config-1.schema.json describes it.
const configSchema = "git-trace.config/1"

type configTold struct {
	Schema   string        `json:"schema"`
	Settings []settingTold `json:"settings"`
}

type settingTold struct {
	Key     string     `json:"key"`
	Set     []keyValue `json:"set"`
	Default string     `json:"default"`
	Type    valueForm  `json:"type,omitempty"`
	Means   string     `json:"means"`
}

type keyValue struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

func configCommand() *command {
	return &command{
		name: "config",
		does: "every setting, with its value, its default and what it does",
		form: "git trace config [--json] [<setting>…]",
		about: "Settings are keys of git's configuration: git config KEY VALUE sets one here, and git config\n" +
			"--global KEY VALUE for all repositories. This command only reads.",
		options: append(options("json"), colorFlag()),
		examples: []example{
			{"git trace config", "every setting with its value"},
			{"git trace config promptExpire", "one of them"},
		},
		run:    (*app).config,
		traits: atOnce,
		shows:  []string{"", "--json"},
		tries:  []string{"trace.nosuch"},
		unseen: "a list that settings.txtar and docs/settings.md hold",
	}
}

func (a *app) config(c *call, ops operands) error {
	asked := slices.Concat(ops.list, ops.behind)
	var list []setting
	for _, s := range settingForms {
		if len(asked) == 0 || slices.ContainsFunc(asked, s.named) {
			list = append(list, s)
		}
	}
	for _, name := range asked {
		if !slices.ContainsFunc(settingForms, func(s setting) bool { return s.named(name) }) {
			var keys []string
			for _, s := range settingForms {
				keys = append(keys, s.key)
			}
			return exit.NoSuch("setting", name, keys)
		}
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
			told.Settings = append(told.Settings, settingTold{s.key, s.set(values), s.byDefault, s.takes, s.means})
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
		s.draw(screen, values)
	}
	return screen.Close()
}

// named reports whether a typed name means this setting. Case does not matter in git's keys, and `trace.` may be
// missing.
func (s setting) named(name string) bool {
	return strings.EqualFold(s.key, name) || strings.EqualFold(s.key, "trace."+name) ||
		strings.HasPrefix(s.key, "remote.<") && strings.HasSuffix(strings.ToLower(name), strings.ToLower(s.suffix()))
}

// suffix returns the part after the remote's name, with its dot.
func (s setting) suffix() string { return s.key[strings.LastIndexByte(s.key, '.'):] }

// set returns the setting's keys and values in the configuration. A setting of remotes may have several.
func (s setting) set(values refs.Config) []keyValue {
	out := []keyValue{}
	if !strings.HasPrefix(s.key, "remote.<") {
		for _, value := range values.All(s.key) {
			out = append(out, keyValue{s.key, value})
		}
		return out
	}
	for key, value := range values.Entries() {
		if strings.HasPrefix(key, "remote.") && strings.HasSuffix(strings.ToLower(key), strings.ToLower(s.suffix())) {
			out = append(out, keyValue{key, value})
		}
	}
	return out
}

// draw writes the setting with its value or default, and its description below.
func (s setting) draw(on *terminal.Screen, values refs.Config) {
	value := "not set"
	if s.byDefault != "" {
		value += ": " + s.byDefault
	}
	var set []string
	for _, one := range s.set(values) {
		if remote, is := strings.CutPrefix(one.Key, "remote."); is {
			one.Value = remote[:len(remote)-len(s.suffix())] + ": " + one.Value
		}
		set = append(set, one.Value)
	}
	if len(set) > 0 {
		value = cells.Safe(strings.Join(set, ", "))
		if s.byDefault != "" {
			value += " (default: " + s.byDefault + ")"
		}
	}
	fmt.Fprintf(on.Out, "%s  %s\n", s.key, value)
	const indent, most = 4, 3
	for _, row := range cells.Wrap(s.means, helpWidth-indent, most) {
		fmt.Fprintf(on.Out, "%s%s\n", strings.Repeat(" ", indent), row)
	}
}
