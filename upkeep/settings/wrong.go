package settings

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

// Wrong finds settings with invalid values, and unknown settings.
func Wrong(ctx context.Context, repo *refs.Repo, config refs.Config) []doctor.Finding {
	var found []doctor.Finding
	wrong := func(key, what string) {
		found = append(found, doctor.Finding{What: what, Mend: "git config --unset-all " + key})
	}
	var keys []string
	for _, s := range All {
		keys = append(keys, strings.ToLower(s.Key))
	}
	told := map[string]bool{}
	for key := range config.Entries() {
		if !strings.HasPrefix(key, "trace.") || slices.Contains(keys, key) || told[key] {
			continue
		}
		told[key] = true
		meant := "git trace config lists all settings"
		if near := exit.Nearest(key, keys); near != "" {
			meant = "did you mean " + All[slices.Index(keys, near)].Key + "?"
		}
		wrong(key, "no setting has the name "+cells.Message(key)+": "+meant)
	}
	for _, s := range All {
		for key, value := range config.Entries() {
			if !s.is(key) || s.Takes == "" || s.Takes.has(ctx, repo, key, value) {
				continue
			}
			wrong(key, cells.Message(key+" does not take '"+value+"'")+": "+s.Takes.inWords())
		}
	}
	return found
}

// `has` reports whether a value has the form. Git checks the forms that are git's types.
func (f Form) has(ctx context.Context, repo *refs.Repo, key, value string) bool {
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

func (f Form) inWords() string {
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
