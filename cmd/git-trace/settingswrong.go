package main

import (
	"context"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/sharing"
	"github.com/git-trace/git-trace/upkeep/doctor"
)

// wrongSettings finds settings with invalid values, and unknown settings.
func wrongSettings(ctx context.Context, repo *refs.Repo, config refs.Config) []doctor.Finding {
	var found []doctor.Finding
	wrong := func(key, what string) {
		found = append(found, doctor.Finding{What: what, Mend: "git config --unset-all " + key})
	}
	var keys []string
	for _, s := range settingForms {
		keys = append(keys, strings.ToLower(s.key))
	}
	told := map[string]bool{}
	for key := range config.Entries() {
		if !strings.HasPrefix(key, "trace.") || slices.Contains(keys, key) || told[key] {
			continue
		}
		told[key] = true
		meant := "git trace config lists all settings"
		if near := exit.Nearest(key, keys); near != "" {
			meant = "did you mean " + settingForms[slices.Index(keys, near)].key + "?"
		}
		wrong(key, "no setting has the name "+cells.Message(key)+": "+meant)
	}
	for _, s := range settingForms {
		for key, value := range config.Entries() {
			if !s.is(key) || s.takes == "" || s.takes.has(ctx, repo, key, value) {
				continue
			}
			wrong(key, cells.Message(key+" does not take '"+value+"'")+": "+s.takes.inWords())
		}
	}
	return found
}

// is reports whether a key, in git's spelling, belongs to the setting.
func (s setting) is(key string) bool {
	if strings.HasPrefix(s.key, "remote.<") {
		return strings.HasPrefix(key, "remote.") && strings.HasSuffix(key, strings.ToLower(s.suffix()))
	}
	return key == strings.ToLower(s.key)
}

// has reports whether a value has the form. Git checks the forms that are git's types.
func (f valueForm) has(ctx context.Context, repo *refs.Repo, key, value string) bool {
	switch f {
	case anAgent:
		_, known := agents.Lookup(capability.Env{}, value)
		return known
	case aLevel:
		return slices.Contains(sharing.Levels, sharing.Level(value))
	}
	const name = "git-trace.value"
	_, err := repo.Git(ctx, nil, "-c", name+"="+value, "config", "--type="+string(f), "--get", name)
	return err == nil
}

func (f valueForm) inWords() string {
	switch f {
	case aTruth:
		return "true or false"
	case aNumber:
		return "a number, with k, m or g after it"
	case aDate:
		return "a date as for gc.pruneExpire, such as 90.days.ago or never"
	case anAgent:
		return "an agent that git trace capabilities lists"
	}
	var levels []string
	for _, l := range sharing.Levels {
		levels = append(levels, string(l))
	}
	return strings.Join(levels, ", ")
}
