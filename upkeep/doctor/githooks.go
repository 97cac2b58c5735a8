package doctor

import (
	"context"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/hooks"
)

func (d *Doctor) checkHooks(ctx context.Context) (string, []Finding) {
	st, err := d.hooks.Status(ctx)
	if err != nil {
		return "", []Finding{{What: err.Error(), Mend: "see whether this user may read the hooks"}}
	}
	if problems := append(d.hookFindings(st), d.checkProgram(ctx)...); len(problems) > 0 {
		return "", problems
	}
	fine := "all installed"
	if others := st.Neighbours(); others != "" {
		fine += " beside " + others
	}
	return fine, nil
}

// hookFindings returns faults of the git hooks. Hooks with the same fault share a finding.
func (d *Doctor) hookFindings(st hooks.Status) []Finding {
	var settings []Finding
	if st.Setting != nil {
		settings = []Finding{{What: st.Setting.Error(), Mend: "git config trace.trailers none"}}
	}
	if slices.ContainsFunc(st.Notes, func(note string) bool { return strings.HasPrefix(note, "git runs no hooks here") }) {
		return append(settings,
			Finding{What: "git runs no hooks here (" + st.Source + ")", Mend: hooks.Hint(hooks.ErrHooksOff)})
	}
	var out []Finding
	names := map[string][]string{} // names of hooks, by fault
	for _, one := range st.Hooks {
		if one.Works() {
			continue
		}
		problem := hookProblem(one, d.shorten)
		if names[problem] == nil {
			out = append(out, d.hookFinding(one.State, problem))
		}
		names[problem] = append(names[problem], one.Hook)
	}
	for i := range out {
		broken := names[out[i].What]
		who := strings.Join(broken, ", ") + " hook "
		switch {
		case len(broken) == len(st.Hooks):
			who = "every git hook "
		case len(broken) > 1:
			who = "each of the hooks " + strings.Join(broken, ", ") + " "
		}
		out[i].What = who + out[i].What
	}
	return append(settings, out...)
}

func (d *Doctor) hookFinding(state hooks.State, problem string) Finding {
	switch state {
	case hooks.Damaged:
		return Finding{What: problem, Mend: hooks.Hint(hooks.ErrDamaged)}
	case hooks.Blocked:
		return Finding{What: problem, Mend: hooks.Hint(hooks.ErrBlocked)}
	default:
		return Finding{What: problem, Mend: "git trace doctor --fix", fix: d.reinstall}
	}
}

func hookProblem(one hooks.HookStatus, shorten func(string) string) string {
	by := ""
	if one.Beside != "" {
		by = " by " + one.Beside
	}
	switch one.State {
	case hooks.Absent, hooks.ForeignOnly:
		return "is not installed"
	case hooks.Missing:
		return "was deleted"
	case hooks.Overwritten:
		return "was overwritten" + by
	case hooks.NotExecutable:
		return "is not executable: git skips it"
	case hooks.Damaged:
		return "has lost one of the marker comments (" + shorten(one.Path) + ")"
	case hooks.Blocked:
		return "cannot be there: " + shorten(one.Path) + " is " + one.Detail
	case hooks.Stale:
		return "is out of date (" + one.Detail + ")"
	case hooks.Bypassed:
		return "is not where git looks (" + one.Detail + ")"
	case hooks.Installed, hooks.ByHand:
	}
	return "is " + string(one.State)
}
